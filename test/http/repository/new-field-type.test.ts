import { afterAll, beforeAll, expect, it } from 'bun:test';
import { join } from 'node:path';
import { FieldTypes } from '../../../src/field-types/field-type.ts';
import { BUILT_IN } from '../../../src/field-types/registry.ts';
import { colour } from '../../fixtures/colour.tsx';
import { emptyFolder } from '../../support/empty-folder.ts';
import { exportedTable, importExported } from '../../support/export-site.ts';
import { signedIn } from '../../support/form-call.ts';
import { detail } from '../../support/page.ts';
import { createTableSite, type TableSite } from '../../support/table-site.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

const MODEL = `
node_types:
  islandora_object:
    fields:
      field_ink: { label: Ink, type: colour, cardinality: 2, default_value: [{ value: '#000000' }] }
rdf:
  bundles:
    node.islandora_object:
      fields:
        field_ink: { predicates: ['schema:color'] }
views:
  inks: { path: /inks, entity_type: node, permission: access content, filters: { ink: { field: field_ink } } }
`;

let repository: TestRepository;
let site: TableSite;
beforeAll(async () => {
  const modelFile = join(await emptyFolder(), 'model.yaml');
  await Bun.write(modelFile, MODEL);
  const fieldTypes = new FieldTypes({ ...BUILT_IN, colour });
  repository = await createTestRepository({ modelFile }, { fieldTypes });
  site = await createTableSite(repository);
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await site.remove();
  await repository.stop();
});

const json = async (path: string) => (await (await repository.get(path, 'admin')).json()) as EntityJson;
const withInk = async (code: string) =>
  (await json(`/inks?_format=json&ink=%23${code}`)).map(({ nid }: EntityJson) => nid[0].value);
const idOf = async (field_ink: unknown[]) => (await repository.node({ field_ink: field_ink as [] })).nid[0].value;

it('a new field type is written in every accepted form and read back', async () => {
  const id = await idOf([{ value: '#aabbcc' }, '112233']);
  expect((await json(`/node/${id}?_format=json`)).field_ink).toEqual([{ value: '#AABBCC' }, { value: '#112233' }]);
  const change = { type: 'islandora_object', field_ink: [{ value: 'c0ffee' }] };
  expect((await repository.patch(`/node/${id}?_format=json`, change, 'admin')).status).toBe(200);
  expect((await json(`/node/${id}?_format=json`)).field_ink).toEqual([{ value: '#C0FFEE' }]);
});

it('a new field type has a default and rejects an invalid value', async () => {
  const { field_ink, nid } = await repository.node();
  expect(field_ink).toEqual([{ value: '#000000' }]);
  const change = { type: 'islandora_object', field_ink: [{ value: 'red' }] };
  const response = await repository.patch(`/node/${nid[0].value}?_format=json`, change, 'admin');
  expect(response.status).toBe(422);
  expect(await response.text()).toContain('field_ink.0.value: \\"#RED\\" is not a colour like #AABBCC.');
});

it('a new field type is described in the OpenAPI document', async () => {
  const { schemas } = (await json('/openapi.json')).components;
  expect(schemas.ColourItem.properties.value).toEqual({ type: 'string', pattern: '^#[0-9A-F]{6}$' });
  expect(schemas.NodeIslandoraObject.properties.field_ink).toMatchObject({
    title: 'Ink',
    maxItems: 2,
    items: { $ref: '#/components/schemas/ColourItem' },
  });
  expect(JSON.stringify(schemas.NodeIslandoraObjectCreate.properties.field_ink)).toContain('ColourItemInput');
  expect(schemas.FieldConfig.properties.field_type.enum).toContain('colour');
});

it('a new field type is in the graph', async () => {
  const [subject] = (await json(`/node/${await idOf(['#aabbcc'])}?_format=jsonld`))['@graph'];
  expect(subject['http://schema.org/color']).toEqual([
    { '@value': '#AABBCC', '@type': 'http://www.w3.org/2001/XMLSchema#token' },
  ]);
});

it('a new field type is shown on the page and found in a list', async () => {
  const id = await idOf(['#abcdef']);
  const page = await (await repository.get(`/node/${id}`, 'admin', { Accept: 'text/html' })).text();
  expect(page).toContain('fill="#ABCDEF"');
  expect(detail(page, 'Ink').map((text) => text.trim())).toEqual(['#ABCDEF']);
  expect(await withInk('abcdef')).toEqual([id]);
});

it('a new field type has a form control and reports its error there', async () => {
  const id = await idOf(['#aabbcc']);
  const browser = await signedIn(repository, 'admin');
  const form = await browser.open(`/node/${id}/edit`);
  expect(form.fields().get('field_ink.0.value')).toBe('#AABBCC');
  const refused = await form.submit({ 'field_ink.0.value': 'red' });
  expect(refused.elements('.error-summary a[href="#field_ink.0.value"]')[0]?.text).toContain('is not a colour');
  expect((await refused.submit({ 'field_ink.0.value': '112233' })).status).toBe(303);
  expect((await json(`/node/${id}?_format=json`)).field_ink).toEqual([{ value: '#112233' }]);
});

it('a new field type is described to clients that look up the content model', async () => {
  const field = await json('/entity/field_config/node.islandora_object.field_ink?_format=json');
  expect(field).toMatchObject({ field_type: 'colour', dependencies: { module: ['colour'] } });
  const form = await json('/entity/entity_form_display/node.islandora_object.default?_format=json');
  expect(form.content.field_ink.type).toBe('colour_picker');
});

it('a new field type is exported to a table and imported again', async () => {
  const id = await idOf(['#0a0b0c', '#112233']);
  const exported = await exportedTable(site.context, { nodes: [id] });
  expect(exported.rows[id]).toMatchObject({ field_ink: '0A0B0C|112233' });
  await importExported(site.context, exported);
  const [, imported] = await withInk('0a0b0c');
  const { field_ink } = await json(`/node/${imported}?_format=json`);
  expect(field_ink).toEqual([{ value: '#0A0B0C' }, { value: '#112233' }]);
  expect(await site.refusal('field_ink', 'red')).toBe('1 field_ink: "#RED": "#RED" is not a colour like #AABBCC.');
});
