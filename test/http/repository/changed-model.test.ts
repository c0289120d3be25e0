import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createLog } from '../../../src/base/log.ts';
import { openRepository } from '../../../src/server/open-repository.ts';
import { emptyFolder } from '../../support/empty-folder.ts';
import { linkLines } from '../../support/link-lines.ts';
import { addressesIn } from '../../support/page.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

const ORIGINAL = 'http://pcdm.org/use#OriginalFile';

interface Model {
  /** The field of the media's file. */
  readonly source: 'field_one' | 'field_two';
  readonly hasUse: boolean;
  /** True if the type of node that others refer to exists. */
  readonly hasPlace: boolean;
}

const FIRST: Model = { source: 'field_one', hasUse: true, hasPlace: true };
const USE_FIELD =
  '      field_media_use: { label: Use, type: entity_reference, target_type: taxonomy_term, cardinality: unlimited }';

const modelText = ({ source, hasUse, hasPlace }: Model) => `
node_types:
  plain:
    label: Plain
    fields:
      field_place: { label: Place, type: entity_reference, target_type: node, cardinality: unlimited }
${hasPlace ? '  place: { label: Place, fields: {} }' : ''}
media_types:
  loose:
    label: Loose
    source: file
    source_field: ${source}
    fields:
      field_one: { label: One, type: file, required: true, file_extensions: [txt] }
      field_two: { label: Two, type: file, required: true, file_extensions: [txt] }
      field_media_of: { label: Media of, type: entity_reference, target_type: node }
${hasUse ? USE_FIELD : ''}
rdf:
  bundles:
    node.plain: { types: [pcdm:Object], fields: { field_place: dcterms:spatial } }
${hasPlace ? '    node.place: { types: [dcterms:Location] }' : ''}
signposting:
  node.plain: { collection: [field_place], item: all }
`;

let folder: string;
let modelFile: string;
let repository: TestRepository;
beforeAll(async () => {
  folder = await emptyFolder();
  modelFile = join(folder, 'model.yaml');
  await writeFile(modelFile, modelText(FIRST));
  repository = await createTestRepository({ modelFile });
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

/** Goes on with another model, as `repo migrate --drop-fields` takes it into use. */
async function changeModel(model: Model): Promise<void> {
  await repository.running.stop(1);
  await writeFile(modelFile, modelText(model));
  const log = createLog({ level: 'fatal', format: 'json' });
  const config = { ...repository.config, modelFile };
  await (await openRepository(config, log, { dropsFields: true })).close();
  await repository.restart();
}

async function make(path: string, body: object): Promise<EntityJson> {
  const response = await repository.post(`${path}?_format=json`, body, 'admin');
  if (response.status !== 201) throw new Error(await response.text());
  return (await response.json()) as EntityJson;
}

async function upload(field: string, name: string): Promise<number> {
  const response = await repository.fetch(`/file/upload/media/loose/${field}?_format=json`, {
    method: 'POST',
    as: 'admin',
    body: `text of ${name}`,
    headers: { 'Content-Type': 'application/octet-stream', 'Content-Disposition': `file; filename="${name}"` },
  });
  expect(response.status).toBe(201);
  return ((await response.json()) as EntityJson).fid[0].value;
}

/** The links of these relations, in JSON, as a graph and as a page: they are the same. */
async function lines(path: string, ...relations: string[]): Promise<string[]> {
  const [json, ...others] = await Promise.all(
    ['json', 'jsonld', 'html'].map(async (format) =>
      linkLines(await repository.get(`${path}?_format=${format}`, 'admin'), repository.url).filter(
        (line) => relations.includes(line.split(' ', 1)[0] ?? '') && line !== `describes ${path} text/html`,
      ),
    ),
  );
  for (const other of others) expect(other).toEqual(json as string[]);
  // Which month it is stands in the address of a file.
  return (json ?? []).map((line) => line.replace(/\/\d{4}-\d{2}\//, '/'));
}

const page = async (path: string) => (await repository.get(`${path}?_format=html`, 'admin')).text();

describe('a changed model', () => {
  it('makes a node show the current file and uses of its media', async () => {
    const node = (await make('/node', { type: 'plain', title: ['A node'] })).nid[0].value;
    const media = await make('/media', {
      bundle: 'loose',
      name: ['A media'],
      field_one: [await upload('field_one', 'one.txt')],
      field_two: [await upload('field_two', 'two.txt')],
      field_media_of: [node],
      field_media_use: [await repository.termId(ORIGINAL)],
    });
    const id = media.mid[0].value;
    const relations = ['related', 'item', 'describes'] as const;
    const fileOf = async (name: string) =>
      addressesIn(await page(`/node/${node}`)).some((address) => address.endsWith(`/${name}`));
    const [one = ''] = (await lines(`/media/${id}`, 'describes')).map((line) => line.split(' ')[1]);
    const two = one.replace('one.txt', 'two.txt');

    const before = [`item ${one} text/plain`, `related /media/${id} "Original File"`];
    expect(await lines(`/node/${node}`, ...relations)).toEqual(before);
    expect({ one: await fileOf('one.txt'), two: await fileOf('two.txt') }).toEqual({ one: true, two: false });

    await changeModel({ ...FIRST, source: 'field_two' });
    expect(await lines(`/node/${node}`, ...relations)).toEqual([`item ${two} text/plain`, before[1] as string]);
    expect(await lines(`/media/${id}`, ...relations)).toEqual([
      `describes ${two} text/plain`,
      `related /node/${node} "Media of"`,
    ]);
    expect({ one: await fileOf('one.txt'), two: await fileOf('two.txt') }).toEqual({ one: false, two: true });

    await changeModel({ ...FIRST, source: 'field_two', hasUse: false });
    expect(await lines(`/node/${node}`, ...relations)).toEqual([`item ${two} text/plain`]);
    expect(await page(`/node/${node}`)).not.toContain('Original File');

    await changeModel(FIRST);
    expect(await lines(`/node/${node}`, ...relations)).toEqual([`item ${one} text/plain`]);
  });

  it('hides content of a removed bundle and links to it', async () => {
    const place = (await make('/node', { type: 'place', title: ['A gone place'] })).nid[0].value;
    const node = (await make('/node', { type: 'plain', title: ['A node'], field_place: [place] })).nid[0].value;
    const graph = async () => {
      const { '@graph': resources } = (await (await repository.get(`/node/${node}?_format=jsonld`)).json()) as {
        '@graph': EntityJson[];
      };
      return resources.filter((resource) => resource['@id'] === `${repository.url}/node/${place}`);
    };
    const relations = ['related', 'collection'] as const;
    expect(await lines(`/node/${node}`, ...relations)).toEqual([
      `collection /node/${place}`,
      `related /node/${place} "Place"`,
    ]);
    expect(await graph()).toEqual([
      { '@id': `${repository.url}/node/${place}`, '@type': ['http://purl.org/dc/terms/Location'] },
    ]);

    await changeModel({ ...FIRST, hasPlace: false });
    expect((await repository.get(`/node/${place}?_format=json`, 'admin')).status).toBe(404);
    expect(await lines(`/node/${node}`, ...relations)).toEqual([]);
    expect(await graph()).toEqual([]);
    expect(await page(`/node/${node}`)).not.toContain('A gone place');
    const set = await (await repository.get(`/node/${node}/linkset`, 'admin')).text();
    expect(set).not.toContain(`/node/${place}"`);

    await changeModel(FIRST);
    expect(await lines(`/node/${node}`, ...relations)).toHaveLength(2);
    expect(await graph()).toHaveLength(1);
  });
});
