import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { connect } from 'node:net';
import { MAX_UNATTACHED } from '../../../src/repository/uploads/create-upload.ts';
import { PART_BYTES } from '../../../src/repository/uploads/receive-parts.ts';
import { removeExpiredUploads } from '../../../src/repository/uploads/remove-uploads.ts';
import { removeGarbage } from '../../../src/upkeep/gc/gc.ts';
import { auditServices } from '../../support/audit.ts';
import { countRows, rawHead, settledFiles, storedFiles } from '../../support/binaries.ts';
import { speak } from '../../support/raw-http.ts';
import { signIn } from '../../support/repository-routes.ts';
import {
  ADMIN_PASSWORD,
  createTestRepository,
  type EntityJson,
  type TestRepository,
} from '../../support/test-repository.ts';
import { append, attach, attached, begin, beginUpload, metadataOf, offsetOf, uploadWhole } from '../../support/tus.ts';
import { until } from '../../support/until.ts';

const MIB = 1024 * 1024;
const TUS = { 'Tus-Resumable': '1.0.0' };

let repository: TestRepository;
beforeAll(async () => {
  repository = await createTestRepository({ maxUploadBytes: 100 * MIB });
  await repository.user('editor', 'repository_editor');
  await repository.user('reader');
});
afterAll(async () => {
  await settledFiles(repository);
  expect(await auditServices(repository.running.services, true)).toEqual([]);
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const remove = (path: string, as = 'admin') => repository.delete(path, as, TUS);
const messageOf = async (response: Response) => [
  response.status,
  ((await response.json()) as { message: string }).message,
];

/** Sends the beginning of a PATCH, and cuts the connection. */
async function cut(path: string, offset: number, announced: number, sent: Uint8Array): Promise<void> {
  const head = rawHead('PATCH', path, {
    ...TUS,
    'Content-Type': 'application/offset+octet-stream',
    'Content-Length': String(announced),
    'Upload-Offset': String(offset),
  });
  const socket = connect(Number(new URL(repository.url).port), '127.0.0.1');
  socket.on('error', () => {});
  socket.write(head);
  await new Promise<void>((written) => socket.write(sent, () => written()));
  // What is on its way would be lost with a reset.
  await until(() => socket.writableLength === 0);
  socket.end();
  socket.destroySoon();
}

describe('an upload in parts', () => {
  it('announces the protocol version, extensions and maximum size', async () => {
    const response = await repository.fetch('/uploads', { method: 'OPTIONS' });
    expect(response.headers.get('tus-version')).toBe('1.0.0');
    expect(response.headers.get('tus-extension')).toBe('creation,creation-with-upload,termination,expiration');
    expect(response.headers.get('tus-max-size')).toBe(String(100 * MIB));
  });

  it('receives a file in several requests, and returns the offset', async () => {
    const created = await begin(repository, 'a.png', 10);
    expect(created.status).toBe(201);
    expect(created.headers.get('tus-resumable')).toBe('1.0.0');
    expect(created.headers.get('upload-offset')).toBe('0');
    const path = new URL(created.headers.get('location') as string).pathname;
    const first = await append(repository, path, 0, 'hello');
    expect(first.status).toBe(204);
    expect(first.headers.get('upload-offset')).toBe('5');
    const head = await repository.fetch(path, { method: 'HEAD', as: 'admin', headers: TUS });
    expect(head.status).toBe(200);
    expect(head.headers.get('upload-offset')).toBe('5');
    expect(head.headers.get('upload-length')).toBe('10');
    expect(head.headers.get('cache-control')).toBe('no-store');
    expect((await append(repository, path, 5, 'world')).headers.get('upload-offset')).toBe('10');
    expect(await (await repository.get(path, 'admin')).json()).toMatchObject({ filename: 'a.png', received: 10 });
  });

  it('accepts bytes with the first request', async () => {
    const response = await repository.fetch('/uploads', {
      method: 'POST',
      as: 'admin',
      headers: {
        ...TUS,
        'Content-Type': 'application/offset+octet-stream',
        'Upload-Length': '10',
        'Upload-Metadata': metadataOf('b.png', 'image/png'),
      },
      body: 'hello',
    });
    expect(response.status).toBe(201);
    expect(response.headers.get('upload-offset')).toBe('5');
  });

  it('stores a large body in parts of bounded size', async () => {
    const bytes = 2 * PART_BYTES + 1;
    const path = await uploadWhole(repository, 'large.tif', new Uint8Array(bytes));
    const { rows } = await repository.running.services.database.client.execute({
      sql: 'SELECT first, bytes FROM upload_part WHERE upload_id = ? ORDER BY first',
      args: [path.slice('/uploads/'.length)],
    });
    expect(rows.map((row) => [row[0], row[1]])).toEqual([
      [0, PART_BYTES],
      [PART_BYTES, PART_BYTES],
      [2 * PART_BYTES, 1],
    ]);
  });

  it('keeps all bytes received before a disconnect, and continues there', async () => {
    const whole = crypto.getRandomValues(new Uint8Array(60_000));
    const path = await beginUpload(repository, 'cut.tif', whole.byteLength);
    await cut(path, 0, whole.byteLength, whole.subarray(0, 30_000));
    await until(async () => (await offsetOf(repository, path)) === 30_000);
    await cut(path, 30_000, 30_000, whole.subarray(30_000, 45_000));
    await until(async () => (await offsetOf(repository, path)) === 45_000);
    expect((await append(repository, path, 45_000, whole.slice(45_000))).status).toBe(204);
    const { rows } = await repository.running.services.database.client.execute({
      sql: 'SELECT scheme, storage_key FROM upload_part WHERE upload_id = ? ORDER BY first',
      args: [path.slice('/uploads/'.length)],
    });
    const parts = rows.map(async (row) =>
      new Response(await repository.running.services.schemes.get(String(row[0]))?.storage.read(String(row[1]))).bytes(),
    );
    expect(Buffer.concat(await Promise.all(parts)).equals(whole)).toBe(true);
  });

  it('remains after a restart, with its parts', async () => {
    const path = await beginUpload(repository, 'restart.tif', 10);
    await append(repository, path, 0, 'hello');
    await repository.restart();
    expect(await offsetOf(repository, path)).toBe(5);
    expect((await append(repository, path, 5, 'world')).status).toBe(204);
  });

  it('accepts only one of two requests at the same offset', async () => {
    const path = await beginUpload(repository, 'race.tif', 20);
    const both = await Promise.all([
      append(repository, path, 0, 'a'.repeat(20)),
      append(repository, path, 0, 'b'.repeat(20)),
    ]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([204, 409]);
    expect(await offsetOf(repository, path)).toBe(20);
  });

  it('rejects another offset with 409 and the right one', async () => {
    const path = await beginUpload(repository, 'offset.tif', 20);
    await append(repository, path, 0, 'hello');
    const response = await append(repository, path, 3, 'lo world');
    expect(response.status).toBe(409);
    expect(response.headers.get('upload-offset')).toBe('5');
  });

  it('rejects more bytes than announced, with and without a Content-Length', async () => {
    const path = await beginUpload(repository, 'long.tif', 4);
    expect((await append(repository, path, 0, 'hello')).status).toBe(413);
    expect(await offsetOf(repository, path)).toBe(0);
    const chunked = rawHead('PATCH', path, {
      ...TUS,
      'Content-Type': 'application/offset+octet-stream',
      'Transfer-Encoding': 'chunked',
      'Upload-Offset': '0',
    });
    const { text } = await speak(Number(new URL(repository.url).port), [`${chunked}5\r\nhello\r\n0\r\n\r\n`]);
    expect(text).toStartWith('HTTP/1.1 413 ');
    expect(await offsetOf(repository, path)).toBe(4);
  });

  it('is deleted on request, with its parts', async () => {
    const before = await settledFiles(repository);
    const path = await uploadWhole(repository, 'deleted.tif', Buffer.from('hello'));
    expect((await remove(path)).status).toBe(204);
    expect(await offsetOf(repository, path)).toBeUndefined();
    await until(async () => (await countRows(repository, 'discarded_object')) === 0);
    expect(await storedFiles(repository)).toEqual(before);
  });
});

describe('the headers of an upload', () => {
  const start = (headers: Record<string, string>, as = 'admin') =>
    repository.fetch('/uploads', { method: 'POST', as, headers });
  const NAMED = { ...TUS, 'Upload-Metadata': metadataOf('a.png') };

  it('are validated, each with a one-sentence error', async () => {
    expect(await messageOf(await start({ 'Upload-Length': '1' }))).toEqual([
      412,
      'The header Tus-Resumable must be 1.0.0.',
    ]);
    expect(await messageOf(await start(NAMED))).toEqual([400, 'The header Upload-Length is missing.']);
    expect(await messageOf(await start({ ...NAMED, 'Upload-Length': '-1' }))).toEqual([
      400,
      'The header Upload-Length must be a number of bytes.',
    ]);
    for (const metadata of ['filename YS5wbmc= more', 'näme YS5wbmc=', 'filename ä'])
      expect(await messageOf(await start({ ...TUS, 'Upload-Length': '1', 'Upload-Metadata': metadata }))).toEqual([
        400,
        'The header Upload-Metadata must contain pairs of a key and base64, separated by commas.',
      ]);
    expect(
      await messageOf(await start({ ...NAMED, 'Upload-Length': '1', 'Upload-Metadata': `x ${'a'.repeat(2_000)}` })),
    ).toEqual([400, 'The header Upload-Metadata must have at most 2000 characters.']);
    expect(await messageOf(await start({ ...NAMED, 'Upload-Length': '1', 'Upload-Concat': 'partial' }))).toEqual([
      400,
      'Upload-Concat is not supported: send the whole file in one upload.',
    ]);
    expect(await messageOf(await start({ ...NAMED, 'Upload-Defer-Length': '1' }))).toEqual([
      400,
      'Upload-Defer-Length is not supported: send the length of the file in Upload-Length.',
    ]);
    expect(await messageOf(await begin(repository, 'huge.tif', 100 * MIB + 1))).toEqual([
      413,
      'The file is larger than the maximum of 104857600 bytes.',
    ]);
    const path = await beginUpload(repository, 'type.png', 5);
    const typed = await append(repository, path, 0, 'hello', 'admin', { 'Content-Type': 'image/png' });
    expect(typed.status).toBe(415);
  });

  it('contain any metadata, which a HEAD returns as it was sent', async () => {
    const sent = `relativePath bnVsbA==,is_confidential,${metadataOf('Käthe.png', 'image/png')},caption 5p2x5Lqs`;
    const created = await begin(repository, 'a.png', 5, 'admin', { 'Upload-Metadata': sent });
    expect(created.status).toBe(201);
    const path = new URL(created.headers.get('location') as string).pathname;
    const head = await repository.fetch(path, { method: 'HEAD', as: 'admin', headers: TUS });
    expect(head.headers.get('upload-metadata')).toBe(sent);
    expect(await (await repository.get(path, 'admin')).json()).toMatchObject({ filename: 'Käthe.png' });
  });

  it('need no metadata: the file is named when it is attached', async () => {
    const created = await start({ ...TUS, 'Upload-Length': '1' });
    expect(created.status).toBe(201);
    const path = new URL(created.headers.get('location') as string).pathname;
    const head = await repository.fetch(path, { method: 'HEAD', as: 'admin', headers: TUS });
    expect(head.headers.has('upload-metadata')).toBe(false);
    expect((await append(repository, path, 0, 'x')).status).toBe(204);
    const node = (await repository.node()).nid[0].value;
    expect(await messageOf(await attach(repository, path, { node }))).toEqual([
      422,
      'No media type accepts a file without an extension.',
    ]);
    expect(await messageOf(await attach(repository, path, { node, filename: 'a\u0000.txt' }))).toEqual([
      400,
      'The name of the file must not contain control characters.',
    ]);
    const { media } = await attached(repository, path, { node, filename: 'C:\\scans\\note.txt' });
    const made = (await (await repository.get(new URL(media.url).pathname, 'admin')).json()) as EntityJson;
    expect(made.name).toEqual([{ value: 'note.txt' }]);
  });

  it('may name the method of a POST', async () => {
    const path = await beginUpload(repository, 'a.png', 10);
    const post = (method: string, headers: Record<string, string> = {}, body?: string) =>
      repository.fetch(path, {
        method: 'POST',
        as: 'admin',
        headers: { ...TUS, 'X-HTTP-Method-Override': method, ...headers },
        ...(body !== undefined && { body }),
      });
    const part = { 'Content-Type': 'application/offset+octet-stream', 'Upload-Offset': '0' };
    const patched = await post('PATCH', part, 'hello');
    expect([patched.status, patched.headers.get('upload-offset')]).toEqual([204, '5']);
    const head = await post('HEAD');
    expect([head.status, head.headers.get('upload-offset'), await head.text()]).toEqual([200, '5', '']);
    expect((await repository.fetch(path, { method: 'POST', as: 'admin', headers: TUS })).status).toBe(405);
    expect((await post('PUT', {}, 'x')).status).toBe(405);
    const got = await repository.fetch(path, { as: 'admin', headers: { ...TUS, 'X-HTTP-Method-Override': 'DELETE' } });
    expect(got.status).toBe(200);
    expect((await post('delete')).status).toBe(204);
    expect(await offsetOf(repository, path)).toBeUndefined();
  });

  it('name a version that the server has, also in a HEAD', async () => {
    const path = await beginUpload(repository, 'a.png', 10);
    const head = await repository.fetch(path, { method: 'HEAD', as: 'admin', headers: { 'Tus-Resumable': '0.2.2' } });
    expect([head.status, head.headers.get('tus-version'), head.headers.get('tus-resumable')]).toEqual([
      ...[412, '1.0.0', '1.0.0'],
    ]);
  });

  it('contain the file name without the folders of the client', async () => {
    const path = await beginUpload(repository, '../../etc/C:\\scans\\ä b.png', 5);
    expect(await (await repository.get(path, 'admin')).json()).toMatchObject({ filename: 'ä b.png' });
  });
});

describe('access to uploads', () => {
  it('requires the permission to create media', async () => {
    expect((await begin(repository, 'a.png', 1, null)).status).toBe(401);
    expect(await messageOf(await begin(repository, 'a.png', 1, 'reader'))).toEqual([
      403,
      "The 'create media' permission is required.",
    ]);
    expect((await begin(repository, 'a.png', 1, 'editor')).status).toBe(201);
  });

  it('is limited to the user who began them', async () => {
    const path = await beginUpload(repository, 'own.png', 5, 'editor');
    for (const response of [
      await repository.get(path, 'admin'),
      await append(repository, path, 0, 'hello'),
      await remove(path),
      await repository.post(`${path}/attach`, { node: 1 }, 'admin'),
    ])
      expect(response.status).toBe(404);
    expect(await offsetOf(repository, path, 'editor')).toBe(0);
  });

  it('requires the CSRF token of a session', async () => {
    const session = await signIn(repository, 'admin', ADMIN_PASSWORD);
    const asSession = { Cookie: session.cookie };
    expect((await begin(repository, 'a.png', 1, null, asSession)).status).toBe(403);
    const withToken = { ...asSession, 'X-CSRF-Token': session.csrfToken };
    const created = await begin(repository, 'a.png', 1, null, withToken);
    expect(created.status).toBe(201);
    const path = new URL(created.headers.get('location') as string).pathname;
    expect((await append(repository, path, 0, 'a', null, asSession)).status).toBe(403);
    expect((await append(repository, path, 0, 'a', null, withToken)).status).toBe(204);
  });

  it('is limited to a number of unfinished uploads', async () => {
    await repository.user('eager', 'repository_editor');
    for (let count = 0; count < MAX_UNATTACHED; count++) await beginUpload(repository, 'a.png', 1, 'eager');
    expect(await messageOf(await begin(repository, 'a.png', 1, 'eager'))).toEqual([
      429,
      `You have ${MAX_UNATTACHED} unfinished uploads. Finish or delete some of them, then try again.`,
    ]);
  });
});

describe('an expired upload', () => {
  const expire = (path: string) =>
    repository.running.services.database.write([
      { sql: 'UPDATE upload SET expires = 1 WHERE id = ?', args: [path.slice('/uploads/'.length)] },
    ]);

  it('no longer exists, and the next upload removes its parts', async () => {
    const before = await settledFiles(repository);
    const path = await uploadWhole(repository, 'old.tif', Buffer.from('hello'));
    await expire(path);
    expect(await offsetOf(repository, path)).toBeUndefined();
    expect((await storedFiles(repository)).length).toBe(before.length + 1);
    await remove(await beginUpload(repository, 'new.tif', 1));
    await until(async () => (await storedFiles(repository)).length === before.length);
    expect(await removeExpiredUploads(repository.running.services)).toBe(0);
  });

  it('is removed by the clean-up of unused objects, which keeps other parts', async () => {
    const kept = await uploadWhole(repository, 'kept.tif', Buffer.from('hello'));
    await expire(await uploadWhole(repository, 'old.tif', Buffer.from('hello')));
    const rows = await countRows(repository, 'upload');
    const options = { olderThanSeconds: 0, unreferencedForSeconds: 86_400, signal: new AbortController().signal };
    const { stores } = await removeGarbage(repository.running.services, options, true);
    expect(stores.map(({ unnamed }) => unnamed.count)).toEqual(stores.map(() => 0));
    expect(await countRows(repository, 'upload')).toBe(rows - 1);
    expect(await offsetOf(repository, kept)).toBe(5);
    expect(await auditServices(repository.running.services, true)).not.toContain('has no object');
  });
});
