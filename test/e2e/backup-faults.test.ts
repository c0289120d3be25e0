import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readEnv } from '../../src/base/env.ts';
import { DEFAULT_SERVER_CONFIG } from '../../src/config/server-config.ts';
import { createLocalStorage } from '../../src/storage/local/local.ts';
import { audit } from '../support/audit.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { openBesideServer } from '../support/open-beside-server.ts';
import { createRandom } from '../support/random.ts';
import { compareRepositories } from '../support/same-repository.ts';
import { sized } from '../support/size.ts';
import { CAN_MOUNT, mountSmallDisk } from '../support/small-disk.ts';
import { createTestRepository, type TestRepository } from '../support/test-repository.ts';
import { until } from '../support/until.ts';

const MAIN = join(import.meta.dir, '../../src/main.ts');
const FILES = 60;
const FILE_BYTES = 200_000;
const KILLS = Number(readEnv('REPO_BACKUP_KILLS') ?? sized(3, 6));

const folder = await emptyFolder();
const disk = join(folder, 'disk');
await mkdir(disk);
const smallDisk = CAN_MOUNT ? mountSmallDisk(disk, '8m') : undefined;
let repository: TestRepository;

beforeAll(async () => {
  repository = await createTestRepository();
  const random = createRandom(11);
  const use = await repository.termId('http://pcdm.org/use#OriginalFile');
  for (let index = 0; index < FILES; index++) {
    const node = await repository.node();
    const headers = { 'Content-Type': 'text/plain', 'Content-Location': `private://faults/${index}.txt` };
    const path = `/node/${node.nid[0].value}/media/file/${use}`;
    const response = await repository.put(path, random.bytes(FILE_BYTES), headers, 'admin');
    expect(response.status).toBe(201);
  }
}, 60_000);
afterAll(async () => {
  await repository.stop();
  smallDisk?.unmount();
});

interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** The command line, as an operator has it; killed after `killAfterMs`, if that is sooner than its end. */
async function repo(args: readonly string[], killAfterMs?: number): Promise<Outcome> {
  const child = Bun.spawn([process.execPath, MAIN, ...args], { stdout: 'pipe', stderr: 'pipe' });
  const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  await child.exited;
  clearTimeout(timer);
  return { code: child.exitCode, out, err };
}

const backUp = (place: string, ...more: string[]) => ['backup', place, '--data', repository.dataFolder, ...more];
const restore = (place: string, data: string, ...more: string[]) => ['restore', place, '--data', data, ...more];

async function storesOf(dataFolder: string) {
  const open = async (name: string) => [name, await createLocalStorage(join(dataFolder, 'files', name))] as const;
  return new Map(await Promise.all(DEFAULT_SERVER_CONFIG.schemes.map(({ name }) => open(name))));
}

async function differences(data: string): Promise<string[]> {
  const both = [repository.dataFolder, data] as const;
  const databases = [join(both[0], 'repository.db'), join(both[1], 'repository.db')] as const;
  return (await compareRepositories(databases, [await storesOf(both[0]), await storesOf(both[1])])).differences;
}

async function everyFile(place: string): Promise<string[]> {
  const entries = await readdir(place, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

describe('a backup', () => {
  it.if(CAN_MOUNT)(
    'reports a full disk, keeps only complete files, and resumes when there is space',
    async () => {
      const place = join(disk, 'place');
      const full = await repo(backUp(place));
      expect(full).toMatchObject({ code: 1, out: '' });
      expect(full.err).toContain(`${place} cannot be written to: there is no room left.`);
      const listed = await repo(['backup', place, '--list']);
      expect(listed.out).toBe('No backups.\n');
      const contents = (await everyFile(join(place, 'files'))).length;
      expect(contents).toBeGreaterThan(5);
      for (const file of await everyFile(join(place, 'files')))
        expect(new Bun.CryptoHasher('sha256').update(await Bun.file(file).bytes()).digest('hex')).toBe(file.slice(-64));
      expect(await everyFile(join(place, 'incomplete'))).toEqual([]);
      smallDisk?.resize('64m');
      const again = await repo(backUp(place));
      expect(again.code).toBe(0);
      expect(again.out).toContain(`${FILES + 1 - contents} files copied`);
      const data = join(folder, 'after-full');
      expect((await repo(restore(place, data))).code).toBe(0);
      expect(await differences(data)).toEqual([]);
    },
    60_000,
  );

  it.if(CAN_MOUNT)(
    'reports a disk that is too small for the database',
    async () => {
      const small = join(folder, 'small');
      await mkdir(small);
      const mounted = mountSmallDisk(small, '1m');
      try {
        const { code, err } = await repo(backUp(join(small, 'place')));
        expect(code).toBe(1);
        expect(err).toContain(`copied into ${join(small, 'place/incomplete')}: there is no room left.`);
        expect(await everyFile(join(small, 'place'))).toEqual([join(small, 'place', 'backup.lock')]);
      } finally {
        mounted.unmount();
      }
    },
    30_000,
  );

  it(`completes in the next run after ${KILLS} kills, without partial files`, async () => {
    const place = join(folder, 'killed');
    const random = createRandom(7);
    expect((await repo(backUp(join(folder, 'measured')))).code).toBe(0);
    let killed = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      // With all that is there read again, so slowly that there is a middle.
      const { code } = await repo(backUp(place, '--verify', '--rate', '6MB/s'), 500 + random.below(1_500));
      killed += Number(code !== 0);
      const made = (await repo(['backup', place, '--list'])).out
        .split('\n')
        .filter((line) => line.includes('database of'));
      expect(made).toHaveLength(kill + 1 - killed);
    }
    expect(killed).toBeGreaterThan(0);
    const { code } = await repo(backUp(place));
    expect(code).toBe(0);
    expect(await readdir(join(place, 'incomplete'))).toEqual([]);
    const data = join(folder, 'after-kill');
    expect((await repo(restore(place, data))).code).toBe(0);
    expect(await differences(data)).toEqual([]);
    expect(await audit(data, true)).toEqual([]);
    console.log(`killed ${killed} of ${KILLS} backups`);
    // Their leases expire ten minutes after they were killed; the test does not wait for that.
    const database = openBesideServer(join(repository.dataFolder, 'repository.db'));
    const left = database
      .prepare("SELECT count(*) FROM object_hold WHERE until > unixepoch('subsec') + 600")
      .raw(true)
      .get();
    database.exec('DELETE FROM object_hold');
    database.close();
    expect(left).toEqual([0]);
  }, 120_000);

  it('is rejected while another backup writes to the same place', async () => {
    const place = join(folder, 'two');
    const first = repo(backUp(place, '--rate', '2MB/s'));
    await until(async () => (await everyFile(place).catch(() => [])).length >= 5);
    const second = await repo(backUp(place));
    expect(second).toMatchObject({ code: 1, out: '' });
    expect(second.err).toContain(`Another backup to ${place} is under way.`);
    expect((await first).code).toBe(0);
  }, 30_000);

  it('stops cleanly on Ctrl-C, and prints how to resume', async () => {
    const place = join(folder, 'interrupted');
    const child = Bun.spawn([process.execPath, MAIN, ...backUp(place, '--rate', '2MB/s')], { stderr: 'pipe' });
    await until(async () => (await everyFile(place).catch(() => [])).length >= 5);
    child.kill('SIGINT');
    const err = await new Response(child.stderr).text();
    await child.exited;
    expect(child.exitCode).toBe(1);
    expect(err).toContain('The backup was interrupted. Run the same command to resume it.');
    expect(await everyFile(join(place, 'incomplete'))).toEqual([]);
    expect((await repo(backUp(place))).code).toBe(0);
  }, 30_000);
});

describe('a restore', () => {
  it(`creates the repository in the next run after ${KILLS} kills`, async () => {
    const [place, data] = [join(folder, 'measured'), join(folder, 'restored')];
    const random = createRandom(9);
    const isRestored = () => Bun.file(join(data, 'repository.db')).exists();
    let killed = 0;
    // One that has put the database in place, the last thing that it does, was killed too late.
    for (let kill = 0; kill < KILLS && !(await isRestored()); kill++) {
      const { code } = await repo(restore(place, data, '--rate', '3MB/s'), 300 + random.below(1_500));
      killed += Number(code !== 0);
    }
    expect(killed).toBeGreaterThan(0);
    if (!(await isRestored())) expect((await repo(restore(place, data))).code).toBe(0);
    expect(await differences(data)).toEqual([]);
    expect((await repo(restore(place, data))).err).toContain('There is a repository already');
    console.log(`killed ${killed} of ${KILLS} restores`);
  }, 120_000);

  it.if(CAN_MOUNT)(
    'reports a full disk, and creates no repository',
    async () => {
      const small = join(folder, 'small-target');
      await mkdir(small);
      const mounted = mountSmallDisk(small, '8m');
      try {
        const { code, out, err } = await repo(restore(join(folder, 'measured'), join(small, 'data')));
        expect({ code, out }).toEqual({ code: 1, out: '' });
        expect(err).toContain('there is no room left');
        expect(await Bun.file(join(small, 'data/repository.db')).exists()).toBe(false);
      } finally {
        mounted.unmount();
      }
    },
    30_000,
  );

  it('exits with 1 and names a damaged file', async () => {
    const place = join(folder, 'two');
    const [content = ''] = await everyFile(join(place, 'files'));
    await writeFile(content, 'damaged');
    const { code, err } = await repo(restore(place, join(folder, 'of-damaged')));
    expect(code).toBe(1);
    expect(err).toMatch(/Lost: file \d+, \w+:\/\/\S+: it has 7 bytes instead of \d+/);
    expect(err).toContain('no repository was created');
  }, 30_000);
});
