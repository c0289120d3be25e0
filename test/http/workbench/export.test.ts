import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { fieldDefinitions, formDisplays } from '../../support/workbench/field-definitions.ts';
import { MEDIA_MEMBERS } from '../../support/workbench/media.ts';
import { readMember } from '../../support/workbench/members.ts';
import { type Block, type Facts, replay, type Sequence, type Step } from '../../support/workbench/sequence.ts';
import { bytesFor, createLoadingSite, defaultTerms, type LoadingSite, USERS } from '../../support/workbench/site.ts';
import { startUp } from '../../support/workbench/start-up.ts';
import { termByUri } from '../../support/workbench/terms.ts';

const ORIGINAL_FILE = 'http://pcdm.org/use#OriginalFile';

let site: LoadingSite;
let terms: Facts;
beforeAll(async () => {
  site = await createLoadingSite();
  terms = await defaultTerms(site.repository);
});
afterAll(() => site.stop());

/** Each member of a node that stands in an exported row: an empty array would end the export. */
const ROW_MEMBERS = {
  'nid[0].value': 'integer',
  'type[0].target_id': 'text',
  'title[0].value': 'text',
  'path[0].alias': 'text or null',
  'uuid[0].value': 'text',
  'uid[0].target_id': 'integer',
  'created[0].value': 'text',
  'changed[0].value': 'text',
  'langcode[0].value': 'text',
} as const;

/** Follows each reference of a node: reads terms, and requests nodes. */
const followReferences: Block = async (workbench, { node }) => {
  for (const [field, items] of Object.entries(node as Record<string, Record<string, unknown>[]>)) {
    if (!field.startsWith('field_')) continue;
    for (const { target_id: id, target_type: type } of readMember(items, '', 'list') as typeof items) {
      if (type === undefined) continue;
      readMember(id, '', 'integer');
      const isTerm = type === 'taxonomy_term';
      const answer = await workbench.send(
        isTerm ? 'GET' : 'HEAD',
        isTerm ? `/taxonomy/term/${id}?_format=json` : `/node/${id}?_format=json`,
      );
      if (answer.status !== 200) throw new Error(`${field}: ${type} ${id} is ${answer.status}`);
      if (isTerm) readMember(answer.json(), 'name[0].value', 'text');
    }
  }
};

describe.each(USERS)('export_csv, run by $name', (profile) => {
  it.each(['HEAD', 'GET'])('reads a node, what it refers to, and its file with %s', async (method) => {
    const collection = await site.item(profile);
    const nid = await site.item(profile, {
      field_member_of: [{ target_id: collection }],
      field_subject: [{ target_id: await site.term('subject', crypto.randomUUID()) }],
      field_linked_agent: [{ target_id: await site.term('person', crypto.randomUUID()), rel_type: 'relators:aut' }],
      field_coordinates: [{ lat: '99.1', lng: '0' }],
    });
    const { fid } = await site.media(profile, nid, 'image', 'Ünder a tree.png');
    const row: Sequence = [
      startUp(),
      fieldDefinitions('node', 'islandora_object'),
      { send: 'HEAD /node/{nid}?_format=json', accepts: [200] },
      {
        send: 'GET /node/{nid}?_format=json',
        accepts: [200],
        reads: ROW_MEMBERS,
        check(json, { text }, facts) {
          const node = json as Record<string, unknown>;
          for (const field of (facts['fields of islandora_object'] as Map<string, unknown>).keys())
            readMember(node, field, 'list');
          if (!text.includes('"lat":99.1,') && !text.includes('"lat":"99.1",')) throw new Error('99.1 is not 99.1');
          facts.node = node;
        },
      },
      followReferences,
      {
        send: 'GET /node/{nid}/media?_format=json',
        accepts: [200],
        reads: {
          '[].mid[0].value': 'integer',
          '[].field_media_use[].target_id': 'integer',
          '[0].field_media_image[0].target_id': '= {fid}',
          '[0].field_media_image[0].url': 'absolute URL',
        },
        keeps: { url: '[0].field_media_image[0].url' },
      },
      termByUri(ORIGINAL_FILE, 'use'),
      // Without credentials: the default roles let anonymous callers read the files of published nodes.
      { send: `${method} {url}`, accepts: [200], isAnonymous: true },
    ];
    const workbench = site.run(profile);
    const { url } = await replay(workbench, row, { ...terms, nid, fid });
    expect(url).toStartWith(`${site.repository.url}/`);
    const file = await fetch(url as string, { method });
    expect(new Uint8Array(await file.arrayBuffer())).toEqual(
      new Uint8Array(method === 'GET' ? await bytesFor('Ünder a tree.png') : []),
    );
  });

  it('with the members of what it begins with, looks for those of each, page by page', async () => {
    const nid = await site.item(profile);
    const member = await site.item(profile, { field_member_of: [{ target_id: nid }], field_weight: [{ value: '2' }] });
    const membersOf = (of: string, page: number, reads: Step['reads'] = {}): Step => ({
      send: `GET /islandora_workbench_integration/members-of-node/{${of}}?_format=json&page=${page}`,
      accepts: [200],
      reads,
    });
    const row: Sequence = [
      startUp(),
      fieldDefinitions('node', 'islandora_object'),
      { send: 'HEAD /node/{nid}?_format=json', accepts: [200] },
      membersOf('nid', 0, { '[0].nid': '= {found}', '[0].field_weight_value': 'text' }),
      membersOf('member', 0, { '': 'list' }),
      { send: 'GET /node/{member}?_format=json', accepts: [200], reads: ROW_MEMBERS },
    ];
    await replay(site.run(profile), row, { nid, member, found: String(member) });
  });

  it('with --get_csv_template, and with --check of run_scripts, reads definitions and what is named', async () => {
    await replay(site.run(profile), [startUp(), fieldDefinitions('node', 'islandora_object')]);
    const nid = await site.item(profile);
    const { mid } = await site.media(profile, nid, 'image', 'scripted.png');
    const check: Sequence = [
      startUp(),
      { send: 'HEAD /node/{nid}?_format=json', accepts: [200] },
      { send: 'HEAD /media/{mid}{edit}?_format=json', accepts: [200] },
      { send: 'GET /taxonomy/term/{original}?_format=json', accepts: [200] },
    ];
    await replay(site.run(profile), check, { ...terms, nid, mid });
  });

  it('answers HEAD with the status of GET wherever it reads', async () => {
    const nid = await site.item(profile);
    const { mid, fid } = await site.media(profile, nid, 'image', 'both.png');
    const { url } = (await site.look(`/media/${mid}?_format=json`)).field_media_image[0];
    const run = site.run(profile);
    await replay(run, [startUp(), fieldDefinitions('media', 'image'), formDisplays('taxonomy_term', 'tags')]);
    const paths = new Set(run.log.map(({ path }) => path));
    for (const path of [`/node/${nid}`, `/media/${mid}`, `/media/${mid}/edit`, `/entity/file/${fid}`, '/user/2'])
      paths.add(`${path}?_format=json`).add(path);
    for (const path of ['/node/4711', '/media/4711', '/media/4711/edit', '/no/such/alias', '/user/4711', url, '/'])
      paths.add(path);
    for (const path of paths) {
      const [get, head] = [await run.send('GET', path), await run.send('HEAD', path)];
      expect({ path, status: head.status }).toEqual({ path, status: get.status });
      expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'));
    }
    const [media] = await site.look(`/node/${nid}/media?_format=json`);
    for (const [member, kind] of Object.entries(MEDIA_MEMBERS)) readMember(media, member, kind);
  });
});
