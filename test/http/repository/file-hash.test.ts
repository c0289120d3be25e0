import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createMedia, fileOf, pngHead } from '../../support/binaries.ts';
import { tokenOf } from '../../support/repository-routes.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

const MODEL = `
roles:
  checker:
    label: Checker
    permissions: [access content, view checksums]
  second_loader:
    label: Second loader
    permissions: [access content, view media, use islandora workbench]
`;
/** More than one piece of a stream. */
const BYTES = Buffer.from('the quick brown fox '.repeat(20_000));

let repository: TestRepository;
let uuid: string;
beforeAll(async () => {
  repository = await createTestRepository({}, { model: MODEL });
  await repository.user('loader', 'workbench_user');
  await repository.user('checker', 'checker');
  await repository.user('second', 'second_loader');
  await repository.user('reader');
  uuid = (await upload(BYTES)).uuid[0].value;
});
afterAll(async () => {
  await repository.stop();
});

async function upload(bytes: Buffer<ArrayBuffer>): Promise<EntityJson> {
  const response = await repository.fetch('/file/upload/media/file/field_media_file?_format=json', {
    method: 'POST',
    as: 'loader',
    body: bytes,
    headers: { 'Content-Type': 'application/octet-stream', 'Content-Disposition': 'file; filename="a.txt"' },
  });
  if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as EntityJson;
}

const PATH = '/islandora_workbench_integration/file_hash';
const ask = (query: string, as: string | undefined = 'loader') => repository.get(`${PATH}?${query}`, as);
const sum = (algorithm: 'md5' | 'sha1' | 'sha256', bytes: Buffer) =>
  new Bun.CryptoHasher(algorithm).update(bytes).digest('hex');

describe('the checksum of a file', () => {
  it.each(['md5', 'sha1', 'sha256'] as const)(
    'is returned as a list of one right after the upload: %s',
    async (algorithm) => {
      for (const as of ['loader', 'admin']) {
        const answer = await ask(`file_uuid=${uuid}&algorithm=${algorithm}`, as);
        expect({ status: answer.status, body: await answer.json() }).toEqual({
          status: 200,
          body: [{ checksum: sum(algorithm, BYTES), file_uuid: uuid, algorithm }],
        });
      }
    },
  );

  it('is available for an empty file', async () => {
    const empty = await upload(Buffer.alloc(0));
    const answer = await ask(`file_uuid=${empty.uuid[0].value}&algorithm=md5&_format=json`);
    expect(await answer.json()).toMatchObject([{ checksum: 'd41d8cd98f00b204e9800998ecf8427e' }]);
  });

  it('is found by an uppercase UUID', async () => {
    const answer = await ask(`file_uuid=${uuid.toUpperCase()}&algorithm=sha256`);
    expect(await answer.json()).toMatchObject([{ file_uuid: uuid }]);
  });

  it('supports HEAD', async () => {
    const head = await repository.fetch(`${PATH}?file_uuid=${uuid}&algorithm=md5`, { method: 'HEAD', as: 'loader' });
    expect({ status: head.status, body: await head.text() }).toEqual({ status: 200, body: '' });
  });

  it('requires an existing file and a supported algorithm', async () => {
    const algorithms = 'The query parameter "algorithm" must be one of md5, sha1, sha256.';
    for (const [query, status, message] of [
      ['', 400, 'The query parameter "file_uuid" is missing.'],
      ['algorithm=md5', 400, 'The query parameter "file_uuid" is missing.'],
      [`file_uuid=${uuid}`, 400, algorithms],
      [`file_uuid=${uuid}&algorithm=crc32`, 400, algorithms],
      [`file_uuid=${uuid}&algorithm=MD5`, 400, algorithms],
      ['file_uuid=x&algorithm=md5', 404, 'No file has this UUID.'],
      ['file_uuid=%00&algorithm=md5', 400, 'A text must not contain a NUL character.'],
      [`file_uuid=${Bun.randomUUIDv7()}&algorithm=md5`, 404, 'No file has this UUID.'],
    ] as const) {
      const answer = await ask(query);
      expect({ query, status: answer.status, body: await answer.json() }).toEqual({ query, status, body: { message } });
    }
  });

  it('is refused to callers without permission, even for a missing file', async () => {
    for (const query of [`file_uuid=${uuid}&algorithm=md5`, 'file_uuid=x&algorithm=md5', '']) {
      expect((await repository.get(`${PATH}?${query}`)).status).toBe(401);
      const refused = await ask(query, 'reader');
      expect({ status: refused.status, message: ((await refused.json()) as { message: string }).message }).toEqual({
        status: 403,
        message:
          "The following permissions are required: 'administer site configuration' OR 'use islandora workbench' OR 'view checksums'.",
      });
    }
  });

  it('is refused for a private file to callers who may only see checksums', async () => {
    expect((await ask(`file_uuid=${uuid}&algorithm=md5`, 'checker')).status).toBe(403);
    const node = await repository.node();
    const media = await createMedia(repository, { node, uri: 'public://checked.png', body: pngHead(1, 1) });
    const file = await fileOf(repository, media);
    const answer = await ask(`file_uuid=${file.uuid[0].value}&algorithm=sha256`, 'checker');
    expect(await answer.json()).toMatchObject([{ checksum: sum('sha256', pngHead(1, 1)) }]);
  });

  it('is refused to a loader who may not read the file', async () => {
    const node = await repository.node({ status: [{ value: false }] });
    const media = await createMedia(repository, { node, uri: 'public://hidden.png', body: pngHead(1, 1) });
    const hidden = (await fileOf(repository, media)).uuid[0].value;
    for (const file of [uuid, hidden]) {
      const answer = await ask(`file_uuid=${file}&algorithm=md5`, 'second');
      expect(answer.status).toBe(403);
      expect(await answer.text()).not.toContain(sum('md5', pngHead(1, 1)));
    }
  });

  it('is available with a token', async () => {
    const headers = { Authorization: `Bearer ${await tokenOf(repository, 'loader')}` };
    expect((await repository.get(`${PATH}?file_uuid=${uuid}&algorithm=md5`, undefined, headers)).status).toBe(200);
  });

  it('differs for changed bytes, and fails for missing or truncated bytes', async () => {
    const { services } = repository.running;
    const id: string = (await upload(Buffer.from('whole'))).uuid[0].value;
    const row = await services.database.client.first('SELECT storage_key FROM file WHERE uuid = ?', [id]);
    const other = await upload(Buffer.from('wrong'));
    const otherRow = await services.database.client.first('SELECT storage_key FROM file WHERE uuid = ?', [
      other.uuid[0].value,
    ]);
    const point = (key: unknown) =>
      services.database.write([{ sql: 'UPDATE file SET storage_key = ? WHERE uuid = ?', args: [String(key), id] }]);
    await point(otherRow?.[0]);
    const changed = await ask(`file_uuid=${id}&algorithm=md5`);
    expect(await changed.json()).toMatchObject([{ checksum: sum('md5', Buffer.from('wrong')) }]);
    const long = await upload(BYTES);
    const longer = await services.database.client.first('SELECT storage_key FROM file WHERE uuid = ?', [
      long.uuid[0].value,
    ]);
    for (const key of [longer?.[0], String(row?.[0]).replaceAll(/[0-9a-f]/g, '0')]) {
      await point(key);
      const answer = await ask(`file_uuid=${id}&algorithm=md5`);
      expect({ status: answer.status, members: Object.keys((await answer.json()) as object) }).toEqual({
        status: 500,
        members: ['message'],
      });
    }
    expect(repository.failures().length).toBe(2);
  });
});
