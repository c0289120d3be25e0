import { describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import type { InStatement } from '@libsql/client';
import { ServiceError } from '../../../../src/base/errors.ts';
import { failedGuard, failedUniqueness } from '../../../../src/database/errors.ts';
import { LocalConnection } from '../../../../src/database/local/local-connection.ts';
import { createLocalClient, openLocalDatabase } from '../../../../src/database/local/open-local-database.ts';
import { WriteQueue } from '../../../../src/database/local/write-queue.ts';
import { emptyFolder } from '../../../support/empty-folder.ts';
import { failure } from '../../../support/rejection.ts';
import { until } from '../../../support/until.ts';

const insert = (id: number, name = `n${id}`): InStatement => ({
  sql: 'INSERT INTO item VALUES (?, ?)',
  args: [id, name],
});
const STALE: InStatement = { sql: 'INSERT INTO guard (stale) SELECT 1', args: [] };

/** A connection that counts what begins and ends a transaction. */
class CountingConnection extends LocalConnection {
  attempts = 0;
  commits = 0;
  override script(sql: string) {
    if (sql === 'BEGIN IMMEDIATE') this.attempts += 1;
    super.script(sql);
  }
  override commit() {
    this.commits += 1;
    return super.commit();
  }
}

async function open(now?: () => number) {
  const file = join(await emptyFolder(), 'a.db');
  const connection = new CountingConnection(file);
  connection.script('CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT UNIQUE)');
  connection.script('CREATE TABLE guard (stale INTEGER, CONSTRAINT guard_stale CHECK (stale IS NULL))');
  const queue = new WriteQueue(connection, undefined, now);
  const ids = () => connection.run('SELECT id FROM item ORDER BY rowid').rows.map((row) => row[0]);
  return { file, connection, queue, ids };
}

/** Holds the write lock of a database in another process. Resolves with the end of it when it is held. */
async function holdElsewhere(file: string): Promise<() => Promise<unknown>> {
  const script = `${import.meta.dir}/../../../support/lock-child.ts`;
  const child = Bun.spawn([process.execPath, script, file], { stdin: 'pipe', stdout: 'pipe' });
  const { value } = await child.stdout.getReader().read();
  expect(new TextDecoder().decode(value)).toBe('held\n');
  return async () => {
    await child.stdin.end();
    await child.exited;
  };
}

describe('the write queue', () => {
  it('combines concurrent writes in one commit', async () => {
    const { connection, queue, ids } = await open();
    await Promise.all(Array.from({ length: 200 }, (_, id) => queue.write([insert(id)])));
    expect(ids()).toHaveLength(200);
    expect(connection.commits).toBe(2);
  });

  it('answers after the commit, when other connections see it', async () => {
    const { file, queue } = await open();
    const other = createLocalClient(file);
    await Promise.all(
      Array.from({ length: 50 }, async (_, id) => {
        await queue.write([insert(id)]);
        expect((await other.execute({ sql: 'SELECT 1 FROM item WHERE id = ?', args: [id] })).rows).toHaveLength(1);
      }),
    );
  });

  it('executes writes in order of arrival', async () => {
    const { connection, queue } = await open();
    const seen: number[] = [];
    await Promise.all(
      Array.from({ length: 300 }, (_, id) => queue.write([insert(1000 - id, `n${id}`)]).then(() => seen.push(id))),
    );
    expect(seen).toEqual(Array.from({ length: 300 }, (_, id) => id));
    expect(connection.run("SELECT count(*) FROM item WHERE name = 'n299'").rows[0]?.[0]).toBe(1);
  });

  it('fails one batch as a whole with its reason, and commits the others', async () => {
    const { queue, ids } = await open();
    const outcomes = await Promise.allSettled([
      queue.write([insert(1)]),
      queue.write([insert(2), STALE]),
      queue.write([insert(3), insert(1, 'twice')]),
      queue.write([insert(4)]),
      queue.write([{ sql: 'INSERT INTO nowhere VALUES (1)', args: [] }]),
      queue.write([insert(6)]),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    const reasons = outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason : undefined));
    expect(failedGuard(reasons[1])).toBe('guard_stale');
    expect(failedUniqueness(reasons[2])).toBe('item.id');
    expect((reasons[4] as Error).message).toContain('nowhere');
    expect(ids()).toEqual([1, 4, 6]);
  });

  it('fails a single batch as a whole with its reason', async () => {
    const { connection, queue, ids } = await open();
    await expect(queue.write([insert(1), STALE])).rejects.toThrow('guard_stale');
    expect(ids()).toEqual([]);
    expect(connection.isInTransaction).toBe(false);
    await queue.write([insert(1)]);
    expect(ids()).toEqual([1]);
  });

  it('waits for a lock of another process without blocking the event loop', async () => {
    const { file, queue, connection } = await open();
    const letGo = await holdElsewhere(file);
    let isWritten = false;
    const writing = queue.write([insert(1)]).then(() => {
      isWritten = true;
    });
    // A write that waited in place would hold the event loop, and the other process lets go only afterwards.
    await until(() => {
      expect(connection.run('SELECT count(*) FROM item').rows).toHaveLength(1);
      return connection.attempts > 20;
    });
    expect(isWritten).toBe(false);
    await letGo();
    await writing;
  });

  it('gives up after five seconds, and works again when the lock is released', async () => {
    let now = 0;
    const { file, queue, ids, connection } = await open(() => now);
    const letGo = await holdElsewhere(file);
    const first = queue.write([insert(1)]);
    now = 4_999;
    const late = queue.write([insert(2)]);
    await until(() => connection.attempts > 2);
    now = 5_000;
    const { kind, publicMessage, headers } = await failure(first);
    expect({ kind, publicMessage, headers }).toEqual({
      kind: 'database-locked',
      publicMessage: 'The database is in use by another program. Try again later.',
      headers: { 'Retry-After': '5' },
    });
    connection.run('BEGIN');
    expect(connection.run('SELECT count(*) FROM item').rows[0]?.[0]).toBe(0);
    connection.run('COMMIT');
    await letGo();
    await late;
    expect(ids()).toEqual([2]);
  });

  it('gets a turn despite another process that writes without a pause', async () => {
    const { file, queue, ids } = await open();
    await queue.write([insert(0)]);
    const script = `${import.meta.dir}/../../../support/busy-writer-child.ts`;
    const child = Bun.spawn([process.execPath, script, file], { stdout: 'pipe' });
    try {
      await child.stdout.getReader().read();
      for (let id = 1; id <= 10; id++) await queue.write([insert(id)]);
      // Opening the file takes a lock, too.
      for (let times = 0; times < 5; times++) await openLocalDatabase(file).close();
      expect(child.exitCode).toBeNull();
    } finally {
      child.kill();
      await child.exited;
    }
    expect(ids()).toHaveLength(11);
  }, 60_000);

  it('reports a full disk, saves nothing of the batch, and continues when there is room', async () => {
    const { connection, queue, ids } = await open();
    const pages = Number(connection.run('PRAGMA page_count').rows[0]?.[0]);
    connection.run(`PRAGMA max_page_count = ${pages + 2}`);
    const large = (id: number) => [insert(id), insert(id + 100, 'x'.repeat(100_000) + id)];
    const outcomes = await Promise.allSettled([1, 2, 3].map((id) => queue.write(large(id))));
    for (const outcome of outcomes) {
      expect(outcome.status).toBe('rejected');
      expect((outcome as PromiseRejectedResult).reason).toBeInstanceOf(ServiceError);
      expect((outcome as PromiseRejectedResult).reason.kind).toBe('storage-full');
    }
    expect((await failure(queue.write(large(4)))).kind).toBe('storage-full');
    expect(ids()).toEqual([]);
    await queue.write([insert(7)]);
    connection.run('PRAGMA max_page_count = 100000');
    await queue.write(large(8));
    expect(ids()).toEqual([7, 8, 108]);
  });

  it('reports a read-only database, and continues when it is writable again', async () => {
    const { connection, queue, ids } = await open();
    connection.run('PRAGMA query_only = 1');
    const { kind, publicMessage } = await failure(queue.write([insert(1)]));
    expect({ kind, publicMessage }).toEqual({
      kind: 'storage-failed',
      publicMessage: 'The database cannot be used at present.',
    });
    connection.run('PRAGMA query_only = 0');
    await queue.write([insert(2)]);
    expect(ids()).toEqual([2]);
  });
});

describe('a write into a damaged full-text index', () => {
  it('fails with the error of the index, and fails no other write of its group', async () => {
    const client = createLocalClient(join(await emptyFolder(), 'a.db'));
    await client.executeMultiple(`CREATE TABLE note (id INTEGER PRIMARY KEY);
      CREATE VIRTUAL TABLE word USING fts5(text, content='', contentless_delete=1)`);
    // Each commit adds a segment, until one of them merges the segments.
    for (let id = 1; id < 16; id++) await client.execute(`INSERT INTO word (rowid, text) VALUES (${id}, 'ship')`);
    await client.execute(`UPDATE word_data SET block = x'00' WHERE id > 10`);
    const outcomes = await Promise.allSettled([
      client.execute(`INSERT INTO word (rowid, text) VALUES (16, 'ship')`),
      client.execute('INSERT INTO note (id) VALUES (1)'),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    const [failed] = outcomes as PromiseRejectedResult[];
    expect(String(failed?.reason?.cause)).toContain('malformed');
    expect(await client.first('SELECT count(*) FROM note', [])).toEqual([1] as never);
    await client.finish();
  });
});
