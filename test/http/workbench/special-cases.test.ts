import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { basic, type EntityJson } from '../../support/test-repository.ts';
import { FILE_FIELDS, newMedia, uploadOf } from '../../support/workbench/media.ts';
import { removeMedia } from '../../support/workbench/removal.ts';
import { type Facts, replay, type Sequence, type Step } from '../../support/workbench/sequence.ts';
import {
  bytesFor,
  createLoadingSite,
  defaultTerms,
  type LoadingSite,
  PROFILES,
  type Profile,
} from '../../support/workbench/site.ts';
import { startUp } from '../../support/workbench/start-up.ts';
import { termBody } from '../../support/workbench/terms.ts';
import { Workbench } from '../../support/workbench/workbench.ts';

const LOADER = PROFILES[1] as Profile;

let site: LoadingSite;
let terms: Facts;
beforeAll(async () => {
  site = await createLoadingSite();
  terms = await defaultTerms(site.repository);
  await site.repository.user('reader');
});
afterAll(() => site.stop());

describe('an upload', () => {
  it.each([
    ['a folder', 'bk1/p-002.png', undefined, 'p-002.png'],
    ['an absolute path', '/home/me/scans/p 1.png', undefined, 'p 1.png'],
    ['a name that is not ASCII', 'süd/Łódź 1.png', 'sud/Lodz 1.png', 'Łódź 1.png'],
    ['a plus and a percent sign', 'a+b 100%.png', undefined, 'a+b 100%.png'],
  ])('with %s keeps the last part of its name', async (_, file, transliterated, filename) => {
    const bytes = await bytesFor('a.png');
    const upload = uploadOf({ type: 'image', file, bytes, ...(transliterated && { transliterated }) });
    const { fid } = await replay(site.run(LOADER), [upload]);
    // A file that nothing refers to is its owner's alone.
    const response = await site.repository.get(`/entity/file/${fid}?_format=json`, 'loader');
    const made = (await response.json()) as EntityJson;
    expect(made.filename[0].value).toBe(filename);
    expect(made.uri[0].value).toEndWith(`/${filename}`);
  });

  it('of no bytes, in chunks, creates an empty file and a media', async () => {
    const nid = await site.item(LOADER);
    const row: Sequence = [
      newMedia({ node: 'nid', type: 'document', file: 'empty.pdf', bytes: new Uint8Array() }),
      newMedia({
        node: 'nid',
        type: 'extracted_text',
        file: 'empty.txt',
        bytes: new Uint8Array(),
        fields: { field_edited_text: [{ value: '' }] },
      }),
    ];
    await replay(site.run(LOADER), row, { nid });
    const [document, text] = await site.look(`/node/${nid}/media?_format=json`);
    expect(document.field_file_size).toEqual([{ value: 0 }]);
    expect(text).not.toHaveProperty('field_file_size');
    const [{ url }] = text.field_media_file;
    expect(await (await fetch(url, { headers: { Authorization: basic('loader') } })).text()).toBe('');
  });

  it('of a type that the field does not take returns 422', async () => {
    const refused: Step = {
      ...uploadOf({ type: 'image', file: 'a.exe', bytes: await bytesFor('a.exe') }),
      accepts: [422],
      reads: { message: 'text' },
      keeps: {},
    };
    await replay(site.run(LOADER), [refused]);
  });
});

describe('a media that has lost its file', () => {
  it.each(Object.keys(FILE_FIELDS))('can be read, changed and deleted: %s', async (type) => {
    const nid = await site.item(LOADER);
    const names = { image: 'a.png', audio: 'a.mp3', video: 'a.mp4', document: 'a.pdf', extracted_text: 'a.txt' };
    const name = { fits_technical_metadata: 'a.xml', file: 'a.zip', ...names }[type] as string;
    const { mid, fid } = await site.media(LOADER, nid, type, name);
    const row: Sequence = [
      { send: 'DELETE /entity/file/{fid}?_format=json', accepts: [204] },
      { send: 'HEAD /media/{mid}{edit}?_format=json', accepts: [200] },
      {
        send: 'GET /media/{mid}{edit}?_format=json',
        accepts: [200],
        reads: { 'mid[0].value': 'integer', 'bundle[0].target_id': `= ${type}`, [FILE_FIELDS[type] ?? '']: 'list' },
      },
      {
        send: 'PATCH /media/{mid}{edit}?_format=json',
        json: { bundle: [{ target_id: type }], name: [{ value: 'Without a file' }] },
        accepts: [200],
      },
      { send: 'DELETE /media/{mid}{edit}?_format=json', accepts: [204] },
    ];
    await replay(site.run(LOADER), row, { mid, fid });
  });
});

describe('a response sent back unchanged', () => {
  it('is accepted, and changes nothing', async () => {
    const nid = await site.item(LOADER, {
      field_note: [{ value: '<p>Note</p>', format: 'basic_html' }],
      field_subject: [{ target_id: await site.term('subject', 'Echo') }],
      field_linked_agent: [{ target_id: await site.term('person', 'Echo'), rel_type: 'relators:aut' }],
      field_coordinates: [{ lat: '99.1', lng: '-123.2' }],
      field_weight: [{ value: '7' }],
    });
    const { mid, fid } = await site.media(LOADER, nid, 'image', 'echo.png');
    for (const path of [`/node/${nid}`, `/media/${mid}`]) {
      const before = await site.look(`${path}?_format=json`);
      const fields = Object.entries(before).filter(([name]) => name.startsWith('field_'));
      const { type, bundle } = before;
      const json = { ...Object.fromEntries(fields), ...(type ? { type } : { bundle }) };
      await replay(site.run(LOADER), [{ send: `PATCH ${path}?_format=json`, json, accepts: [200] }]);
      expect(await site.look(`${path}?_format=json`)).toEqual(before);
    }
    await replay(site.run(LOADER), [removeMedia('mid')], { mid, fid });
  });

  it('has every field of its bundle, no other, and no empty system property', async () => {
    const nid = await site.item(LOADER);
    const { mid } = await site.media(LOADER, nid, 'extracted_text', 'a.txt');
    const { nodeTypes, mediaTypes } = site.repository.running.services.model;
    for (const [path, bundle] of [
      [`/node/${nid}`, nodeTypes.get('islandora_object')],
      [`/media/${mid}`, mediaTypes.get('extracted_text')],
    ] as const) {
      const served = await site.look(`${path}?_format=json`);
      const names = Object.keys(served).filter((name) => name.startsWith('field_'));
      expect(names.toSorted()).toEqual(bundle?.fields.map(({ name }) => name).toSorted() ?? []);
      for (const name of ['path', 'created', 'changed', 'uid', 'uuid', 'langcode', 'status'])
        expect({ name, items: served[name]?.length }).toEqual({ name, items: 1 });
    }
  });
});

describe('an image media', () => {
  it('can be changed without an alternative text, with `status` as a bare object', async () => {
    const nid = await site.item(LOADER);
    const { mid, fid } = await site.media(LOADER, nid, 'image', 'bare.png');
    const row: Step = {
      send: 'PATCH /media/{mid}{edit}?_format=json',
      json: {
        bundle: [{ target_id: 'image' }],
        field_media_image: [{ target_id: '#{fid}', target_type: 'file' }],
        status: { value: '0' },
      },
      accepts: [200],
    };
    await replay(site.run(LOADER), [row], { mid, fid });
    const media = await site.look(`/media/${mid}?_format=json`);
    expect(media).toMatchObject({ status: [{ value: false }], field_media_image: [{ target_id: fid }] });
    expect(media.field_media_image[0].alt).toBeString();
  });
});

describe('a user who may not sign in', () => {
  it.each([
    ['a wrong password', 'loader', 'wrong', '401'],
    ['an unknown user', 'nobody', 'nobody', '401'],
    ['a user without the permission', 'reader', 'reader', '403'],
  ])('gets this status for the first request: %s', async (_, username, password, status) => {
    const workbench = new Workbench({ host: site.repository.url, username, password });
    await expect(replay(workbench, [startUp()])).rejects.toThrow(`it stops: ${status}`);
    expect(workbench.log).toHaveLength(1);
  });
});

describe('credentials in non-ASCII characters', () => {
  it('are accepted', async () => {
    await site.repository.user('jürgen', 'workbench_user');
    const options = { host: site.repository.url, username: 'jürgen', password: 'jürgen' };
    await replay(new Workbench(options), [startUp()]);
  });
});

const NODE = {
  type: [{ target_id: 'islandora_object' }],
  title: [{ value: 'x' }],
  field_model: [{ target_id: '{page}' }],
};
const MEDIA = { bundle: [{ target_id: 'file', target_type: 'media_type' }], name: [{ value: 'x' }] };
const LONG = 'x'.repeat(300);

/** Rows that no `--check` was run for. */
const BAD: readonly [what: string, send: string, json: object | undefined][] = [
  ['a date that is none', 'POST /node', { ...NODE, field_edtf_date: [{ value: 'yesterday' }] }],
  ['a missing term', 'POST /node', { ...NODE, field_subject: [{ target_id: '471100' }] }],
  ['a term of another vocabulary', 'POST /node', { ...NODE, field_subject: [{ target_id: '#{original}' }] }],
  ['a number that is none', 'POST /node', { ...NODE, field_weight: [{ value: 'heavy' }] }],
  ['a name for a number', 'POST /node', { ...NODE, field_member_of: [{ target_id: 'Collection A' }] }],
  ['an unknown relator', 'POST /node', { ...NODE, field_linked_agent: [{ target_id: 1, rel_type: 'x:y' }] }],
  ['too long a title', 'POST /node', { ...NODE, title: [{ value: LONG }] }],
  ['no title', 'POST /node', { ...NODE, title: [] }],
  ['an unknown field', 'POST /node', { ...NODE, field_shelf: [{ value: 'x' }] }],
  ['an unknown content type', 'POST /node', { ...NODE, type: [{ target_id: 'nothing' }] }],
  ['coordinates that are none', 'POST /node', { ...NODE, field_coordinates: [{ lat: 'north', lng: '1' }] }],
  ['a missing file', 'POST /entity/media', { ...MEDIA, field_media_file: [{ target_id: 471100 }] }],
  ['no file', 'POST /entity/media', { ...MEDIA, field_media_file: [{ target_id: '' }] }],
  ['an unknown media type', 'POST /entity/media', { bundle: [{ target_id: 'scroll' }] }],
  ['an unknown vocabulary', 'POST /taxonomy/term', termBody('nothing', 'x')],
  ['a missing parent', 'POST /taxonomy/term', termBody('subject', 'x', { parent: [{ target_id: '471100' }] })],
  ['an alias without a slash', 'POST /entity/path_alias', { path: [{ value: '/node/1' }], alias: [{ value: 'x' }] }],
  ['an alias of nothing', 'POST /entity/path_alias', { path: [{ value: '/node/471100' }], alias: [{ value: '/x' }] }],
  ['a redirect to nowhere', 'POST /entity/redirect', { redirect_source: [{ path: 'x' }], redirect_redirect: [] }],
  ['a missing node', 'PATCH /node/471100', NODE],
  ['a missing media', 'DELETE /media/471100/edit', undefined],
  ['a missing file', 'DELETE /entity/file/471100', undefined],
  ['a field of a bundle that lacks it', 'GET /entity/field_config/media.image.field_track', undefined],
  ['an unknown bundle', 'GET /entity/entity_form_display/node.nothing.default', undefined],
  ['a name that is no number', 'GET /taxonomy/term/Canals', undefined],
];

describe('an invalid row', () => {
  it.each(BAD)('is rejected once, with a message: %s', async (_, send, json) => {
    const step: Step = {
      send: `${send}?_format=json`,
      accepts: [400, 403, 404, 422],
      reads: { message: 'text' },
      ...(json && { json }),
    };
    await replay(site.run(LOADER), [step], terms);
  });
});
