import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { type FieldDefinition, fieldDefinitions, readDefinitions } from '../../support/workbench/field-definitions.ts';
import { type Facts, replay, type Sequence } from '../../support/workbench/sequence.ts';
import {
  createLoadingSite,
  defaultTerms,
  type LoadingSite,
  PROFILES,
  type Profile,
} from '../../support/workbench/site.ts';
import { startUp } from '../../support/workbench/start-up.ts';
import { Workbench } from '../../support/workbench/workbench.ts';

/** A field of each type that Workbench knows: as configured, what Workbench makes of that, what it sends, what it reads back. */
interface OwnField {
  readonly configured: string;
  readonly known: Partial<FieldDefinition>;
  readonly sent: object;
  readonly readBack: object;
}

const FIELDS: Readonly<Record<string, OwnField>> = {
  field_string: {
    configured: 'type: string, max_length: 80, cardinality: unlimited',
    known: { type: 'string', maxLength: 80, cardinality: -1 },
    sent: { value: '12' },
    readBack: { value: '12' },
  },
  field_string_long: {
    configured: 'type: string_long',
    known: { type: 'string_long', maxLength: undefined, cardinality: 1 },
    sent: { value: 'a\nb' },
    readBack: { value: 'a\nb' },
  },
  field_text_long: {
    configured: 'type: text_long',
    known: { type: 'text_long', maxLength: undefined },
    sent: { value: '<i>x</i>', format: 'basic_html' },
    readBack: { value: '<i>x</i>', format: 'basic_html' },
  },
  field_to_term: {
    configured: 'type: entity_reference, target_type: taxonomy_term, target_bundles: [islandora_models, tags]',
    known: { type: 'entity_reference', targetType: 'taxonomy_term', vocabularies: ['islandora_models', 'tags'] },
    sent: { target_id: '{image}', target_type: 'taxonomy_term' },
    readBack: { target_type: 'taxonomy_term' },
  },
  field_to_node: {
    configured: 'type: entity_reference, target_type: node, required: true',
    known: { type: 'entity_reference', targetType: 'node', vocabularies: [], isRequired: true },
    sent: { target_id: '{nid}', target_type: 'node_type' },
    readBack: { target_type: 'node' },
  },
  field_to_media: {
    configured: 'type: entity_reference, target_type: media, target_bundles: [image]',
    known: { type: 'entity_reference', targetType: 'media' },
    sent: { target_id: '{mid}', target_type: 'media_type' },
    readBack: { target_type: 'media' },
  },
  field_agent: {
    configured: 'type: typed_relation, target_type: taxonomy_term, target_bundles: [person], rel_types: { x:y: Y }',
    known: { type: 'typed_relation', vocabularies: ['person'], relationTypes: ['x:y'] },
    sent: { target_id: '#{person}', rel_type: 'x:y', target_type: 'taxonomy_term' },
    readBack: { rel_type: 'x:y', target_type: 'taxonomy_term' },
  },
  field_date: {
    configured: 'type: edtf, max_length: 128',
    known: { type: 'edtf', maxLength: 128 },
    sent: { value: '2001-05~/..' },
    readBack: { value: '2001-05~/..' },
  },
  field_link: {
    configured: 'type: link',
    known: { type: 'link', cardinality: 1 },
    sent: { uri: 'http://example.org/a?b=c', title: 'A link' },
    readBack: { uri: 'http://example.org/a?b=c', title: 'A link' },
  },
  field_authority: {
    configured: 'type: authority_link, authority_sources: [lcgft, other]',
    known: { type: 'authority_link', authoritySources: ['lcgft', 'other'] },
    sent: { source: 'lcgft', uri: 'http://example.org/b', title: '' },
    readBack: { source: 'lcgft', uri: 'http://example.org/b' },
  },
  field_place: {
    configured: 'type: geolocation',
    known: { type: 'geolocation' },
    sent: { lat: '99.1', lng: '-123.2' },
    readBack: { lat: 99.1, lng: -123.2 },
  },
  field_flag: {
    configured: 'type: boolean',
    known: { type: 'boolean' },
    sent: { value: '1' },
    readBack: { value: true },
  },
  field_number: {
    configured: 'type: integer',
    known: { type: 'integer' },
    sent: { value: '-3' },
    readBack: { value: -3 },
  },
  field_decimal: {
    configured: 'type: decimal',
    known: { type: 'decimal' },
    sent: { value: '1.5' },
    readBack: { value: '1.5' },
  },
  field_float: { configured: 'type: float', known: { type: 'float' }, sent: { value: 1.5 }, readBack: { value: 1.5 } },
  field_list: {
    configured: 'type: list_string, allowed_values: { a: A, "1": One }',
    known: { type: 'list_string', allowedValues: ['1', 'a'] },
    sent: { value: '1' },
    readBack: { value: '1' },
  },
};

const MODEL = `
node_types:
  record:
    label: Record
    fields:
${Object.entries(FIELDS)
  .map(([name, { configured }]) => `      ${name}: { label: Label of ${name}, ${configured} }`)
  .join('\n')}
`;

const ADMINISTRATOR = PROFILES[0] as Profile;
let site: LoadingSite;
let known: Facts;
beforeAll(async () => {
  site = await createLoadingSite(MODEL);
  const nid = await site.item(ADMINISTRATOR);
  const { mid } = await site.media(ADMINISTRATOR, nid, 'image', 'a.png');
  known = { ...(await defaultTerms(site.repository)), nid, mid, person: await site.term('person', 'Doe, Jane') };
});
afterAll(() => site.stop());

describe.each([false, true])('a content type of the site’s own, with use_workbench_permissions %p', (isAtActions) => {
  const run = () =>
    new Workbench({
      ...site.run(ADMINISTRATOR).options,
      contentType: 'record',
      useWorkbenchPermissions: isAtActions,
    });

  it('is known with each of its fields', async () => {
    const definitions = await readDefinitions(run(), 'node', 'record');
    expect([...definitions.keys()].toSorted()).toEqual(Object.keys(FIELDS).toSorted());
    for (const [name, { known }] of Object.entries(FIELDS))
      expect(definitions.get(name)).toMatchObject({ isRequired: false, ...known, label: `Label of ${name}` });
  });

  it('takes what Workbench sends, and shows what it reads', async () => {
    const items = Object.entries(FIELDS).map(([name, { sent }]) => [name, [sent]]);
    const rows: Sequence = [
      startUp(),
      fieldDefinitions('node', 'record'),
      {
        send: 'POST /node?_format=json',
        json: {
          type: [{ target_id: 'record', target_type: 'node_type' }],
          title: [{ value: 'A record' }],
          ...Object.fromEntries(items),
        },
        accepts: [201],
        reads: { 'nid[0].value': 'integer' },
        keeps: { made: 'nid[0].value' },
      },
      {
        send: 'GET /entity/node_type/record?_format=json',
        accepts: [200],
        reads: { new_revision: 'boolean' },
      },
    ];
    const { made } = await replay(run(), rows, known);
    const node = await site.look(`/node/${made}?_format=json`);
    for (const [name, { readBack }] of Object.entries(FIELDS)) expect(node[name]).toMatchObject([readBack]);
    expect(node.field_to_term[0].target_id).toBe(known.image);
    // All of it back, as in append mode.
    const fields = Object.entries(node).filter(([name]) => name.startsWith('field_'));
    const json = { type: node.type, ...Object.fromEntries(fields) };
    await replay(run(), [{ send: `PATCH /node/${made}?_format=json`, json, accepts: [200] }]);
    expect(await site.look(`/node/${made}?_format=json`)).toEqual(node);
  });
});
