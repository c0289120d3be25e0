import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { fieldDefinitions, formDisplays } from '../../support/workbench/field-definitions.ts';
import { newMedia } from '../../support/workbench/media.ts';
import { type Facts, replay, type Sequence, type Step } from '../../support/workbench/sequence.ts';
import { bytesFor, createLoadingSite, defaultTerms, type LoadingSite, PROFILES } from '../../support/workbench/site.ts';
import { pingSite, startUp } from '../../support/workbench/start-up.ts';
import {
  checkedTerm,
  newTerm,
  noTermByName,
  termByAuthorityLink,
  termByName,
  termByUri,
} from '../../support/workbench/terms.ts';

const TOPIC = 'http://id.loc.gov/authorities/subjects/sh85127582';
const SERVICE_FILE = 'http://pcdm.org/use#ServiceFile';

let site: LoadingSite;
let terms: Facts;
beforeAll(async () => {
  site = await createLoadingSite();
  terms = await defaultTerms(site.repository);
  await site.term('subject', 'Steam engines, "old"');
  const link = { field_authority_link: [{ source: 'lcsh', uri: TOPIC, title: '' }] };
  terms.boilers = await site.term('subject', 'Boilers', link);
});
afterAll(() => site.stop());

/** The values of a row, of each type of field that the default content type has. */
const VALUES = {
  type: [{ target_id: 'islandora_object', target_type: 'node_type' }],
  title: [{ value: 'Ünder the \u{1F30A}: a "row"' }],
  field_model: [{ target_id: '{image}', target_type: 'taxonomy_term' }],
  field_member_of: [{ target_id: '{parent}', target_type: 'node_type' }],
  field_identifier: [{ value: 'id-1' }, { value: 'id-2' }],
  field_description: [{ value: 'Line one\nline two' }],
  field_note: [{ value: '<i>x</i> & <b>y</b>', format: 'basic_html' }],
  field_subject: [
    { target_id: '{named}', target_type: 'taxonomy_term' },
    { target_id: '{linked}', target_type: 'taxonomy_term' },
    { target_id: '{boilers}', target_type: 'taxonomy_term' },
    { target_id: '', target_type: 'taxonomy_term' },
  ],
  field_linked_agent: [
    { target_id: '#{agent}', rel_type: 'relators:pht', target_type: 'taxonomy_term' },
    { target_id: null, rel_type: 'relators:aut', target_type: 'taxonomy_term' },
    { target_id: false, rel_type: 'relators:aut', target_type: 'taxonomy_term' },
  ],
  field_edtf_date_issued: [{ value: '2001-05~' }],
  field_coordinates: [{ lat: '99.1', lng: '-123.2' }],
  field_weight: [{ value: '2' }],
  field_extent: [],
} as const;

const NODE_MEMBERS = {
  'nid[0].value': 'integer',
  'uuid[0].value': 'text',
  'title[0].value': 'text',
  'status[0].value': 'boolean',
  'promote[0].value': 'boolean',
  'type[0].target_id': '= islandora_object',
  'langcode[0].value': 'text',
} as const;

/** Columns that only an administrator may set. */
const ADMINISTERED = {
  uid: [{ target_id: '2' }],
  created: [{ value: '2020-11-15T23:49:22+00:00' }],
  status: [{ value: '0' }],
  promote: [{ value: '1' }],
};

function postNode(json: object): Step {
  return {
    send: 'POST /node?_format=json',
    json,
    accepts: [201],
    reads: NODE_MEMBERS,
    keeps: { nid: 'nid[0].value' },
  };
}

const setAlias: Step = {
  send: 'POST /entity/path_alias?_format=json',
  json: { path: [{ value: '/node/{nid}' }], alias: [{ value: '{alias}' }] },
  accepts: [201],
};

describe.each(PROFILES)('create, run by $name', (profile) => {
  it('loads a row with every kind of value, new terms, an alias and two files', async () => {
    const workbench = site.run(profile);
    const above = `/collections/${crypto.randomUUID()}`;
    const parent = await site.item(profile, { path: [{ alias: above }] });
    const alias = `/of/${profile.name.replaceAll(' ', '-')}`;
    const agent = `Doe, Jane (${profile.name})`;
    const row: Sequence = [
      startUp(),
      fieldDefinitions('node', 'islandora_object'),
      // The parent's cell has its alias.
      {
        send: `GET ${above}?_format=json`,
        accepts: [200],
        reads: { 'nid[0].value': `= ${parent}` },
        keeps: { parent: 'nid[0].value' },
      },
      { send: 'HEAD /node/{parent}?_format=json', accepts: [200, 301, 302] },
      termByName('subject', 'STEAM engines, "old"', 'named'),
      termByAuthorityLink(TOPIC, 'linked'),
      newTerm('person', agent, 'agent'),
      postNode({
        ...VALUES,
        langcode: [{ value: 'en' }],
        ...(profile.user === 'admin' && ADMINISTERED),
      }),
      setAlias,
      newMedia({ node: 'nid', type: 'image', file: 'bk1/p-002.png', bytes: await bytesFor('p-002.png') }),
      newMedia({
        node: 'nid',
        type: 'extracted_text',
        file: 'bk1/p-002.txt',
        bytes: await bytesFor('p-002.txt'),
        use: SERVICE_FILE,
        fields: { status: { value: '0' }, field_edited_text: [{ value: '' }] },
        fid: 'text file',
      }),
    ];
    const { nid, named, linked, agent: aid } = await replay(workbench, row, { ...terms, alias });

    const fields = site.repository.running.services.model.nodeTypes.get('islandora_object')?.fields.length ?? 0;
    const cold = workbench.log.findIndex(({ path }) => path.startsWith(above));
    // Versions, twice and once; one form display; each field and its storage.
    expect(cold).toBe(4 + 2 * fields);
    const node = await site.look(`/node/${nid}?_format=json`);
    expect(node).toMatchObject({
      title: VALUES.title,
      field_model: [{ target_id: terms.image, target_type: 'taxonomy_term' }],
      field_member_of: [{ target_id: parent, target_type: 'node' }],
      field_subject: [{ target_id: named }, { target_id: linked }, { target_id: terms.boilers }],
      field_linked_agent: [{ target_id: aid, rel_type: 'relators:pht' }],
      field_identifier: VALUES.field_identifier,
      field_note: VALUES.field_note,
      field_coordinates: [{ lat: 99.1, lng: -123.2 }],
      field_weight: [{ value: 2 }],
      field_extent: [],
      path: [{ alias }],
      ...(profile.user === 'admin' && {
        uid: [{ target_id: 2 }],
        created: [{ value: '2020-11-15T23:49:22+00:00' }],
        status: [{ value: false }],
        promote: [{ value: true }],
      }),
    });
    expect(node.field_subject).toHaveLength(3);
    expect(node.field_linked_agent).toHaveLength(1);
    const media = await site.look(`/node/${nid}/media?_format=json`);
    expect(media.map(nameAndState)).toEqual([
      ['bk1/p-002.png', 'image', true],
      ['bk1/p-002.txt', 'extracted_text', false],
    ]);
    expect(media[0].field_file_size).toEqual([{ value: (await bytesFor('p-002.png')).length }]);
    expect(media[1]).not.toHaveProperty('field_file_size');
  });

  it('with --check finds exactly what the table names', async () => {
    const parent = await site.item(profile);
    const use = 'http://pcdm.org/use#ServiceFile';
    const { original } = terms;
    const checks: Sequence = [
      startUp(),
      formDisplays('node', 'islandora_object'),
      fieldDefinitions('node', 'islandora_object'),
      { send: 'GET /a/free-alias?_format=json', accepts: [404] },
      { send: 'GET /user/2?_format=json', accepts: [200], reads: { 'uid[0].value': 'integer' } },
      { send: 'GET /user/1?_format=json', accepts: [200] },
      { send: 'GET /user/4711?_format=json', accepts: [404] },
      termByUri(use, 'use'),
      termByName('islandora_media_use', 'Original File', 'named use'),
      checkedTerm('{original}', 'islandora_media_use'),
      { send: 'GET /taxonomy/term/471100?_format=json', accepts: [404] },
      termByName('subject', 'Boilers', 'boilers'),
      checkedTerm('{boilers}', 'subject'),
      noTermByName('person', 'Smith, A'),
      noTermByName('family', 'person:Smith, A'),
      noTermByName('corporate_body', 'person:Smith, A'),
      { send: 'HEAD /node/{parent}', accepts: [200] },
      { send: 'HEAD /node/471100', accepts: [404] },
      { send: 'GET /entity/media_type/image?_format=json', accepts: [200] },
      { send: 'GET /entity/media_type/nothing?_format=json', accepts: [404] },
      fieldDefinitions('media', 'image'),
      async (workbench, facts) => {
        await pingSite(workbench);
        const fields = facts['fields of image'] as Map<string, { fileExtensions: string[] }>;
        expect(fields.get('field_media_image')?.fileExtensions).toContain('png');
      },
    ];
    await replay(site.run(profile), checks, { ...terms, original, parent });
  });
});

const nameAndState = (media: Record<string, [{ value?: unknown; target_id?: unknown }]>) => [
  media.name?.[0].value,
  media.bundle?.[0].target_id,
  media.status?.[0].value,
];

/** The fields of those columns that differ from those of every new node. */
const FORBIDDEN = { ...ADMINISTERED, uid: [{ target_id: '1' }], promote: [{ value: '0' }] };

describe('a workbench_user', () => {
  it.each(Object.entries(FORBIDDEN))('gets 403 with a message for setting %s of a node', async (field, value) => {
    const [, profile] = PROFILES;
    const json = { ...VALUES, field_subject: [], field_linked_agent: [], [field]: value };
    if (profile === undefined) throw new Error('there is no profile of a workbench_user');
    const parent = await site.item(profile);
    const refused: Sequence = [{ ...postNode(json), accepts: [403], reads: { message: 'text' }, keeps: {} }];
    await replay(site.run(profile), refused, { ...terms, parent });
    expect(await site.look(`/node/${parent}/members?_format=json`)).toEqual([]);
  });
});
