import { describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { DatabaseClient } from '../../../../src/database/database-client.ts';
import { failedGuard, failedUniqueness } from '../../../../src/database/errors.ts';
import { createLocalClient } from '../../../../src/database/local/open-local-database.ts';
import { emptyFolder } from '../../../support/empty-folder.ts';
import { failure } from '../../../support/rejection.ts';

const CLIENT_MODULE = import.meta.resolve('../../../../src/database/local/open-local-database.ts');

async function open(): Promise<{ client: DatabaseClient; other: DatabaseClient }> {
  const file = join(await emptyFolder(), 'a.db');
  const client = createLocalClient(file);
  await client.batch(
    [
      'CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT UNIQUE, bytes BLOB)',
      'CREATE TABLE guard (stale INTEGER, CONSTRAINT guard_stale CHECK (stale IS NULL))',
    ],
    'write',
  );
  return { client, other: createLocalClient(file) };
}

const insert = (name: string) => ({ sql: 'INSERT INTO item (name) VALUES (?) RETURNING id', args: [name] });

describe('the client of a local database', () => {
  it('opens a new file from several processes at once', async () => {
    const file = join(await emptyFolder(), 'new.db');
    const startAt = Date.now() + 1_000;
    const script = `const { createLocalClient } = await import(${JSON.stringify(CLIENT_MODULE)});
      while (Date.now() < ${startAt});
      await createLocalClient(${JSON.stringify(file)}).finish();`;
    const openers = Array.from({ length: 8 }, () =>
      Bun.spawn([process.execPath, '-e', script], { stdout: 'ignore', stderr: 'pipe' }),
    );
    for (const { stderr } of openers) expect(await new Response(stderr).text()).toBe('');
  });

  it('returns undefined if no row matches, even after the same query found rows', async () => {
    const local = createLocalClient(join(await emptyFolder(), 'a.db'));
    await local.batch(['CREATE TABLE item (name TEXT)', "INSERT INTO item VALUES ('a')"], 'write');
    const sql = 'SELECT name FROM item WHERE name = ?';
    expect((await local.execute({ sql, args: ['a'] })).rows).toHaveLength(1);
    expect(await local.first(sql, ['b'])).toBeUndefined();
    expect((await local.first(sql, ['a']))?.[0]).toBe('a');
    expect(await local.first(sql, ['b'])).toBeUndefined();
    await local.finish();
  });

  it('keeps values as given, with booleans as numbers', async () => {
    const { client } = await open();
    const bytes = new Uint8Array([0, 255, 1]);
    const [result] = await client.batch(
      [
        {
          sql: 'INSERT INTO item (id, name, bytes) VALUES (?, ?, ?) RETURNING id, name, bytes',
          args: [true, "O'Hara ü", bytes],
        },
      ],
      'write',
    );
    const [row] = result?.rows ?? [];
    expect(result?.columns).toEqual(['id', 'name', 'bytes']);
    expect(row?.[0]).toBe(1);
    expect(row?.[1]).toBe("O'Hara ü");
    expect(new Uint8Array(row?.[2] as unknown as Buffer)).toEqual(bytes);
    const read = await client.execute({ sql: 'SELECT typeof(id), typeof(bytes) FROM item WHERE id = ?', args: [true] });
    expect([...(read.rows[0] as unknown as string[])]).toEqual(['integer', 'blob']);
  });

  it('rejects a text that it would truncate', async () => {
    const { client } = await open();
    const { kind } = await failure(client.execute({ sql: 'SELECT * FROM item WHERE name = ?', args: ['admin\0x'] }));
    expect(kind).toBe('malformed');
  });

  it('returns the number of rows that a write changed', async () => {
    const { client } = await open();
    await client.batch([insert('a'), insert('b')], 'write');
    const [result] = await client.batch([{ sql: "UPDATE item SET name = name || '!'", args: [] }], 'write');
    expect(result?.rowsAffected).toBe(2);
  });

  it('reuses a statement after it failed and after the table changed', async () => {
    const { client } = await open();
    await client.execute(insert('a'));
    for (let count = 0; count < 3; count++) {
      const error = await client.execute(insert('a')).catch((reason: unknown) => reason);
      expect(failedUniqueness(error)).toBe('item.name');
    }
    await client.execute('ALTER TABLE item ADD COLUMN note TEXT');
    expect((await client.execute(insert('b'))).rows).toHaveLength(1);
  });

  it('works with more statements than it caches', async () => {
    const { client } = await open();
    for (let count = 0; count < 1_200; count++) {
      const { rows } = await client.execute(`SELECT ${count} AS n${count}`);
      expect(rows[0]?.[0]).toBe(count);
    }
    expect((await client.execute('SELECT 0 AS n0')).rows[0]?.[0]).toBe(0);
  });

  it.each([
    ['a date', new Date()],
    ['an object', {}],
    ['a symbol', Symbol('x')],
  ])('rejects %s as a value, and saves nothing of the batch', async (_, value) => {
    const { client } = await open();
    const batch = [insert('a'), { sql: 'INSERT INTO item (name) VALUES (?)', args: [value as never] }];
    await expect(client.batch(batch, 'write')).rejects.toThrow();
    expect((await client.execute('SELECT * FROM item')).rows).toEqual([]);
  });

  it('names the failed guard', async () => {
    const { client } = await open();
    const error = await client
      .batch([insert('a'), { sql: 'INSERT INTO guard (stale) SELECT 1', args: [] }], 'write')
      .catch((reason: unknown) => reason);
    expect(failedGuard(error)).toBe('guard_stale');
    expect((await client.execute('SELECT * FROM item')).rows).toEqual([]);
  });

  it('reads a batch in one snapshot, and continues after a failed batch', async () => {
    const { client, other } = await open();
    await expect(client.batch(['SELECT 1', 'SELECT * FROM nowhere'], 'read')).rejects.toThrow('nowhere');
    const counts = ['SELECT count(*) FROM item', 'SELECT max(id) FROM item'];
    let isDone = false;
    const writing = (async () => {
      for (let count = 0; count < 100; count++) await other.execute(insert(`n${count}`));
      isDone = true;
    })();
    while (!isDone) {
      const [count, max] = (await client.batch(counts, 'read')).map(({ rows }) => Number(rows[0]?.[0] ?? 0));
      expect(count).toBe(max as number);
      await setImmediate();
    }
    await writing;
    expect((await client.execute('SELECT count(*) FROM item')).rows[0]?.[0]).toBe(100);
  });

  it('rejects named parameters', async () => {
    const { client } = await open();
    await expect(client.execute({ sql: 'SELECT :a', args: { a: 1 } })).rejects.toThrow('must be a list');
  });

  it('rejects calls after it was closed', async () => {
    const { client } = await open();
    await client.finish();
    await expect(client.execute('SELECT 1')).rejects.toThrow();
    await expect(client.execute(insert('a'))).rejects.toThrow();
  });
});
