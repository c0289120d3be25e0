import { afterAll, afterEach, beforeAll, describe, expect, it } from 'bun:test';
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { folderNameOf, thisProcess } from '../../../src/base/process-identity.ts';
import { emptyFolder } from '../../support/empty-folder.ts';
import { endedProcess } from '../../support/ended-process.ts';
import { isRunning } from '../../support/leftovers.ts';
import { createTestProcessor, type TestProcessor } from '../../support/test-processor.ts';
import { until } from '../../support/until.ts';

/** A duration that no one else sleeps for, to find our sleepers by. */
const SLEEP = '65.43217';
const shell = (script: string, more = '') => `{ cmd: sh, args: [-c, ${JSON.stringify(script)}]${more} }`;
const SHOW = 'pwd; echo $TMPDIR; stat -c %a .';

let place: string;
let processor: TestProcessor;
const configuration = (workFolder: string) => `
allowedMimeTypes: ["*"]
workFolder: ${workFolder}
cmdByMimeType:
  x/shows: ${shell(SHOW)}
  x/elsewhere: ${shell('echo $TMPDIR', ', env: { TMPDIR: /somewhere/else }')}
  x/leaves: ${shell('cat > source; mkdir -p a/b; touch a/b/c; chmod 0 a/b; chmod 0 a; echo done')}
  x/fails: ${shell('cat > source; exit 3')}
  x/hangs: ${shell(`cat > source; exec sleep ${SLEEP}`, ', timeout: 0.2')}
  x/slow: ${shell(`cat > source; exec sleep ${SLEEP}`)}
  x/forks: ${shell('(sleep 0.3; echo late > left) > /dev/null 2>&1 & echo done')}
  default: { cmd: cat }
`;

beforeAll(async () => {
  place = await emptyFolder();
  processor = await createTestProcessor(configuration(place));
});
afterAll(async () => {
  await processor.stop();
  expect(await readdir(place)).toEqual([]);
});

/** The folders of runs, and what is in them. */
const leftovers = () => readdir(place, { recursive: true });

describe('a run', () => {
  afterEach(() => until(async () => (await leftovers()).length === 0));

  it('has a private folder as working directory and TMPDIR', async () => {
    const show = async () => (await (await processor.post('x/shows', 'x')).text()).trim().split('\n');
    const [first, second] = await Promise.all([show(), show()]);
    const [folder, temporary, mode] = first;
    expect(temporary).toBe(folder);
    expect(mode).toBe('700');
    expect(folder).toStartWith(`${place}/repo-command-${folderNameOf(thisProcess())}.`);
    expect(second[0]).not.toBe(folder);
  });

  it('keeps a configured TMPDIR', async () => {
    expect(await (await processor.post('x/elsewhere', 'x')).text()).toBe('/somewhere/else\n');
  });

  it.each([
    ['succeeds and leaves folders without permissions', 'x/leaves', 200],
    ['leaves a child that still writes', 'x/forks', 200],
    ['fails', 'x/fails', 500],
    ['takes too long', 'x/hangs', 504],
  ])('that %s leaves nothing in the work folder', async (_, type, status) => {
    const response = await processor.post(type, 'the bytes of a source');
    await response.arrayBuffer();
    expect(response.status).toBe(status);
    if (type === 'x/leaves') expect(await leftovers()).toEqual([]);
  });

  it('leaves nothing in the work folder if its client disconnects', async () => {
    const abort = new AbortController();
    const options = { method: 'POST', body: 'x', headers: { 'Content-Type': 'x/slow' }, signal: abort.signal };
    const answer = fetch(processor.url, options);
    await until(async () => (await leftovers()).some((name) => name.endsWith('/source')));
    abort.abort();
    await expect(answer).rejects.toThrow();
    await until(() => !isRunning(`sleep ${SLEEP}`));
  });
});

describe('the start of a processor', () => {
  const folderOf = (identity: Parameters<typeof folderNameOf>[0]) => `repo-command-${folderNameOf(identity)}.x1Y2z3`;
  async function put(parent: string, name: string): Promise<string> {
    await mkdir(join(parent, name, '7'), { recursive: true });
    await writeFile(join(parent, name, '7', 'source'), 'the bytes of a source');
    return join(parent, name, '7');
  }

  it('removes only the folders of ended processes of this machine', async () => {
    const parent = await emptyFolder();
    const living = { ...thisProcess(), pid: process.ppid };
    const { start } = Bun.spawnSync(['true']) && livingStart(process.ppid);
    const kept = [
      folderOf({ ...living, start }),
      folderOf({ ...endedProcess(), host: 'another-host' }),
      `${folderOf(endedProcess())}/not-a-folder`.replace('/', '-'),
      'repo-command-notes',
    ];
    for (const name of kept) await put(parent, name);
    const unwritable = await put(parent, folderOf(endedProcess()));
    await chmod(unwritable, 0o500);
    await (await createTestProcessor(configuration(parent))).stop();
    expect((await readdir(parent)).sort()).toEqual(kept.sort());
  });

  it('ends the commands of a server that was killed with its watcher', async () => {
    const parent = await emptyFolder();
    const folder = await put(parent, folderOf(endedProcess()));
    const script = `cd /; sleep ${SLEEP} & exec sleep ${SLEEP}`;
    const env = { PATH: process.env.PATH ?? '', TMPDIR: folder };
    const left = Bun.spawn(['sh', '-c', script], { env, detached: true });
    const working = Bun.spawn(['sleep', SLEEP], { cwd: folder, detached: true });
    const ours = Bun.spawn(['sleep', SLEEP], { cwd: parent, detached: true });
    try {
      await (await createTestProcessor(configuration(parent))).stop();
      await Promise.all([left.exited, working.exited]);
      expect(left.signalCode).toBe('SIGKILL');
      expect(working.signalCode).toBe('SIGKILL');
      expect(ours.signalCode).toBeNull();
    } finally {
      ours.kill('SIGKILL');
      await ours.exited;
    }
    await until(() => !isRunning(`sleep ${SLEEP}`));
    expect(await readdir(parent)).toEqual([]);
  });

  it('fails with an unusable work folder', async () => {
    const file = join(await emptyFolder(), 'file');
    await writeFile(file, '');
    await expect(createTestProcessor(configuration(join(file, 'x')))).rejects.toThrow(
      `workFolder: commands cannot work in ${file}/x (ENOTDIR); name a folder that may be written to`,
    );
  });
});

it('a processor resolves a relative program path against its working directory', async () => {
  const folder = await emptyFolder();
  const program = join(folder, 'program');
  await writeFile(program, '#!/bin/sh\necho found\n');
  await chmod(program, 0o755);
  const path = relative(process.cwd(), program);
  const other = await createTestProcessor(`allowedMimeTypes: ["*"]\ncmdByMimeType: { default: { cmd: ${path} } }\n`);
  expect(await (await other.post('x/y', 'x')).text()).toBe('found\n');
  await other.stop();
});

it('a processor logs that a new work folder requires a restart', async () => {
  await processor.reload(configuration('/tmp'));
  expect(processor.log.at(-1)?.msg).toBe('workFolder has changed: restart to apply the change');
  await processor.reload(configuration(place));
});

/** Returns the start time of a process, which is part of the name of its folder. */
function livingStart(pid: number) {
  const stat = Bun.spawnSync(['cat', `/proc/${pid}/stat`]).stdout.toString();
  return { start: Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]) };
}
