import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { fieldDefinitions, formDisplays } from '../../support/workbench/field-definitions.ts';
import { readMember } from '../../support/workbench/members.ts';
import { type Block, type Facts, replay, type Sequence } from '../../support/workbench/sequence.ts';
import { createLoadingSite, defaultTerms, type LoadingSite, USERS } from '../../support/workbench/site.ts';
import { startUp } from '../../support/workbench/start-up.ts';

/** The three kinds of lists that a site makes for Workbench. */
const MODEL = `
views:
  members:
    path: /list/members
    entity_type: node
    bundles: [islandora_object]
    filters:
      of: { field: field_member_of, required: true }
    order: [title]
    page_size: 2
  exists:
    path: /node_exists
    entity_type: node
    filters:
      field_local_identifier: { field: field_local_identifier, required: true }
    fields: [nid]
    permission: use islandora workbench
  people:
    path: /list/people
    entity_type: taxonomy_term
    bundles: [person, family]
    filters:
      name: { field: name, required: true }
      vid: { field: vid }
`;

let site: LoadingSite;
let terms: Facts;
beforeAll(async () => {
  site = await createLoadingSite(MODEL);
  terms = await defaultTerms(site.repository);
});
afterAll(() => site.stop());

const REPORTED = {
  '[].nid[0].value': 'integer',
  '[].title[0].value': 'text',
  '[].type[0].target_id': 'text',
  '[].field_model[0].target_id': 'integer',
} as const;

/** Every page of a list until one is empty, and of each node what the tasks ask. */
const readPages: Block = async (workbench, facts) => {
  const found: number[] = [];
  for (let page = 0; ; page++) {
    const answer = await workbench.send('GET', `/list/members?page=${page}&of=${facts.collection}`);
    if (answer.status !== 200) throw new Error(`page ${page}: ${answer.status} ${answer.text}`);
    const items = readMember(answer.json(), '', 'list') as unknown[];
    if (items.length === 0) break;
    for (const [member, kind] of Object.entries(REPORTED)) readMember(items, member, kind);
    for (const node of items) {
      const nid = readMember(node, 'nid[0].value', 'integer') as number;
      found.push(nid);
      const model = readMember(node, 'field_model[0].target_id', 'integer');
      const term = await workbench.send('GET', `/taxonomy/term/${model}?_format=json`);
      readMember(term.json(), 'name[0].value', 'text');
      const media = await workbench.send('GET', `/node/${nid}/media?_format=json`);
      readMember(media.json(), '', 'list');
    }
  }
  facts.found = found;
};

describe.each(USERS)('get_data_from_view and get_media_report_from_view, run by $name', (profile) => {
  it('reads page after page until one is empty', async () => {
    const collection = await site.item(profile);
    const members: number[] = [];
    for (const title of ['A', 'C', 'B', 'E', 'D'])
      members.push(
        await site.item(profile, { title: [{ value: title }], field_member_of: [{ target_id: collection }] }),
      );
    await site.media(profile, members[0] as number, 'image', 'listed.png');
    const [a, c, b, e, d] = members;
    const task: Sequence = [
      startUp(),
      { send: 'HEAD /list/members?page=0&of={collection}', accepts: [200] },
      fieldDefinitions('node', 'islandora_object'),
      readPages,
    ];
    const { found } = await replay(site.run(profile), task, { collection });
    expect(found).toEqual([a, b, c, d, e]);
  });

  it('with --check sees that the list is there', async () => {
    const check: Sequence = [
      startUp(),
      formDisplays('node', 'islandora_object'),
      { send: 'HEAD /list/members', accepts: [200] },
      { send: 'HEAD /list/nothing', accepts: [404] },
    ];
    await replay(site.run(profile), check);
  });
});

describe.each(USERS)('create with lists of the site, run by $name', (profile) => {
  /** Sent so, although it has no body. */
  const headers = { 'Content-Type': 'application/json' };

  it('asks whether a node exists, without _format, and finds exactly one or none', async () => {
    const id = crypto.randomUUID();
    const nid = await site.item(profile, { field_local_identifier: [{ value: id }] });
    const rows: Sequence = [
      startUp(),
      { send: 'HEAD /node_exists', accepts: [200] },
      {
        send: `GET /node_exists?field_local_identifier=${id}`,
        headers,
        accepts: [200],
        check(json) {
          expect(json).toEqual([{ nid: String(nid) }]);
        },
      },
      {
        send: `GET /node_exists?field_local_identifier=${crypto.randomUUID()}`,
        headers,
        accepts: [200],
        check(json) {
          expect(json).toEqual([]);
        },
      },
    ];
    await replay(site.run(profile), rows);
  });

  it('asks for the term of a name', async () => {
    const name = `Smith, Ann (${profile.name})`;
    const tid = await site.term('person', name);
    const asked = encodeURIComponent(name).replaceAll('%20', '+');
    const rows: Sequence = [
      startUp(),
      { send: 'HEAD /list/people?name=xxx&_format=json', accepts: [200] },
      { send: 'GET /list/people?name=xxx&_format=json', accepts: [200] },
      {
        send: `GET /list/people?name=${asked}&_format=json`,
        accepts: [200],
        reads: { '[0].tid[0].value': `= ${tid}` },
      },
      {
        send: `GET /list/people?name=${asked}&vid=person&_format=json`,
        accepts: [200],
        reads: { '[0].tid[0].value': 'integer' },
      },
      {
        send: `GET /list/people?name=${asked}&vid=family&_format=json`,
        accepts: [200],
        check(json) {
          expect(json).toEqual([]);
        },
      },
    ];
    await replay(site.run(profile), rows, terms);
  });
});
