import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { fieldDefinitions, formDisplays } from '../../support/workbench/field-definitions.ts';
import { removeNode } from '../../support/workbench/removal.ts';
import { type Facts, replay, type Sequence, type Step } from '../../support/workbench/sequence.ts';
import { createLoadingSite, defaultTerms, type LoadingSite, PROFILES, USERS } from '../../support/workbench/site.ts';
import { startUp } from '../../support/workbench/start-up.ts';
import { newTerm, termByName } from '../../support/workbench/terms.ts';

let site: LoadingSite;
let terms: Facts;
beforeAll(async () => {
  site = await createLoadingSite();
  terms = await defaultTerms(site.repository);
  await site.term('subject', 'Canals');
});
afterAll(() => site.stop());

const TYPE = { type: [{ target_id: 'islandora_object' }] };

/** Columns that only an administrator may change. */
const ADMINISTERED = { status: [{ value: '0' }], uid: [{ target_id: '2' }] };

/** The node of a row: each column of the table must be a key, also where there is no value. */
const READ_NODE: Step = {
  send: 'GET /node/{nid}?_format=json',
  accepts: [200, 301, 302],
  reads: {
    'nid[0].value': 'integer',
    title: 'list',
    uid: 'list',
    created: 'list',
    langcode: 'list',
    promote: 'list',
    revision_log: 'list',
    field_extent: 'list',
    field_note: 'list',
    field_subject: 'list',
    field_linked_agent: 'list',
    field_coordinates: 'list',
    field_edtf_date_issued: 'list',
    field_member_of: 'list',
  },
  keeps: {
    notes: 'field_note',
    subjects: 'field_subject',
    agents: 'field_linked_agent',
    places: 'field_coordinates',
    dates: 'field_edtf_date_issued',
    members: 'field_member_of',
  },
};

const READ_CONTENT_TYPE: Step = {
  send: 'GET /entity/node_type/islandora_object?_format=json',
  accepts: [200],
  reads: { new_revision: 'boolean' },
};

function patch(json: NonNullable<Step['json']>): Step {
  return { send: 'PATCH /node/{nid}?_format=json', json, accepts: [200] };
}

describe.each(USERS)('update, run by $name', (profile) => {
  /** A node with values in each of the fields that rows below change. */
  const begin = async () => {
    const agent = await site.term('person', `Roe, Richard (${crypto.randomUUID()})`);
    const collection = await site.item(profile);
    const nid = await site.item(profile, {
      field_note: [{ value: '<p>First</p>', format: 'basic_html' }],
      field_subject: [{ target_id: await site.term('subject', crypto.randomUUID()) }],
      field_linked_agent: [{ target_id: agent, rel_type: 'relators:aut' }],
      field_coordinates: [{ lat: '49.1', lng: '-123.2' }],
      field_edtf_date_issued: [{ value: '1999' }],
      field_member_of: [{ target_id: collection }],
      field_extent: [{ value: '1 page' }],
    });
    return { nid, agent, collection, ...terms };
  };
  const row = (...steps: Sequence): Sequence => [
    startUp(),
    fieldDefinitions('node', 'islandora_object'),
    READ_NODE,
    ...steps,
  ];

  it('replaces values, with a note in the log, and sets an alias', async () => {
    const known = await begin();
    const alias = `/changed/${crypto.randomUUID()}`;
    const replaced = row(
      termByName('subject', 'Canals', 'canals'),
      newTerm('person', `New ${crypto.randomUUID()}`, 'new agent'),
      READ_CONTENT_TYPE,
      patch({
        ...TYPE,
        title: [{ value: 'Replaced' }],
        field_extent: [{ value: '2 pages' }],
        field_subject: [{ target_id: '{canals}', target_type: 'taxonomy_term' }],
        field_linked_agent: [{ target_id: '#{new agent}', rel_type: 'relators:pht', target_type: 'taxonomy_term' }],
        revision_log: [{ value: 'Replaced by a table' }],
        ...(profile.user === 'admin' && ADMINISTERED),
      }),
      {
        send: 'POST /entity/path_alias?_format=json',
        json: { path: [{ value: '/node/{nid}' }], alias: [{ value: alias }] },
        accepts: [201],
      },
      { send: `HEAD ${alias}`, accepts: [200] },
    );
    const { canals } = await replay(site.run(profile), replaced, known);
    const node = await site.look(`/node/${known.nid}?_format=json`);
    expect(node).toMatchObject({
      title: [{ value: 'Replaced' }],
      field_extent: [{ value: '2 pages' }],
      field_subject: [{ target_id: canals }],
      field_edtf_date_issued: [{ value: '1999' }],
      revision_log: [{ value: 'Replaced by a table' }],
      path: [{ alias }],
      ...(profile.user === 'admin' && { status: [{ value: false }], uid: [{ target_id: 2 }] }),
    });
    expect(node.field_linked_agent).toHaveLength(1);
  });

  it('appends to values, which come back as they were served', async () => {
    const known = await begin();
    const all = (facts: Facts, name: string, item: object) => [...(facts[name] as object[]), item];
    const appended = row(
      termByName('subject', 'Canals', 'canals'),
      READ_CONTENT_TYPE,
      patch((facts) => ({
        ...TYPE,
        field_note: all(facts, 'notes', { value: 'Second', format: 'basic_html' }),
        field_subject: all(facts, 'subjects', { target_id: '{canals}', target_type: 'taxonomy_term' }),
        field_linked_agent: all(facts, 'agents', {
          target_id: '{agent}',
          rel_type: 'relators:ill',
          target_type: 'taxonomy_term',
        }),
        field_coordinates: all(facts, 'places', { lat: '0', lng: '-0.5' }),
        field_edtf_date_issued: all(facts, 'dates', { value: '2001-05~' }),
        field_member_of: all(facts, 'members', { target_id: '{nid of another}', target_type: 'node_type' }),
      })),
    );
    const another = await site.item(profile);
    const before = await site.look(`/node/${known.nid}?_format=json`);
    const { canals } = await replay(site.run(profile), appended, { ...known, 'nid of another': another });
    const node = await site.look(`/node/${known.nid}?_format=json`);
    expect(node.field_note[0]).toEqual(before.field_note[0]);
    expect(node.field_note).toHaveLength(2);
    expect(node.field_subject.map(targetOf)).toEqual([before.field_subject[0].target_id, canals]);
    expect(node.field_linked_agent).toMatchObject([{ rel_type: 'relators:aut' }, { rel_type: 'relators:ill' }]);
    expect(node.field_coordinates).toMatchObject([
      { lat: 49.1, lng: -123.2 },
      { lat: 0, lng: -0.5 },
    ]);
    expect(node.field_edtf_date_issued).toEqual([{ value: '1999' }, { value: '2001-05~' }]);
    expect(node.field_member_of.map(targetOf)).toEqual([known.collection, another]);
  });

  it('takes an alias or an address for the number of a node', async () => {
    const alias = `/named/${crypto.randomUUID()}`;
    const nid = await site.item(profile, { path: [{ alias }] });
    const address = `${site.repository.url}${alias}`;
    const known = await replay(site.run(profile), [startUp(alias, address)]);
    expect(known).toMatchObject({ [`nid of ${alias}`]: nid, [`nid of ${address}`]: nid });
  });

  it('deletes values, and others stay', async () => {
    const known = await begin();
    const deleted = row(READ_CONTENT_TYPE, patch({ ...TYPE, field_extent: [], field_subject: [] }));
    await replay(site.run(profile), deleted, known);
    const node = await site.look(`/node/${known.nid}?_format=json`);
    expect(node).toMatchObject({ field_extent: [], field_subject: [], field_note: [{ format: 'basic_html' }] });
  });

  it('with --check reads definitions and the values that the table names', async () => {
    const check: Sequence = [
      startUp(),
      formDisplays('node', 'islandora_object'),
      fieldDefinitions('node', 'islandora_object'),
      termByName('subject', 'Canals', 'canals'),
    ];
    await replay(site.run(profile), check);
  });
});

const targetOf = ({ target_id }: { target_id: number }) => target_id;

describe.each(PROFILES)('delete, run by $name', (profile) => {
  it('removes files, media and node, of any media type', async () => {
    const nid = await site.item(profile);
    const files = { image: 'a.png', extracted_text: 'a.txt', document: 'a.pdf', audio: 'a.mp3', file: 'a.zip' };
    const made: { mid: number; fid: number }[] = [];
    for (const [type, file] of Object.entries(files)) made.push(await site.media(profile, nid, type, file));
    const row: Sequence = [
      startUp(),
      { send: 'HEAD /node/{nid}?_format=json', accepts: [200, 301, 302] },
      removeNode('nid'),
    ];
    await replay(site.run(profile), row, { nid });
    const gone = made.flatMap(({ mid, fid }) => [`/media/${mid}`, `/media/${mid}/edit`, `/entity/file/${fid}`]);
    for (const path of [`/node/${nid}`, ...gone])
      expect((await site.repository.get(`${path}?_format=json`, 'admin')).status).toBe(404);
  });

  it('leaves media where delete_media_with_nodes is false', async () => {
    const nid = await site.item(profile);
    const { mid } = await site.media(profile, nid, 'file', 'kept.zip');
    const row: Sequence = [
      startUp(),
      { send: 'HEAD /node/{nid}?_format=json', accepts: [200, 301, 302] },
      { send: 'DELETE /node/{nid}?_format=json', accepts: [204] },
      // A second row with the same number is skipped.
      { send: 'GET /node/{nid}?_format=json', accepts: [404], reads: { message: 'text' } },
    ];
    await replay(site.run(profile), row, { nid });
    expect((await site.look(`/media/${mid}?_format=json`)).field_media_of).toEqual([]);
  });

  it('with --check asks for the content type alone; --quick_delete_node reads its type', async () => {
    await replay(site.run(profile), [startUp(), formDisplays('node', 'islandora_object')]);
    const nid = await site.item(profile);
    await site.media(profile, nid, 'image', 'quick.png');
    const quick: Sequence = [
      startUp(),
      {
        send: 'GET {host}/node/{nid}?_format=json',
        accepts: [200],
        reads: { 'nid[0].value': '= {nid}', 'type[0].target_type': '= node_type' },
      },
      removeNode('nid'),
    ];
    await replay(site.run(profile), quick, { nid });
    expect((await site.repository.get(`/node/${nid}?_format=json`, 'admin')).status).toBe(404);
  });
});
