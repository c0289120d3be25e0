import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, openLocalDatabase } from '../../src/database/database.ts';
import { createMedia, pngHead } from '../support/binaries.ts';
import { copyNode } from '../support/copied-nodes.ts';
import { EXECUTABLE } from '../support/executable.ts';
import { until } from '../support/test-processor.ts';
import { createTestRepository } from '../support/test-repository.ts';

const COPIES = 5_000;
const ALL = 3 * (COPIES + 1);
const KILLS = 3;
const ENV = { PATH: '/nonexistent' };

let folder: string;
let database: Database;
let node: number;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'repo-derivatives-scan-'));
  const repository = await createTestRepository();
  const made = await repository.node();
  node = made.nid[0].value;
  await createMedia(repository, { node: made, uri: 'public://a.png', body: pngHead(3, 4, 'a') });
  await copyNode(repository.running.services.database, node, COPIES, 'copy');
  await repository.running.stop(1);
  await cp(repository.dataFolder, folder, { recursive: true });
  await rm(repository.dataFolder, { recursive: true });
  database = openLocalDatabase(join(folder, 'repository.db'));
});
beforeEach(async () => {
  await database.write(
    ['derivative_job', 'derivative_scan', 'derivative_scan_count'].map((table) => `DELETE FROM ${table}`),
  );
});
afterAll(async () => {
  await database.close();
  await rm(folder, { recursive: true });
});

function start(...args: string[]) {
  const command = [EXECUTABLE, 'derivatives', 'scan', '--data', folder, ...args];
  return Bun.spawn(command, { env: ENV, stdout: 'pipe', stderr: 'pipe' });
}

async function end(child: ReturnType<typeof start>) {
  const [code, out, err] = await Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code, out, err };
}

const repo = (...args: string[]) => end(start(...args));

async function count(sql: string): Promise<number> {
  database.refresh();
  return Number((await database.first(sql, []))?.[0]);
}
const jobs = () => count('SELECT count(*) FROM derivative_job');
const isUnderWay = async () => (await count('SELECT count(*) FROM derivative_scan WHERE position > 0')) === 1;

describe('repo derivatives scan', () => {
  it('queues what is missing, and says so in a sentence', async () => {
    const done = `Looked at ${COPIES + 1} media: ${ALL} derivatives queued, 0 queued already, 0 failed before.\n`;
    expect(await repo()).toEqual({ code: 0, out: done, err: '' });
    expect(await jobs()).toBe(ALL);
    expect(await count('SELECT count(*) FROM derivative_job WHERE user_id <> 1')).toBe(0);
    const again = `Looked at ${COPIES + 1} media: 0 derivatives queued, ${ALL} queued already, 0 failed before.\n`;
    expect(await repo('--quiet')).toEqual({ code: 0, out: again, err: '' });
  });

  it('looks for one action, at one node, and only counts', async () => {
    const options = ['--node', String(node), '--action', 'generate_a_technical_metadata_derivative', '--dry-run'];
    expect(await repo(...options)).toEqual({
      code: 0,
      out: 'Looked at 1 media: 1 derivatives to be queued, 0 queued already, 0 failed before.\n',
      err: '',
    });
    expect(await jobs()).toBe(0);
  });

  it('says what to do about those that have failed', async () => {
    await repo('--node', String(node));
    await database.write([
      "UPDATE derivative_job SET state = 'failed' WHERE id = (SELECT min(id) FROM derivative_job)",
    ]);
    expect((await repo('--node', String(node))).out).toBe(
      'Looked at 1 media: 0 derivatives queued, 2 queued already, 1 failed before (try them again with: repo derivatives retry --failed).\n',
    );
  });

  it('ends with Ctrl-C after a batch, says how to go on, and does so', async () => {
    const child = start();
    await until(isUnderWay);
    child.kill('SIGINT');
    const { code, out, err } = await end(child);
    expect(out).toMatch(/^Looked at \d+ media: \d+ derivatives queued, 0 queued already, 0 failed before\.\n$/);
    expect({ code, err }).toEqual({
      code: 1,
      err: 'The scan was broken off. The same command goes on from here; with --restart it begins anew.\n',
    });
    const sofar = await jobs();
    expect([out.includes(`${sofar} derivatives queued`), sofar > 0 && sofar < ALL]).toEqual([true, true]);
    expect(await repo()).toMatchObject({ code: 0, out: expect.stringContaining(`: ${ALL} derivatives queued, 0 `) });
    expect(await jobs()).toBe(ALL);
  });

  it('goes on where it was killed', async () => {
    for (let kill = 0; kill < KILLS; kill++) {
      const before = await jobs();
      const child = start();
      await until(async () => (await jobs()) > before);
      child.kill('SIGKILL');
      expect((await end(child)).out).toBe('');
    }
    expect(await jobs()).toBeLessThan(ALL);
    expect((await repo()).out).toContain(`Looked at ${COPIES + 1} media: ${ALL} derivatives queued, 0 queued already`);
    expect(await jobs()).toBe(ALL);
  });

  it('begins anew with --restart', async () => {
    const child = start();
    await until(isUnderWay);
    child.kill('SIGKILL');
    await end(child);
    const { out } = await repo('--restart');
    expect(out).not.toContain(', 0 queued already');
    expect(out).toContain(`Looked at ${COPIES + 1} media: `);
    expect(await jobs()).toBe(ALL);
  });

  it('queues nothing for an administrator who is blocked', async () => {
    await database.write(['UPDATE user SET status = 0 WHERE id = 1']);
    try {
      expect(await repo()).toEqual({
        code: 1,
        out: '',
        err: 'What is missing would be made for admin, who is blocked. Let them in first: repo user unblock admin\n',
      });
      expect((await repo('--dry-run')).code).toBe(0);
    } finally {
      await database.write(['UPDATE user SET status = 1 WHERE id = 1']);
    }
  });

  it.each([
    [
      ['--action', 'get_ocr_from_images'],
      1,
      'There is no action named get_ocr_from_images; did you mean get_ocr_from_image?',
    ],
    [['--node', '99999999'], 1, 'There is no node 99999999.'],
    [['--node', 'x'], 2, 'It must be a number from 1'],
    [['--dry-runs'], 2, "unknown option '--dry-runs'; did you mean --dry-run?"],
  ])('answers %j with %i', async (args, code, message) => {
    expect(await repo(...args)).toEqual({ code, out: '', err: expect.stringContaining(message) });
  });
});
