import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { fieldDefinitions, formDisplays } from '../../support/workbench/field-definitions.ts';
import { MEDIA_MEMBERS, newMedia, uploadOf } from '../../support/workbench/media.ts';
import { removeMedia } from '../../support/workbench/removal.ts';
import { type Facts, replay, type Sequence, type Step } from '../../support/workbench/sequence.ts';
import { bytesFor, createLoadingSite, defaultTerms, type LoadingSite, PROFILES } from '../../support/workbench/site.ts';
import { startUp } from '../../support/workbench/start-up.ts';
import { checkedTerm, termByName, termByUri } from '../../support/workbench/terms.ts';

const SERVICE_FILE = 'http://pcdm.org/use#ServiceFile';

let site: LoadingSite;
let terms: Facts;
beforeAll(async () => {
  site = await createLoadingSite();
  terms = await defaultTerms(site.repository);
});
afterAll(() => site.stop());

const HEAD_NODE: Step = { send: 'HEAD /node/{nid}?_format=json', accepts: [200] };

/** One media, as `update_media` and `delete_media` read it. */
function readMedia(field: string): Step {
  return {
    send: 'GET /media/{mid}{edit}?_format=json',
    accepts: [200],
    reads: {
      ...MEDIA_MEMBERS,
      'mid[0].value': '= {mid}',
      [`${field}[0].target_id`]: '= {fid}',
      [`${field}[0].url`]: 'absolute URL',
    },
  };
}

/** The media of a node, of which exactly one may be of the type and use that a row means. */
function onlyMedia(type: string, use: string): Step {
  return {
    send: 'GET /node/{nid}/media?_format=json',
    accepts: [200],
    reads: {
      '[].mid[0].value': 'integer',
      '[].bundle[0].target_id': 'text',
      '[].field_media_use[].target_id': 'integer',
    },
    check(json, _answer, facts) {
      const found = (json as Record<string, { value: number; target_id: unknown }[]>[]).filter(
        ({ bundle, field_media_use: uses }) =>
          bundle?.[0]?.target_id === type && uses?.some(({ target_id }) => target_id === facts[use]),
      );
      if (found.length !== 1) throw new Error(`${found.length} media are left, not one`);
      facts.mid = found[0]?.mid?.[0]?.value;
    },
  };
}

const READ_USE: Step = {
  ...checkedTerm('{original}', 'islandora_media_use'),
  reads: { 'name[0].value': 'text', 'field_external_uri[0].uri': 'text' },
};

function mediaType(type: string): Step {
  return {
    send: `GET /entity/media_type/${type}?_format=json`,
    accepts: [200],
    reads: { new_revision: 'boolean' },
  };
}

describe.each(PROFILES)('add_media, run by $name', (profile) => {
  it('adds a file, and another with several uses', async () => {
    const nid = await site.item(profile);
    const row: Sequence = [
      startUp(),
      HEAD_NODE,
      newMedia({ node: 'nid', type: 'document', file: 'report.pdf', bytes: await bytesFor('report.pdf') }),
      uploadOf({ type: 'file', file: 'raw.zip', bytes: await bytesFor('raw.zip') }),
      // fixity_algorithm
      {
        send: 'GET /islandora_workbench_integration/file_hash?file_uuid={uuid of fid}&algorithm=sha1',
        accepts: [200],
        reads: { '[0].checksum': `= ${new Bun.SHA1().update(await bytesFor('raw.zip')).digest('hex')}` },
      },
      termByUri(SERVICE_FILE, 'use'),
      { send: 'GET /entity/media_type/file?_format=json', accepts: [200] },
      {
        send: 'POST /entity/media{format}',
        json: {
          bundle: [{ target_id: 'file', target_type: 'media_type' }],
          name: [{ value: 'raw.zip' }],
          field_media_file: [{ target_id: '#{fid}', target_type: 'file' }],
          field_media_of: [{ target_id: '#{nid}', target_type: 'node' }],
          field_media_use: [{ target_id: '{use}', target_type: 'taxonomy_term' }],
        },
        accepts: [201],
        reads: { 'mid[0].value': 'integer' },
        keeps: { mid: 'mid[0].value' },
      },
      {
        send: 'PATCH /media/{mid}{edit}?_format=json',
        json: {
          bundle: [{ target_id: 'file' }],
          field_media_use: [
            { target_id: '{use}', target_type: 'taxonomy_term' },
            { target_id: '{original}', target_type: 'taxonomy_term' },
          ],
        },
        accepts: [200],
      },
    ];
    const format = profile.standaloneMediaUrl ? '?_format=json' : '';
    const { mid } = await replay(site.run(profile), row, { ...terms, nid, format });
    const media = await site.look(`/media/${mid}?_format=json`);
    expect(media.field_media_use).toMatchObject([{ target_id: terms.service }, { target_id: terms.original }]);
    expect(media.field_file_size).toEqual([{ value: (await bytesFor('raw.zip')).length }]);
    expect(await site.look(`/node/${nid}/media?_format=json`)).toHaveLength(2);
  });

  it('adds a recording with its subtitles, and removes all of its files', async () => {
    const nid = await site.item(profile);
    const row: Sequence = [
      startUp(),
      HEAD_NODE,
      uploadOf({ type: 'file', file: 'tracks/en.vtt', bytes: await bytesFor('en.vtt'), fid: 'track' }),
      {
        send: 'GET /entity/file/{track}?_format=json',
        accepts: [200],
        reads: { 'uri[0].url': 'site path', 'fid[0].value': '= {track}' },
        keeps: { 'track url': 'uri[0].url' },
      },
      newMedia({
        node: 'nid',
        type: 'audio',
        file: 'talk.mp3',
        bytes: await bytesFor('talk.mp3'),
        fields: {
          field_track: [
            {
              target_id: '#{track}',
              kind: 'subtitles',
              label: 'English',
              srclang: 'en',
              default: true,
              url: '{track url}',
            },
          ],
        },
      }),
    ];
    const known = await replay(site.run(profile), row, { ...terms, nid });
    const [media] = await site.look(`/node/${nid}/media?_format=json`);
    const track = { target_id: known.track, kind: 'subtitles', label: 'English', srclang: 'en', default: true };
    expect(media.field_track).toMatchObject([track]);
    await replay(site.run(profile), [startUp(), removeMedia('mid')], { mid: media.mid[0].value });
    for (const fid of [known.fid, known.track])
      expect((await site.repository.get(`/entity/file/${fid}?_format=json`, 'admin')).status).toBe(404);
  });

  it('adds a remote video by its address', async () => {
    const nid = await site.item(profile);
    const address = 'https://www.youtube.com/watch?v=1';
    const row: Sequence = [
      startUp(),
      HEAD_NODE,
      termByUri(SERVICE_FILE, 'use'),
      { send: 'GET /entity/media_type/remote_video?_format=json', accepts: [200] },
      {
        send: 'POST /entity/media{format}',
        json: {
          bundle: [{ target_id: 'remote_video', target_type: 'media_type' }],
          name: [{ value: address }],
          field_media_oembed_video: [{ value: address }],
          field_media_of: [{ target_id: '#{nid}', target_type: 'node' }],
          field_media_use: [{ target_id: '#{use}', target_type: 'taxonomy_term' }],
        },
        accepts: [201],
      },
    ];
    const format = profile.standaloneMediaUrl ? '?_format=json' : '';
    await replay(site.run(profile), row, { ...terms, nid, format });
    const [media] = await site.look(`/node/${nid}/media?_format=json`);
    expect(media).toMatchObject({ bundle: [{ target_id: 'remote_video' }], name: [{ value: address }] });
  });

  it('with --check reads the media type and what it may hold', async () => {
    const check: Sequence = [
      startUp(),
      formDisplays('node', 'islandora_object'),
      fieldDefinitions('media', 'document'),
      termByUri(SERVICE_FILE, 'use'),
      termByName('islandora_media_use', 'Transcript', 'transcript'),
      READ_USE,
      { send: 'GET /entity/media_type/document?_format=json', accepts: [200] },
    ];
    await replay(site.run(profile), check, terms);
  });
});

describe.each(PROFILES)('update_media, run by $name', (profile) => {
  it.each([
    ['image', 'field_media_image', 'old.png', 'new/new.png'],
    ['document', 'field_media_document', 'old.pdf', 'new.docx'],
  ])('gives a media of type %s a new file: the old one goes first', async (type, field, old, file) => {
    const nid = await site.item(profile);
    const { mid, fid } = await site.media(profile, nid, type, old);
    const row: Sequence = [
      startUp(),
      { send: 'HEAD /media/{mid}{edit}?_format=json', accepts: [200] },
      readMedia(field),
      fieldDefinitions('media', type),
      uploadOf({ type, file, bytes: await bytesFor(file), fid: 'new fid' }),
      { send: 'DELETE /entity/file/{fid}?_format=json', accepts: [204] },
      mediaType(type),
      {
        send: 'PATCH /media/{mid}{edit}?_format=json',
        json: {
          bundle: [{ target_id: type }],
          [field]: [{ target_id: '#{new fid}', target_type: 'file' }],
          name: [{ value: 'Renamed' }],
          field_original_name: [{ value: file }],
          field_media_use: [{ target_id: '{service}', target_type: 'taxonomy_term' }],
          revision_log_message: [{ value: 'A new file' }],
        },
        accepts: [200],
      },
    ];
    const known = await replay(site.run(profile), row, { ...terms, nid, mid, fid });
    const media = await site.look(`/media/${mid}?_format=json`);
    expect(media).toMatchObject({
      [field]: [{ target_id: known['new fid'] }],
      field_file_size: [{ value: (await bytesFor(file)).length }],
      field_media_of: [{ target_id: nid }],
      field_media_use: [{ target_id: terms.service }],
      revision_log_message: [{ value: 'A new file' }],
    });
  });

  it('finds the media by its node, and deletes it by its node', async () => {
    const nid = await site.item(profile);
    const { fid } = await site.media(profile, nid, 'image', 'by-node.png');
    await site.media(profile, nid, 'file', 'other.zip');
    const update: Sequence = [
      startUp(),
      READ_USE,
      onlyMedia('image', 'original'),
      { send: 'HEAD /media/{mid}{edit}?_format=json', accepts: [200] },
      readMedia('field_media_image'),
      fieldDefinitions('media', 'image'),
      mediaType('image'),
      {
        send: 'PATCH /media/{mid}{edit}?_format=json',
        json: { bundle: [{ target_id: 'image' }], field_original_name: [{ value: 'kept file' }] },
        accepts: [200],
      },
    ];
    const { mid } = await replay(site.run(profile), update, { ...terms, nid, fid });
    expect((await site.look(`/media/${mid}?_format=json`)).field_original_name).toEqual([{ value: 'kept file' }]);
    const remove: Sequence = [
      startUp(),
      { send: 'GET /node/{nid}?_format=json', accepts: [200] },
      onlyMedia('image', 'original'),
      removeMedia('mid'),
    ];
    await replay(site.run(profile), remove, { ...terms, nid });
    expect(await site.look(`/node/${nid}/media?_format=json`)).toHaveLength(1);
  });

  it('with --check sees that the media is there', async () => {
    const nid = await site.item(profile);
    const { mid } = await site.media(profile, nid, 'image', 'checked.png');
    const check: Sequence = [
      startUp(),
      formDisplays('node', 'islandora_object'),
      fieldDefinitions('media', 'image'),
      { send: 'HEAD /media/{mid}{edit}?_format=json', accepts: [200] },
      { send: 'HEAD /media/471100{edit}?_format=json', accepts: [404] },
      mediaType('image'),
    ];
    await replay(site.run(profile), check, { mid });
  });
});

describe.each(PROFILES)('delete_media, run by $name', (profile) => {
  it.each([
    ['image', 'a.png'],
    ['extracted_text', 'a.txt'],
    ['video', 'a.mp4'],
    ['fits_technical_metadata', 'a.xml'],
  ])('removes a media of type %s and its file', async (type, file) => {
    const nid = await site.item(profile);
    const { mid, fid } = await site.media(profile, nid, type, file);
    await replay(site.run(profile), [startUp(), removeMedia('mid')], { mid });
    for (const path of [`/media/${mid}`, `/entity/file/${fid}`])
      expect((await site.repository.get(`${path}?_format=json`, 'admin')).status).toBe(404);
  });

  it('with --check asks for the content type alone', async () => {
    await replay(site.run(profile), [startUp(), formDisplays('node', 'islandora_object')]);
  });

  it('reports a deleted media in JSON without a hint about standalone addresses; --quick_delete_media', async () => {
    const nid = await site.item(profile);
    const { mid } = await site.media(profile, nid, 'image', 'quick.png');
    const quick: Sequence = [
      startUp(),
      {
        send: 'GET {host}/media/{mid}/edit?_format=json',
        accepts: [200],
        reads: { 'mid[0].value': '= {mid}' },
      },
      removeMedia('mid'),
      startUp(),
      {
        send: 'GET /media/471100{edit}?_format=json',
        accepts: [404],
        reads: { message: 'text' },
        check(json) {
          if ((json as { message: string }).message.startsWith('No route found for')) throw new Error('it stops');
        },
      },
    ];
    await replay(site.run(profile), quick, { mid });
  });
});

describe.each(PROFILES)('add_alt_text and update_alt_text, run by $name', (profile) => {
  it('changes the text of each image of a node, and nothing else of it', async () => {
    const nid = await site.item(profile);
    const { mid, fid } = await site.media(profile, nid, 'image', 'seen.png');
    const row: Sequence = [
      startUp(),
      { send: 'GET /node/{nid}?_format=json', accepts: [200] },
      {
        send: 'GET /node/{nid}/media?_format=json',
        accepts: [200],
        reads: {
          '[0].bundle[0].target_id': '= image',
          '[0].mid[0].value': '= {mid}',
          '[0].field_media_image[0].alt': 'text',
        },
      },
      readMedia('field_media_image'),
      {
        send: 'PATCH /media/{mid}{edit}?_format=json',
        json: { bundle: [{ target_id: 'image' }], field_media_image: [{ target_id: '#{fid}', alt: 'A red square' }] },
        accepts: [200],
      },
    ];
    await replay(site.run(profile), row, { nid, mid, fid });
    const media = await site.look(`/media/${mid}?_format=json`);
    expect(media.field_media_image).toMatchObject([{ target_id: fid, alt: 'A red square' }]);
    expect(media.field_media_of).toMatchObject([{ target_id: nid }]);
    const check: Sequence = [
      startUp(),
      formDisplays('node', 'islandora_object'),
      { send: 'HEAD /node/{nid}', accepts: [200] },
    ];
    await replay(site.run(profile), check, { nid });
  });
});
