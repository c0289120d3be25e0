import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { emptyFolder } from '../support/empty-folder.ts';
import { S3_KEYS, type S3Server, startS3Process } from '../support/s3-process.ts';
import { startServer } from '../support/server-process.ts';
import { type Sqld, startSqld } from '../support/sqld.ts';
import { ADMIN_PASSWORD, basic } from '../support/test-repository.ts';

/** More than the default maximum of simultaneous outgoing requests of the runtime. */
const READERS = 280;
/** More bytes than connections buffer for a client that does not read. */
const FILE_BYTES = 24_000_000;

let folder: string;
let sqld: Sqld;
let s3: S3Server;
const readers: Socket[] = [];
beforeAll(async () => {
  folder = await emptyFolder();
  [sqld, s3] = await Promise.all([startSqld(), startS3Process('shared')]);
});
afterAll(async () => {
  for (const reader of readers) reader.destroy();
  await Promise.all([sqld.stop(), s3.stop()]);
});

/** Begins a download and reads no more than its beginning. */
function readSlowly(port: number, path: string): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  readers.push(socket);
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('data', (head) => {
      socket.pause();
      expect(head.toString('latin1', 0, 12)).toBe('HTTP/1.1 200');
      resolve();
    });
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${basic('admin')}\r\n\r\n`);
  });
}

describe('many stalled downloads from a bucket', () => {
  it.each([['1'], ['2']])(
    'do not block other requests to the database and the bucket, with %s workers',
    async (workers) => {
      const config = join(folder, 'repository.yaml');
      const inBucket = (name: string) =>
        `  ${name}: { access: public, s3: { endpoint: "${s3.endpoint}", bucket: shared, prefix: ${workers}/${name}/ } }\n`;
      const schemes = ['public', 'private', 'fedora'].map(inBucket).join('');
      await writeFile(config, `database: { url: "${sqld.url}" }\nschemes:\n${schemes}`);
      const env = {
        PATH: process.env.PATH ?? '',
        REPO_ADMIN_PASSWORD: ADMIN_PASSWORD,
        AWS_ACCESS_KEY_ID: S3_KEYS.accessKeyId,
        AWS_SECRET_ACCESS_KEY: S3_KEYS.secretAccessKey,
      };
      const data = join(folder, workers);
      const service = await startServer({ config, data, workers: Number(workers), env });
      const upload = (name: string, body: string) =>
        fetch(`${service.url}/file/upload/media/image/field_media_image?_format=json`, {
          method: 'POST',
          headers: {
            Authorization: basic('admin'),
            'Content-Type': 'application/octet-stream',
            'Content-Disposition': `file; filename="${name}.png"`,
          },
          body,
          keepalive: false,
        });
      const made = (await (await upload('large', 'x'.repeat(FILE_BYTES))).json()) as { uri: [{ url: string }] };
      const { pathname } = new URL(made.uri[0].url, service.url);
      const count = READERS * Number(workers);
      await Promise.all(Array.from({ length: count }, () => readSlowly(service.port, pathname)));
      for (let index = 0; index < 4; index++) {
        const user = await fetch(`${service.url}/user/1?_format=json`, {
          headers: { Authorization: basic('admin') },
          keepalive: false,
        });
        expect(user.status).toBe(200);
        expect((await upload(`small-${index}`, 'x')).status).toBe(201);
      }
      for (const reader of readers.splice(0)) reader.destroy();
      expect(await service.stop()).toBe(0);
    },
    60_000,
  );
});
