import { afterAll, beforeAll, describe } from 'bun:test';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { openLocalDatabase } from '../../src/database/local/open-local-database.ts';
import { newKey } from '../../src/storage/key.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { blocksOf, inPlace, transcripts } from '../support/examples.ts';
import { putLetters } from '../support/letters.ts';
import { type S3Server, startS3Server } from '../support/s3-server.ts';
import { EXECUTABLE, type ServerProcess, startServer } from '../support/server-process.ts';
import { PATIENCE_MS, testTranscripts } from '../support/shown-transcripts.ts';
import { age, damage, pathOf } from '../support/stored-objects.ts';
import { basic } from '../support/test-repository.ts';

const PAGE = resolve(import.meta.dir, '../../docs/storage.md');
const PATH = `${dirname(EXECUTABLE)}:${process.env.PATH}`;
const ADMIN = basic('admin', 'documentation');
const LETTERS = 12;
/** Longer than the time for which `repo storage gc` keeps unused objects. */
const DAYS = 2;

describe('docs/storage.md', async () => {
  const blocks = await blocksOf(PAGE);
  const configuration = blocks.find(({ language }) => language === 'yaml');
  const shown = transcripts(blocks);
  let folder: string;
  let s3: S3Server;
  let service: ServerProcess;

  const env = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER', REPO_ADMIN_PASSWORD: 'documentation' };
  const serve = (...args: string[]) => startServer({ mode: 'repository', args, cwd: folder, env: { PATH, ...env } });
  const reader = () => ({ cwd: folder, port: service.port, path: PATH, env });

  beforeAll(async () => {
    folder = await emptyFolder();
    [s3, service] = await Promise.all([startS3Server({ bucket: 'letters' }), serve()]);
    await putLetters(service, ADMIN, LETTERS);
    await leaveGarbage(service, join(folder, 'data'));
    await spoilLetters(join(folder, 'data'));
  }, PATIENCE_MS);
  afterAll(async () => {
    await Promise.all([service.stop(), s3.close()]);
  });

  testTranscripts(
    shown.filter(({ line }) => line < (configuration?.line ?? 0)),
    reader,
  );

  describe('with public files in a bucket', () => {
    beforeAll(async () => {
      await mendLetter(service);
      const region = { 'https://s3.eu-central-1.amazonaws.com': s3.endpoint, 'eu-central-1': 'us-east-1' };
      await writeFile(join(folder, 'repository.yaml'), inPlace(configuration?.text ?? '', region));
      await service.stop();
      service = await serve('--config', 'repository.yaml');
    }, PATIENCE_MS);

    testTranscripts(
      shown.filter(({ line }) => line > (configuration?.line ?? 0)),
      reader,
    );
  });
});

/** Turns a bit of the fourth letter, and takes the fifth away. */
async function spoilLetters(data: string): Promise<void> {
  const database = openLocalDatabase(join(data, 'repository.db'));
  const find = async (uri: string) => {
    const row = await database.client.first('SELECT id, storage_key FROM file WHERE uri = ?', [uri]);
    const key = String(row?.[1]);
    return { id: Number(row?.[0]), uri, key, path: pathOf(data, 'public', key) };
  };
  await damage(await find('public://letters/4.txt'));
  await rm((await find('public://letters/5.txt')).path);
  await database.close();
}

/** Uploads the bytes of the removed letter again. */
async function mendLetter(service: ServerProcess): Promise<void> {
  const headers = { Authorization: ADMIN, 'Content-Type': 'text/plain' };
  const body = 'Once more. '.padEnd(1_000, 'Dear reader, ');
  const response = await fetch(new URL('/media/5/source', service.url), { method: 'PUT', headers, body });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
}

/** Three objects without a file, an unfinished upload, and an unused file, all some days old. */
async function leaveGarbage(service: ServerProcess, data: string): Promise<void> {
  const upload = await fetch(new URL('/file/upload/media/file/field_media_file?_format=json', service.url), {
    method: 'POST',
    headers: {
      Authorization: ADMIN,
      'Content-Type': 'application/octet-stream',
      'Content-Disposition': 'file; filename="unused.txt"',
    },
    body: 'Nobody sent the form.'.repeat(100),
  });
  if (!upload.ok) throw new Error(await upload.text());
  const database = openLocalDatabase(join(data, 'repository.db'));
  await database.write([`UPDATE file SET changed = changed - ${DAYS} * 86400 WHERE status = 0`]);
  await database.close();
  const leave = async (path: string) => {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, 'stray');
    await age(path, DAYS);
  };
  const keys = [newKey(), newKey(), newKey(), `incoming/${newKey()}`];
  for (const key of keys) await leave(pathOf(data, 'public', key));
}
