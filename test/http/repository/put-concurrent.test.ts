import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { connect } from 'node:net';
import {
  createMedia,
  fileOf,
  pngHead,
  putToNode,
  rawHead,
  readJson,
  storedFiles,
  uploadFile,
} from '../../support/binaries.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

/** Someone who attaches files to the nodes of others. */
const MODEL = `roles:
  attacher:
    label: Attacher
    permissions: [edit any islandora_object content, create media]
`;

let repository: TestRepository;
beforeAll(async () => {
  repository = await createTestRepository({}, { model: MODEL });
});
afterAll(async () => {
  await repository.stop();
});

const mediaOf = async (node: EntityJson) =>
  (await (await repository.get(`/node/${node.nid[0].value}/media?_format=json`, 'admin')).json()) as EntityJson[];
const statuses = (responses: Response[]) => responses.map(({ status }) => status).sort();
const sha256 = (bytes: Uint8Array) => new Bun.CryptoHasher('sha256').update(bytes).digest('base64');

describe('simultaneous PUTs to the same node and use', () => {
  it('create one media, file and object with the bytes of one PUT', async () => {
    const node = await repository.node();
    const before = (await storedFiles(repository)).length;
    const bodies = Array.from({ length: 20 }, (_, index) =>
      pngHead(index + 1, index + 1, String(index).repeat(50_000)),
    );
    const responses = await Promise.all(
      bodies.map((body) => putToNode(repository, { node, uri: 'public://race.png', body })),
    );
    expect(statuses(responses)).toEqual([201, ...Array(19).fill(204)]);
    const all = await mediaOf(node);
    expect(all).toHaveLength(1);
    const [media] = all as [EntityJson];
    const file = await fileOf(repository, media);
    expect(file.uri[0].value).toBe('public://race.png');
    const bytes = new Uint8Array(await (await repository.get(file.uri[0].url)).arrayBuffer());
    const winner = bodies.find((body) => body.equals(bytes));
    expect(winner).toBeDefined();
    expect(media).toMatchObject({
      field_file_size: [{ value: bytes.byteLength }],
      field_width: [{ value: winner?.readUInt32BE(16) }],
      field_media_image: [{ width: winner?.readUInt32BE(16) }],
      thumbnail: [{ width: winner?.readUInt32BE(16) }],
    });
    expect((await storedFiles(repository)).length).toBe(before + 1);
    expect(repository.failures()).toEqual([]);
  });

  it('into different schemes create one media and ask the others to retry', async () => {
    const node = await repository.node();
    const before = (await storedFiles(repository)).length;
    const put = (index: number) =>
      putToNode(repository, {
        node,
        uri: `${index % 2 ? 'private' : 'public'}://schemes.png`,
        body: pngHead(index + 1, 1),
      });
    const responses = await Promise.all(Array.from({ length: 10 }, (_, index) => put(index)));
    expect(statuses(responses).filter((status) => status === 201)).toHaveLength(1);
    for (const response of responses) {
      expect([201, 204, 409]).toContain(response.status);
      if (response.status === 409) expect(response.headers.get('retry-after')).toBe('1');
    }
    expect(await mediaOf(node)).toHaveLength(1);
    expect((await storedFiles(repository)).length).toBe(before + 1);
  });

  it('of one source all return 204', async () => {
    const media = await createMedia(repository, {
      node: await repository.node(),
      uri: 'public://source.png',
      body: pngHead(1, 1),
    });
    const before = (await storedFiles(repository)).length;
    const path = `/media/${media.mid[0].value}/source`;
    const put = (index: number) =>
      repository.put(path, pngHead(index + 1, 2), { 'Content-Type': 'image/png' }, 'admin');
    expect(statuses(await Promise.all(Array.from({ length: 20 }, (_, index) => put(index))))).toEqual(
      Array(20).fill(204),
    );
    expect((await storedFiles(repository)).length).toBe(before);
  });

  it('succeed once with the same If-Match', async () => {
    const media = await createMedia(repository, {
      node: await repository.node(),
      uri: 'public://known.png',
      body: pngHead(1, 1),
    });
    const path = `/media/${media.mid[0].value}`;
    const etag = (await repository.get(`${path}?_format=json`, 'admin')).headers.get('etag') as string;
    const headers = { 'Content-Type': 'image/png', 'If-Match': etag };
    const put = (index: number) => repository.put(`${path}/source`, pngHead(index + 1, 2), headers, 'admin');
    const responses = await Promise.all(Array.from({ length: 8 }, (_, index) => put(index)));
    expect(statuses(responses)).toEqual([204, ...Array(7).fill(412)]);
  });
});

describe('simultaneous files of one name', () => {
  it('all get a distinct name in fifty uploads', async () => {
    const files = await Promise.all(
      Array.from({ length: 50 }, () =>
        uploadFile(repository, 'same.txt', 'x', { type: 'file', field: 'field_media_file' }),
      ),
    );
    expect(new Set(files.map((file) => file.uri[0].value)).size).toBe(50);
    for (const file of files) expect(file.filename[0].value).toMatch(/^same(_[\da-f-]+)?\.txt$/);
  });

  it('are all stored in PUTs to thirty nodes', async () => {
    const nodes = await Promise.all(Array.from({ length: 30 }, () => repository.node()));
    const responses = await Promise.all(
      nodes.map((node) => putToNode(repository, { node, uri: 'public://each.png', body: 'x' })),
    );
    expect(statuses(responses)).toEqual(Array(30).fill(201));
  });
});

describe('a PUT while others read', () => {
  it('lets a reader of the old bytes finish', async () => {
    const node = await repository.node();
    const old = Buffer.alloc(24_000_000, 'old bytes ');
    const media = await createMedia(repository, { node, uri: 'public://read.png', body: old });
    const { url } = (await fileOf(repository, media)).uri[0];
    const { bytes, head } = await readSlowly(url, async () => {
      expect((await putToNode(repository, { node, uri: undefined, body: 'new' })).status).toBe(204);
      expect(await (await repository.get(url)).text()).toBe('new');
    });
    expect(head).toContain(`repr-digest: sha-256=:${sha256(old)}:`.toLowerCase());
    expect(bytes.equals(old)).toBe(true);
  });

  it('never mixes old and new bytes, and headers match the bytes', async () => {
    const node = await repository.node();
    const body = (index: number) => Buffer.alloc(1000 + index * 997, `${index} `);
    const media = await createMedia(repository, { node, uri: 'public://mixed.png', body: body(0) });
    const { url } = (await fileOf(repository, media)).uri[0];
    let isDone = false;
    const readers = Array.from({ length: 8 }, async () => {
      let count = 0;
      for (; !isDone; count++) {
        const response = await repository.get(url);
        expect(response.status).toBe(200);
        const bytes = new Uint8Array(await response.arrayBuffer());
        expect(response.headers.get('repr-digest')).toBe(`sha-256=:${sha256(bytes)}:`);
      }
      return count;
    });
    for (let index = 1; index <= 40; index++)
      expect((await putToNode(repository, { node, uri: undefined, body: body(index) })).status).toBe(204);
    isDone = true;
    expect(Math.min(...(await Promise.all(readers)))).toBeGreaterThan(0);
    expect(repository.failures()).toEqual([]);
  });
});

describe('a media that the caller cannot see', () => {
  it('is not replaced by a PUT, which creates another one', async () => {
    await repository.user('attacher', 'attacher');
    const node = await repository.node();
    const hidden = await createMedia(repository, { node, uri: 'public://hidden.png', body: pngHead(1, 1) });
    const unpublish = { bundle: 'image', status: [{ value: false }] };
    expect((await repository.patch(`/media/${hidden.mid[0].value}?_format=json`, unpublish, 'admin')).status).toBe(200);
    const put = (width: number) =>
      putToNode(repository, { node, uri: 'public://mine.png', body: pngHead(width, 2), as: 'attacher' });
    const first = await put(2);
    expect({ first: first.status, later: (await put(3)).status }).toEqual({ first: 201, later: 204 });
    const own = await readJson(repository, new URL(first.headers.get('location') as string).pathname);
    expect(own.mid[0].value).not.toBe(hidden.mid[0].value);
    expect(own.field_width).toEqual([{ value: 3 }]);
    expect((await readJson(repository, `/media/${hidden.mid[0].value}`)).field_width).toEqual([{ value: 1 }]);
  });
});

/** Fetches with a socket that stops reading after the first bytes until `meanwhile` is over. */
async function readSlowly(path: string, meanwhile: () => Promise<void>): Promise<{ head: string; bytes: Buffer }> {
  const socket = connect(Number(new URL(repository.url).port), '127.0.0.1');
  const chunks: Buffer[] = [];
  const first = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  socket.on('error', closed.reject);
  socket.on('close', () => closed.resolve());
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    first.resolve();
  });
  socket.write(rawHead('GET', path, { Connection: 'close' }));
  await first.promise;
  socket.pause();
  await meanwhile();
  socket.resume();
  await closed.promise;
  const all = Buffer.concat(chunks);
  const end = all.indexOf('\r\n\r\n');
  return { head: all.subarray(0, end).toString('latin1').toLowerCase(), bytes: all.subarray(end + 4) };
}
