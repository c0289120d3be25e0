import { beforeAll, describe, expect, it } from 'bun:test';
import { chmod, chown, copyFile, cp, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { outcomeOf } from '../support/command-outcome.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { EXECUTABLE } from '../support/server-process.ts';
import { copyFirstStart, IS_ON_SQLD } from '../support/test-repository.ts';

/** Only root may change owners. Elsewhere `test/unit/server/enter-data-folder.test.ts` remains. */
const IS_ROOT = process.getuid?.() === 0;
/** A user of every system, and one without a name. */
const NOBODY = Number(Bun.spawnSync(['id', '-u', 'nobody']).stdout);
const NAMELESS = 54_321;
const env = { PATH: process.env.PATH ?? '' };

let whole: string;
beforeAll(async () => {
  whole = join(await emptyFolder(), 'whole');
  await copyFirstStart(whole);
});

async function dataOf(uid: number): Promise<string> {
  const data = join(await emptyFolder(), 'data');
  await cp(whole, data, { recursive: true });
  for (const name of ['.', ...(await readdir(data, { recursive: true }))]) await chown(join(data, name), uid, uid);
  return data;
}

function repo(args: string[], variables: Record<string, string> = {}) {
  return outcomeOf(
    Bun.spawn([EXECUTABLE, ...args], { cwd: '/', env: { ...env, ...variables }, stdout: 'pipe', stderr: 'pipe' }),
  );
}

/** Everything in a folder with its owner, size and time of change. */
async function listing(data: string): Promise<string[]> {
  const names = await readdir(data, { recursive: true });
  return Promise.all(
    names.sort().map(async (name) => {
      const { uid, size, mtimeMs } = await stat(join(data, name));
      return `${name} ${uid} ${size} ${mtimeMs}`;
    }),
  );
}

const COMMANDS = [
  ['import', 'nodes.csv'],
  ['serve', '--port', '0'],
  ['serve', '--port', '0', '--workers', '2'],
  ['user', 'add', 'jane', '--password-stdin'],
  ['token', 'admin'],
  ['setting', 'list'],
  ['derivatives', 'list'],
  ['export', 'nodes.csv'],
  ['backup', '/missing'],
  ['restore', '/missing'],
  ['migrate'],
  ['search', 'reindex'],
  ['storage', 'verify'],
  ['storage', 'verify', '--database'],
  ['storage', 'gc', '--delete'],
];

describe.if(IS_ROOT && !IS_ON_SQLD)('a command of root in the data folder of another user', () => {
  it.each(COMMANDS.map((args) => [args.join(' '), args] as const))(
    'stops before it writes: %s',
    async (_name, args) => {
      const data = await dataOf(NOBODY);
      const before = await listing(data);
      const { code, out, err } = await repo([...args, '--data', data]);
      expect({ code, out }).toEqual({ code: 1, out: '' });
      expect(err.replaceAll(data, 'DATA').replace(EXECUTABLE, 'REPO')).toBe(
        'DATA/repository.db belongs to nobody, and this command runs as root, whose files that user could not use; ' +
          `run it as the owner: sudo -u nobody REPO ${args.join(' ')} --data DATA\n`,
      );
      expect(await listing(data)).toEqual(before);
    },
  );

  it('names the variables that sudo would remove, and the option of a container for a user without a name', async () => {
    const data = await dataOf(NAMELESS);
    const { err } = await repo(['user', 'list'], { REPO_DATA: data });
    expect(err).toContain(`sudo -u '#${NAMELESS}' --preserve-env=REPO_DATA ${EXECUTABLE} user list`);
    expect(err).toContain(`(in a container: --user ${NAMELESS})`);
  });

  it('stops in an empty folder', async () => {
    const data = await emptyFolder();
    await chown(data, NOBODY, NOBODY);
    expect((await repo(['serve', '--port', '0', '--data', data])).err).toContain(`${data} belongs to nobody`);
    expect(await readdir(data)).toEqual([]);
  });
});

describe.if(IS_ROOT && !IS_ON_SQLD)('the owner of a data folder', () => {
  it('may be root', async () => {
    const data = await dataOf(0);
    expect(await repo(['user', 'list', '--data', data])).toMatchObject({ code: 0, err: '' });
  });

  it('may be another user, also within a folder of root as in a container', async () => {
    // Others may not enter the folder for temporary files of the tests.
    const volume = await mkdtemp('/var/tmp/repo-test-');
    try {
      await chmod(volume, 0o777);
      await cp(await dataOf(NOBODY), volume, { recursive: true });
      for (const name of await readdir(volume, { recursive: true })) await chown(join(volume, name), NOBODY, NOBODY);
      const executable = join(volume, 'repo');
      await copyFile(EXECUTABLE, executable);
      const asNobody = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];
      const args = [executable, 'user', 'list', '--data', volume];
      const child = Bun.spawn([...asNobody, ...args], { env, stdout: 'pipe', stderr: 'pipe' });
      expect(await outcomeOf(child)).toMatchObject({ code: 0, err: '' });
    } finally {
      await rm(volume, { recursive: true });
    }
  });
});
