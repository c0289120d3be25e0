import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { blocksOf, paste, transcripts } from '../support/examples.ts';
import { EXECUTABLE } from '../support/executable.ts';
import { freePort } from '../support/free-port.ts';
import { type S3Server, startS3Server } from '../support/s3-server.ts';
import { type Sqld, startSqld } from '../support/sqld.ts';

const PAGE = resolve(import.meta.dir, '../../docs/scale.md');
const PATH = `${dirname(EXECUTABLE)}:${process.env.PATH}`;
const PASSWORD = 'documentation';

describe('docs/scale.md', async () => {
  const blocks = await blocksOf(PAGE);
  let folder: string;
  let sqld: Sqld;
  let s3: S3Server;
  let ports: Record<number, number>;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'repo-docs-scale-'));
    [sqld, s3] = await Promise.all([startSqld(), startS3Server({ bucket: 'repository' })]);
    ports = {
      8000: await freePort(),
      8001: await freePort(),
      8080: Number(new URL(sqld.url).port),
      9000: Number(new URL(s3.endpoint).port),
    };
    const shared = blocks.filter(({ language }) => language === 'yaml').at(-1)?.text ?? '';
    await writeFile(join(folder, 'shared.yaml'), withPorts(shared));
  });
  afterAll(async () => {
    // A transcript that breaks off leaves servers behind.
    await paste('kill $(cat one.pid two.pid) 2> /dev/null || true', { cwd: folder, port: 0, path: PATH });
    await Promise.all([sqld.stop(), s3.close()]);
    await rm(folder, { recursive: true });
  });

  /** What the page says of ports, with those of this run. */
  const withPorts = (text: string) =>
    text.replaceAll(/\b(8000|8001|8080|9000)\b/g, (port) => String(ports[Number(port)]));

  it.each(transcripts(blocks).map((transcript) => [transcript.line, transcript] as const))(
    'shows in line %d what really happens',
    async (_, { commands, output }) => {
      const keys = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };
      const env = { ...keys, AUTH: `admin:${PASSWORD}`, REPO_ADMIN_PASSWORD: PASSWORD };
      const result = await paste(withPorts(commands), { cwd: folder, port: 0, path: PATH, env });
      expect(result).toEqual({ code: 0, output, errors: '' });
    },
    60_000,
  );
});
