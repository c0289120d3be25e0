import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { emptyFolder } from '../support/empty-folder.ts';
import { blocksOf, indentedBlocksOf, paste, transcripts } from '../support/examples.ts';
import { putLetters } from '../support/letters.ts';
import { type S3Server, startS3Server } from '../support/s3-server.ts';
import { EXECUTABLE, type ServerProcess, startServer } from '../support/server-process.ts';
import { PATIENCE_MS, testTranscripts } from '../support/shown-transcripts.ts';
import { basic } from '../support/test-repository.ts';

const PAGE = resolve(import.meta.dir, '../../docs/backup.md');
const PATH = `${dirname(EXECUTABLE)}:${process.env.PATH}`;
const PASSWORD = 'documentation';
const LETTERS = 5;
/** Minute, hour, day, month, day of the week. */
const SCHEDULE = /^(?:[\d*,/-]+ +){5}/;

describe('docs/backup.md', async () => {
  const blocks = await blocksOf(PAGE);
  const indented = await indentedBlocksOf(PAGE);
  let folder: string;
  let s3: S3Server;
  let service: ServerProcess;

  const reader = () => ({
    cwd: folder,
    port: service.port,
    path: PATH,
    env: {
      AWS_ENDPOINT_URL: s3.endpoint,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'S3RVER',
      AWS_SECRET_ACCESS_KEY: 'S3RVER',
    },
    places: { '/srv/repo': join(folder, 'data'), '/srv': join(folder, 'srv'), '/mnt': join(folder, 'mnt') },
  });
  const run = (commands: string) => paste(commands, reader());

  beforeAll(async () => {
    folder = await emptyFolder();
    const env = { PATH, REPO_ADMIN_PASSWORD: PASSWORD };
    const serving = startServer({ mode: 'repository', cwd: folder, env });
    [s3, service] = await Promise.all([startS3Server({ bucket: 'archive' }), serving]);
    await putLetters(service, basic('admin', PASSWORD), LETTERS);
    await mkdir(join(folder, 'mnt'));
    await run(
      'repo backup /mnt/worn-disk; printf X | dd of=$(grep -lr "^Letter 2" /mnt/worn-disk/files) conv=notrunc status=none',
    );
  }, PATIENCE_MS);
  afterAll(async () => {
    await Promise.all([service.stop(), s3.close()]);
  });

  testTranscripts(transcripts(blocks), reader);

  it('shows a crontab line that makes a backup', async () => {
    const line = indented.find((block) => SCHEDULE.test(block)) ?? '';
    const before = await readdir(join(folder, 'mnt', 'backup', 'backups'));
    expect(await run(line.replace(SCHEDULE, ''))).toMatchObject({ code: 0, errors: '' });
    expect(await readdir(join(folder, 'mnt', 'backup', 'backups'))).toHaveLength(before.length + 1);
  });

  it('describes a manual restore that yields all files', async () => {
    expect(await run('repo storage verify --data /srv/by-hand')).toMatchObject({
      code: 0,
      output: expect.stringContaining(`: ${LETTERS + 1} intact, 0 damaged, 0 missing, 0 unreadable.`),
    });
  });

  it('names all entries of a place and all properties of a manifest', async () => {
    const place = join(folder, 'mnt', 'backup');
    const [places, members] = await namesInTables();
    expect(places?.map((name) => name.split('/')[0])).toEqual(expect.arrayContaining(await readdir(place)));
    const [manifest] = await readdir(join(place, 'backups'));
    const found = await Bun.file(join(place, 'backups', manifest ?? '')).json();
    expect(members?.toSorted()).toEqual(Object.keys(found).toSorted());
  });
});

/** The code in the first columns of the two tables about the place. */
async function namesInTables(): Promise<string[][]> {
  const [, text = ''] = (await readFile(PAGE, 'utf8')).split('## Files of a backup');
  const [about = ''] = text.split('\n## ');
  return about.split('The manifest:').map((part) => {
    const cells = [...part.matchAll(/^\|([^|]+)\|/gm)].map(([, cell]) => cell as string);
    return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name as string));
  });
}
