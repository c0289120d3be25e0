import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { statementsOf } from '../../../src/database/database.ts';
import { type ScanOptions, type ScanProgress, scan } from '../../../src/jobs/scan.ts';
import { createActorFactory } from '../../../src/repository/actor.ts';
import { createMedia, pngHead } from '../../support/binaries.ts';
import { copyNode } from '../../support/copied-nodes.ts';
import { changeJobs } from '../../support/derivative-site.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

const PATH = '/admin/reports/derivatives/scan?_format=json';
const NODES = 1_001;
const BATCH = 250;
const ALL = 3 * NODES;

let repository: TestRepository;
beforeAll(async () => {
  repository = await createTestRepository();
  const node = await repository.node();
  await createMedia(repository, { node, uri: 'public://a.png', body: pngHead(30, 40, 'a') });
  await copyNode(repository.running.services.database, node.nid[0].value, NODES - 1, 'copy');
});
beforeEach(async () => {
  for (const rows of ['derivative_job', "run WHERE kind = 'scan'", 'derivative_scan_count'])
    await changeJobs(repository, `DELETE FROM ${rows}`);
});
afterAll(() => repository.stop());

function begin(options: ScanOptions = {}): AsyncGenerator<ScanProgress> {
  const { services } = repository.running;
  const makeActor = createActorFactory(services.model, services.access);
  return scan(services, makeActor({ id: 1, uuid: 'u', name: 'admin', roles: ['administrator'] }), options);
}

function finish(scanning: AsyncGenerator<ScanProgress>): Promise<ScanProgress[]> {
  return Array.fromAsync(scanning);
}

/** Goes on for some batches, and is not heard of again. */
async function breakOff(batches: number, options: ScanOptions = {}): Promise<void> {
  const scanning = begin(options);
  for (let count = 0; count < batches; count++) await scanning.next();
}

async function count(sql: string): Promise<number> {
  return Number((await repository.running.services.database.client.execute(sql)).rows[0]?.[0]);
}
const jobs = () => count('SELECT count(*) FROM derivative_job');
const positions = () => count("SELECT count(*) FROM run WHERE kind = 'scan' AND ended_at IS NULL");

describe('a scan of more than a batch', () => {
  it('tells how far it is after every batch, and forgets its position at the end', async () => {
    const told = await finish(begin());
    const expected = [1, 2, 3, 4].map((batch) => ({ scanned: batch * BATCH, isFinished: false }));
    expect(told).toMatchObject([...expected, { scanned: NODES, isFinished: true }]);
    expect(new Set(told.map(({ total }) => total))).toEqual(new Set([NODES]));
    expect(told.at(-1)).toMatchObject({ queued: ALL, open: 0, failed: 0 });
    expect({ jobs: await jobs(), positions: await positions() }).toEqual({ jobs: ALL, positions: 0 });
  });

  it('ends with a batch that is just full', async () => {
    await changeJobs(repository, 'UPDATE media SET id = -id WHERE id > ?', [2 * BATCH]);
    try {
      expect((await finish(begin())).map(({ isFinished }) => isFinished)).toEqual([false, true]);
    } finally {
      await changeJobs(repository, 'UPDATE media SET id = -id WHERE id < 0');
    }
  });

  it('expects less where media are gone', async () => {
    await changeJobs(repository, 'UPDATE media SET id = -id WHERE id BETWEEN 300 AND 349');
    try {
      const told = await finish(begin());
      expect(told.map(({ total }) => total)).toEqual([NODES, NODES - 50, NODES - 50, NODES - 50]);
      expect(told.at(-1)?.scanned).toBe(NODES - 50);
    } finally {
      await changeJobs(repository, 'UPDATE media SET id = -id WHERE id < 0');
    }
  });

  it('continues where it was interrupted', async () => {
    await breakOff(2);
    expect({ jobs: await jobs(), positions: await positions() }).toEqual({ jobs: 3 * 2 * BATCH, positions: 1 });
    const told = await finish(begin());
    expect(told[0]?.scanned).toBe(3 * BATCH);
    expect(told.at(-1)).toMatchObject({ scanned: NODES, queued: ALL, open: 0, isFinished: true });
    expect(await jobs()).toBe(ALL);
  });

  it('goes on after the repository has ended', async () => {
    await breakOff(2);
    await repository.restart();
    expect((await finish(begin()))[0]?.scanned).toBe(3 * BATCH);
  });

  it('goes on over HTTP with what was begun elsewhere', async () => {
    await breakOff(3);
    const answer = (await (await repository.post(PATH, {}, 'admin')).json()) as EntityJson;
    expect(answer).toMatchObject({ scanned: NODES, total: NODES, queued: ALL, queued_before: 0, finished: true });
  });

  it('starts again on request', async () => {
    await breakOff(2);
    const told = await finish(begin({ restart: true }));
    expect(told[0]).toMatchObject({ scanned: BATCH, queued: 0, open: 3 * BATCH });
    expect(told.at(-1)).toMatchObject({ scanned: NODES, queued: ALL - 6 * BATCH, open: 6 * BATCH });
  });

  it('does not go on with a scan for something else', async () => {
    await breakOff(2, { dryRun: true });
    await breakOff(1, { action: 'generate_a_technical_metadata_derivative' });
    expect({ jobs: await jobs(), positions: await positions() }).toEqual({ jobs: BATCH, positions: 2 });
    expect((await finish(begin()))[0]).toMatchObject({ scanned: BATCH, queued: 2 * BATCH, open: BATCH });
    expect((await finish(begin({ dryRun: true })))[0]).toMatchObject({ scanned: 3 * BATCH, queued: 6 * BATCH });
  });

  it('writes nothing of a batch whose position was lost', async () => {
    await breakOff(1);
    const { database } = repository.running.services;
    const write = database.write;
    let isFirst = true;
    // What another scan does between the look at a batch and its commit.
    Object.assign(database, {
      async write(statements: Parameters<typeof write>[0]) {
        if (
          isFirst &&
          statementsOf(statements).some((each) => typeof each === 'object' && each.sql.startsWith('update "run"'))
        ) {
          isFirst = false;
          await write([`UPDATE run SET progress = json_set(progress, '$.position', ${3 * BATCH}) WHERE kind = 'scan'`]);
        }
        return write(statements);
      },
    });
    try {
      expect((await begin().next()).value).toMatchObject({ scanned: 2 * BATCH, queued: 6 * BATCH });
    } finally {
      Object.assign(database, { write });
    }
    expect(await count("SELECT progress ->> 'position' FROM run WHERE kind = 'scan'")).toBe(4 * BATCH);
  });

  it('does no harm twice at once', async () => {
    const both = await Promise.all([finish(begin()), finish(begin())]);
    for (const told of both) expect(told.at(-1)).toMatchObject({ isFinished: true });
    const ends = both.map((told) => told.at(-1)?.scanned ?? 0);
    expect(Math.max(...ends)).toBe(NODES);
    expect({ jobs: await jobs(), positions: await positions() }).toEqual({ jobs: ALL, positions: 0 });
    expect(await count('SELECT count(DISTINCT node_id || action) FROM derivative_job')).toBe(ALL);
  });

  it('lets others have their turn', async () => {
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 0);
    const batches = (await finish(begin({ dryRun: true }))).length;
    clearInterval(timer);
    expect(turns).toBeGreaterThanOrEqual(batches - 1);
  });
});
