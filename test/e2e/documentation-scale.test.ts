import { afterAll, beforeAll, describe } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { emptyFolder } from '../support/empty-folder.ts';
import { blocksOf, inPlace, paste, transcripts } from '../support/examples.ts';
import { freePort } from '../support/free-port.ts';
import { type S3Server, startS3Server } from '../support/s3-server.ts';
import { EXECUTABLE } from '../support/server-process.ts';
import { testTranscripts } from '../support/shown-transcripts.ts';
import { type Sqld, startSqld } from '../support/sqld.ts';

const PAGE = resolve(import.meta.dir, '../../docs/scale.md');
const PATH = `${dirname(EXECUTABLE)}:${process.env.PATH}`;
const PASSWORD = 'documentation';

describe('docs/scale.md', async () => {
  const blocks = await blocksOf(PAGE);
  let folder: string;
  let sqld: Sqld;
  let s3: S3Server;
  let ports: Record<string, string>;
  beforeAll(async () => {
    folder = await emptyFolder();
    [sqld, s3] = await Promise.all([startSqld(), startS3Server({ bucket: 'repository' })]);
    ports = {
      8000: `${await freePort()}`,
      8001: `${await freePort()}`,
      8080: new URL(sqld.url).port,
      9000: new URL(s3.endpoint).port,
    };
    const shared = blocks.filter(({ language }) => language === 'yaml').at(-1)?.text ?? '';
    await writeFile(join(folder, 'shared.yaml'), inPlace(shared, ports));
  });
  afterAll(async () => {
    // An interrupted transcript leaves servers behind.
    await paste('kill $(cat one.pid two.pid) 2> /dev/null || true', { cwd: folder, port: 0, path: PATH });
    await Promise.all([sqld.stop(), s3.close()]);
  });

  testTranscripts(transcripts(blocks), () => {
    const keys = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };
    const env = { ...keys, AUTH: `admin:${PASSWORD}`, REPO_ADMIN_PASSWORD: PASSWORD };
    return { cwd: folder, port: 0, path: PATH, env, places: ports };
  });
});
