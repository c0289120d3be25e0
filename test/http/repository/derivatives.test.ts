import { afterAll, afterEach, beforeAll, describe, expect, it } from 'bun:test';
import { createMedia, fileOf, pngHead, putToNode, readJson } from '../../support/binaries.ts';
import {
  contentOf,
  type DerivativeSite,
  jobsOf,
  mediaByUse,
  settled,
  startDerivativeSite,
} from '../../support/derivative-site.ts';
import { USE } from '../../support/site-builder.ts';
import { describedSource, type StubCall, type StubProcessor } from '../../support/stub-processor.ts';
import type { EntityJson, TestRepository } from '../../support/test-repository.ts';
import { until } from '../../support/until.ts';

const FITS = 'https://projects.iq.harvard.edu/fits';
const DONE = ['done', 'done', 'done'];

let site: DerivativeSite;
let repository: TestRepository;
let stub: StubProcessor;
beforeAll(async () => {
  site = await startDerivativeSite();
  ({ repository, stub } = site);
  await repository.user('mara', 'administrator');
});
afterEach(() => {
  expect(stub.problems).toEqual([]);
  expect(stub.overlaps).toEqual([]);
  expect(repository.failures()).toEqual([]);
  stub.answer = describedSource;
  stub.calls.length = 0;
});
afterAll(() => site.stop());

/** A header's value with these bytes of UTF-8. */
const latin1 = (text: string) => Buffer.from(text).toString('latin1');

describe('an image that is put on a node', () => {
  let node: EntityJson;
  let original: EntityJson;
  let derivatives: Map<string, EntityJson>;
  let calls: StubCall[];
  beforeAll(async () => {
    node = await repository.node({ status: [false] }, 'mara');
    original = await createMedia(repository, {
      node,
      uri: 'fedora://scans/my photo.png',
      body: pngHead(30, 40, 'source'),
      as: 'mara',
    });
    expect((await settled(repository, node)).map(({ state }) => state)).toEqual(DONE);
    derivatives = await mediaByUse(repository, node);
    calls = [...stub.calls];
  });

  async function callFor(use: string): Promise<StubCall> {
    const term = await repository.termId(use);
    return calls.find(({ destination }) => destination.endsWith(`/${term}`)) as StubCall;
  }

  it('gets a service file, a thumbnail and technical metadata, and nothing else', () => {
    expect([...derivatives.keys()].sort()).toEqual([USE.original, USE.service, USE.thumbnail, FITS].sort());
    const types = [USE.service, USE.thumbnail, FITS].map((use) => derivatives.get(use)?.bundle[0].target_id);
    expect(types).toEqual(['image', 'image', 'fits_technical_metadata']);
  });

  it.each([
    [USE.service, 'field_media_image', 'image/jpeg', 'my photo-Service File.jpg', 'image/jpeg -resize 2400x2400'],
    [USE.thumbnail, 'field_media_image', 'image/jpeg', 'my photo-Thumbnail Image.jpg', 'image/jpeg -thumbnail 220x220'],
    [FITS, 'field_media_file', 'application/xml', 'my photo-FITS File.xml', 'application/xml -'],
  ])('gets %s with its type, name, owner and bytes', async (use, field, type, name, asked) => {
    const media = derivatives.get(use) as EntityJson;
    const file = await fileOf(repository, media, field);
    const now = new Date().toISOString();
    expect(file.uri[0].value).toBe(`public://${now.slice(0, 7)}/${name}`);
    expect(file.filename).toEqual([{ value: name }]);
    expect(file.filemime).toEqual([{ value: type }]);
    expect(file.status).toEqual([{ value: true }]);
    const bytes = Buffer.concat([Buffer.from(`${asked}\n`), pngHead(30, 40, 'source')]);
    const { pathname } = new URL(media[field][0].url);
    const stored = await repository.get(pathname, 'mara');
    expect(Buffer.from(await stored.arrayBuffer())).toEqual(bytes);
    // In `public`, and yet as hidden as the node.
    expect((await repository.get(pathname)).status).toBe(401);
    expect(file.filesize).toEqual([{ value: bytes.byteLength }]);
    expect(media.uid[0].target_id).toBe(original.uid[0].target_id);
    expect(file.uid[0].target_id).toBe(original.uid[0].target_id);
    expect(media.field_media_of[0].target_id).toBe(node.nid[0].value);
  });

  it('sends an event with its members in the order of the specification', async () => {
    const user = await readJson(repository, `/user/${original.uid[0].target_id}`);
    const { event } = await callFor(USE.thumbnail);
    const { url } = repository;
    const nid = node.nid[0].value;
    const link = (name: string, href: string, mediaType: string, rel = 'canonical') => ({
      ...{ name, type: 'Link', href: `${url}${href}`, mediaType, rel },
    });
    const expected = {
      '@context': 'https://www.w3.org/ns/activitystreams',
      actor: {
        type: 'Person',
        id: `urn:uuid:${user.uuid[0].value}`,
        url: [link('Canonical', `/user/${user.uid[0].value}`, 'text/html')],
      },
      object: {
        id: `urn:uuid:${node.uuid[0].value}`,
        url: [
          link('Canonical', `/node/${nid}`, 'text/html'),
          link('JSON', `/node/${nid}?_format=json`, 'application/json', 'alternate'),
          link('JSONLD', `/node/${nid}?_format=jsonld`, 'application/ld+json', 'alternate'),
        ],
      },
      type: 'Activity',
      summary: 'Generate Derivative',
      attachment: {
        type: 'Object',
        content: {
          source_uri: `${url}/_flysystem/fedora/scans/my%20photo.png`,
          destination_uri: `${url}/node/${nid}/media/image/${await repository.termId(USE.thumbnail)}`,
          file_upload_uri: `public://${new Date().toISOString().slice(0, 7)}/my photo-Thumbnail Image.jpg`,
          args: '-thumbnail 220x220',
          mimetype: 'image/jpeg',
          source_field: 'field_media_image',
        },
        mediaType: 'application/json',
      },
      id: event.id,
    };
    // As text: the order of members counts.
    expect(JSON.stringify(event, null, 1)).toBe(JSON.stringify(expected, null, 1));
  });

  it('is fetched by the processor with a token of its user', async () => {
    const { source, token, found } = await callFor(USE.service);
    expect(found).toMatchObject({ status: 200, type: 'image/png', bytes: pngHead(30, 40, 'source') });
    expect((await fetch(source)).status).toBe(401);
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    expect(claims).toMatchObject({ iss: repository.url, sub: 'mara', webid: String(original.uid[0].target_id) });
    expect(claims.exp - claims.iat).toBeLessThanOrEqual(15 * 60);
  });

  it('omits an empty list of arguments', async () => {
    const { headers, event } = await callFor(FITS);
    expect(headers.has('x-repo-args')).toBe(false);
    expect('args' in event.attachment.content).toBe(false);
  });

  it('gives every event a distinct id, which the log contains', async () => {
    const ids = calls.map(({ event }) => event.id as string);
    const jobs = await jobsOf(repository, node);
    expect(ids.sort()).toEqual(jobs.map(({ event_id }) => `urn:uuid:${event_id}`).sort());
    const logged = () => repository.log.filter(({ msgId }) => ids.includes(String(msgId)));
    const lines = await until(() => logged().length >= ids.length && logged(), { what: 'all are logged' });
    expect(lines.map(({ msgId }) => String(msgId)).sort()).toEqual(ids);
    for (const line of lines)
      expect(line).toMatchObject({
        level: 'info',
        node: node.nid[0].value,
        media: original.mid[0].value,
        attempt: 1,
        processor: stub.url,
      });
  });
});

describe('existing derivatives', () => {
  it('are replaced in place', async () => {
    const node = await repository.node();
    await createMedia(repository, { node, uri: 'public://place/a.png', body: pngHead(1, 1, 'first') });
    await settled(repository, node);
    const before = await mediaByUse(repository, node);
    expect((await putToNode(repository, { node, uri: undefined, body: pngHead(1, 1, 'second') })).status).toBe(204);
    await settled(repository, node);
    const after = await mediaByUse(repository, node);
    // Image media keep what was there before as a revision.
    for (const [use, field, revisions] of [
      [USE.service, 'field_media_image', 2],
      [USE.thumbnail, 'field_media_image', 2],
      [FITS, 'field_media_file', 1],
    ] as const) {
      const [old, media] = [before.get(use) as EntityJson, after.get(use) as EntityJson];
      expect(media.mid).toEqual(old.mid);
      expect(media[field][0].target_id).toBe(old[field][0].target_id);
      expect(media[field][0].url).toBe(old[field][0].url);
      expect(await contentOf(repository, media, field)).toEndWith('second');
      const list = await repository.get(`/media/${media.mid[0].value}/revisions?_format=json`, 'admin');
      expect((await list.json()) as EntityJson[]).toHaveLength(revisions);
    }
    expect(after.size).toBe(4);
  });

  it('keep the encoded names that an earlier version gave them', async () => {
    const node = await repository.node();
    const uri = 'public://old/K%C3%A4the%20M%C3%BCller-Service File.jpg';
    await createMedia(repository, { node, use: USE.service, uri, body: 'old' });
    await createMedia(repository, { node, uri: latin1('public://Käthe Müller.png'), body: pngHead(1, 1, 'new') });
    await settled(repository, node);
    const media = await mediaByUse(repository, node);
    const kept = media.get(USE.service) as EntityJson;
    expect(await contentOf(repository, kept)).toEndWith('new');
    expect((await fileOf(repository, kept)).uri).toMatchObject([{ value: uri }]);
    const thumbnail = media.get(USE.thumbnail) as EntityJson;
    expect(thumbnail.name).toEqual([{ value: 'Käthe Müller-Thumbnail Image.jpg' }]);
    expect(await contentOf(repository, thumbnail)).toEndWith('new');
  });

  it('are replaced if they were created by hand', async () => {
    const node = await repository.node();
    const own = await createMedia(repository, { node, use: USE.thumbnail, uri: 'public://own/t.png', body: 'mine' });
    await createMedia(repository, { node, uri: 'public://own/a.png', body: pngHead(1, 1, 'new') });
    await settled(repository, node);
    const thumbnail = (await mediaByUse(repository, node)).get(USE.thumbnail) as EntityJson;
    expect(thumbnail.mid).toEqual(own.mid);
    expect(await contentOf(repository, thumbnail)).toEndWith('new');
    const file = await fileOf(repository, thumbnail);
    expect(file.uri[0].value).toBe('public://own/t.png');
    expect(file.filemime[0].value).toBe('image/jpeg');
  });
});

describe('a node with two originals', () => {
  it('gets derivatives of the first only', async () => {
    const node = await repository.node();
    await createMedia(repository, { node, uri: 'public://two/first.png', body: pngHead(1, 1, 'first') });
    await settled(repository, node);
    stub.calls.length = 0;
    const second = await createMedia(repository, {
      node,
      type: 'file',
      uri: 'public://two/second.tif',
      contentType: 'image/tiff',
      body: 'second',
    });
    expect(second.field_media_use[0].target_id).toBe(await repository.termId(USE.original));
    expect(await jobsOf(repository, node)).toHaveLength(3);
    expect((await putToNode(repository, { node, type: 'file', uri: undefined, body: 'other' })).status).toBe(204);
    expect(await jobsOf(repository, node)).toHaveLength(3);
    expect(stub.calls).toEqual([]);
    const service = (await mediaByUse(repository, node)).get(USE.service) as EntityJson;
    expect(await contentOf(repository, service)).toEndWith('first');
  });
});
