import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import type { InStatement } from '@libsql/client';
import type { Database } from '../../src/database/database.ts';
import { failedGuard, failedUniqueness, isOutcomeUnknown } from '../../src/database/errors.ts';
import { migrate } from '../../src/database/migrate.ts';
import { failure, rejection } from '../support/rejection.ts';
import { until } from '../support/until.ts';

/** A place for databases of one kind. */
export interface DatabaseSite {
  /** Opens one and the same database, each time as another process would. */
  open(): Promise<Database>;
  /** True if a write reaches another process only some time after its answer. */
  readonly isDelayed: boolean;
  end(): Promise<void>;
}

const put = (name: string, value = 'v'): InStatement => ({
  sql: 'INSERT INTO setting (name, value) VALUES (?, ?) RETURNING name',
  args: [name, value],
});
const names = async (database: Database) =>
  (await database.client.execute("SELECT name FROM setting WHERE name LIKE 't.%' ORDER BY name")).rows.map((row) =>
    String(row[0]),
  );
const value = async (database: Database, name: string) =>
  (await database.client.first('SELECT value FROM setting WHERE name = ?', [name]))?.[0];

/** The tests of every kind of database. */
export function describeDatabase(kind: string, start: () => Promise<DatabaseSite>): void {
  describe(`a database on ${kind}`, () => {
    let site: DatabaseSite;
    let database: Database;
    let other: Database;

    const comes = async (check: () => Promise<boolean>) => {
      if ((await check()) || !site.isDelayed) return check();
      return until(() => {
        other.refresh();
        return check();
      });
    };

    beforeAll(async () => {
      site = await start();
      database = await site.open();
      await migrate(database.client, 1);
      other = await site.open();
    });
    beforeEach(async () => {
      await database.write([
        "DELETE FROM setting WHERE name LIKE 't.%'",
        'CREATE TABLE IF NOT EXISTS thing (id INTEGER PRIMARY KEY, a)',
        'DELETE FROM thing',
      ]);
    });
    afterEach(() => other.refresh());
    afterAll(async () => {
      await database.close();
      await other.close();
      await site.end();
    });

    describe('values', () => {
      const stored = async (given: unknown) => {
        await database.write([{ sql: 'INSERT INTO thing (a) VALUES (?)', args: [given as string] }]);
        return (await database.client.first('SELECT a FROM thing ORDER BY id DESC LIMIT 1', []))?.[0];
      };

      it.each([[null], [0], [-1], [42], [Number.MAX_SAFE_INTEGER], [1.5], [-1e300], [''], ['O\'Hara\n\t"ü" 字 🦜']])(
        'stores %p',
        async (given) => {
          expect(await stored(given)).toEqual(given);
        },
      );

      it('stores booleans as numbers, and accepts big integers', async () => {
        expect(await stored(true)).toBe(1);
        expect(await stored(false)).toBe(0);
        expect(await stored(12n)).toBe(12);
      });

      it('stores bytes, including part of a larger buffer', async () => {
        const bytes = new Uint8Array([9, 0, 255, 1, 9]).subarray(1, 4);
        expect(new Uint8Array((await stored(bytes)) as unknown as Uint8Array)).toEqual(new Uint8Array([0, 255, 1]));
        expect(new Uint8Array((await stored(new Uint8Array(0))) as unknown as Uint8Array)).toEqual(new Uint8Array(0));
      });

      it('stores 4 MB of text', async () => {
        const text = 'ä"\\ 字'.repeat(400_000);
        expect((await stored(text)) === text).toBe(true);
      });

      it('replaces half a surrogate pair, and leaves other reads of the batch unchanged', async () => {
        const [half, whole] = await Promise.all([
          database.client.first('SELECT ?', ['a\ud800b']),
          database.client.first('SELECT ?', ['whole']),
        ]);
        expect(String(half?.[0])).toBe('a\ufffdb');
        expect(whole?.[0]).toBe('whole');
      });

      it('rejects text with NUL, and saves nothing of its batch', async () => {
        const { kind } = await failure(database.write([put('t.a'), put('t.b', 'admin\0x')]));
        expect(kind).toBe('malformed');
        expect((await failure(database.client.first('SELECT ?', ['\0']))).kind).toBe('malformed');
        expect(await names(database)).toEqual([]);
      });

      it('rejects an object as a value', async () => {
        expect(await rejection(database.write([put('t.a'), put('t.b', {} as string)]))).toBeInstanceOf(Error);
        expect(await names(database)).toEqual([]);
      });
    });

    describe('a batch', () => {
      it('saves all statements, and returns a result for each', async () => {
        const results = await database.write([
          put('t.a'),
          put('t.b'),
          "UPDATE setting SET value = 'w' WHERE name LIKE 't.%'",
        ]);
        expect(results.map(({ rows }) => rows[0]?.[0])).toEqual(['t.a', 't.b', undefined]);
        expect(results[0]?.columns).toEqual(['name']);
        expect(results[2]?.rowsAffected).toBe(2);
        expect(await names(database)).toEqual(['t.a', 't.b']);
      });

      it('saves nothing if one statement fails', async () => {
        await database.write([put('t.a')]);
        const error = await rejection(database.write([put('t.b'), put('t.a'), put('t.c')]));
        expect(failedUniqueness(error)).toBe('setting.name');
        expect(await names(database)).toEqual(['t.a']);
      });

      it.each(['guard_stale', 'guard_missing', 'guard_taken', 'guard_lost'] as const)(
        'names the failed guard %s',
        async (guard) => {
          const column = guard.slice('guard_'.length);
          const error = await rejection(database.write([put('t.a'), `INSERT INTO guard (${column}) VALUES (1)`]));
          expect(failedGuard(error)).toBe(guard);
          expect(await names(database)).toEqual([]);
        },
      );

      it('passes the inserted id from one statement to the next', async () => {
        const [, , last] = await database.write([
          'INSERT INTO thing (id, a) VALUES (71, NULL)',
          'INSERT INTO thing (id, a) VALUES (last_insert_rowid() + 1, NULL)',
          'INSERT INTO thing (id, a) SELECT id + 1, id FROM thing WHERE id = last_insert_rowid() RETURNING id, a',
        ]);
        expect({ id: last?.rows[0]?.[0], previousId: last?.rows[0]?.[1] }).toEqual({ id: 73, previousId: 72 });
      });

      it('rejects an invalid statement without affecting other batches', async () => {
        const outcomes = await Promise.allSettled([
          database.write([put('t.a')]),
          database.write([put('t.b'), 'INSRT INTO setting']),
          database.write([put('t.c')]),
        ]);
        expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
        expect(await names(database)).toEqual(['t.a', 't.c']);
      });

      it('fails without undoing other batches of its group', async () => {
        await database.write([put('t.taken')]);
        const writes = Array.from({ length: 20 }, (_, index) =>
          database.write([put(`t.${index}`), ...(index % 3 === 0 ? [put('t.taken')] : [])]),
        );
        const outcomes = await Promise.allSettled(writes);
        const saved = outcomes.flatMap(({ status }, index) => (status === 'fulfilled' ? [`t.${index}`] : []));
        expect(saved).toHaveLength(13);
        expect(await names(database)).toEqual([...saved, 't.taken'].toSorted());
      });

      it('is executed in the order of the calls', async () => {
        await database.write([put('t.a', '')]);
        const add = (text: string) =>
          database.write([{ sql: "UPDATE setting SET value = value || ? WHERE name = 't.a'", args: [text] }]);
        const letters = [...'abcdefghijklmnop'];
        await Promise.all(letters.map(add));
        expect(await value(database, 't.a')).toBe(letters.join(''));
      });

      it('undoes the changes of triggers, too, if it fails', async () => {
        const before = await database.generation();
        expect(
          isOutcomeUnknown(await rejection(database.write([put('t.a'), 'INSERT INTO guard (stale) VALUES (1)']))),
        ).toBe(false);
        expect(await database.generation()).toBe(before);
      });
    });

    describe('two processes', () => {
      it('increment a counter without losing an update', async () => {
        await database.write([put('t.n', '0')]);
        const add = "UPDATE setting SET value = value + 1 WHERE name = 't.n' RETURNING value";
        await comes(async () => (await value(other, 't.n')) === '0');
        const answers = await Promise.all(
          Array.from({ length: 60 }, (_, index) => (index % 2 === 0 ? database : other).write([add])),
        );
        const seen = answers.map(([result]) => Number(result?.rows[0]?.[0])).toSorted((a, b) => a - b);
        expect(seen).toEqual(Array.from({ length: 60 }, (_, index) => index + 1));
        expect(await comes(async () => Number(await value(other, 't.n')) === 60)).toBe(true);
      });

      it('let a guard accept only one of two concurrent writes', async () => {
        const take = (by: string): InStatement[] => [
          "INSERT INTO guard (taken) SELECT 1 FROM setting WHERE name = 't.one'",
          put('t.one', by),
        ];
        const outcomes = await Promise.allSettled([database.write(take('a')), other.write(take('b'))]);
        expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
      });

      it('read the writes of the other', async () => {
        await database.write([put('t.a')]);
        expect(await comes(async () => (await value(other, 't.a')) === 'v')).toBe(true);
      });

      it('read a new generation after the other changes a setting', async () => {
        const before = await other.generation();
        await database.write([put('t.a')]);
        expect(await database.generation()).toBeGreaterThan(before);
        expect(await until(async () => (await other.generation()) > before)).toBe(true);
      });
    });

    describe('reads', () => {
      it('return every write of the same client', async () => {
        for (let index = 0; index < 30; index++) {
          await database.write([put(`t.${index}`, String(index))]);
          expect(await value(database, `t.${index}`)).toBe(String(index));
        }
      });

      it('that run concurrently succeed or fail individually', async () => {
        const asks = Array.from({ length: 100 }, (_, index) =>
          index % 10 === 3
            ? database.client.first('SELECT nothing FROM nowhere', [])
            : database.client.first('SELECT ?', [index]),
        );
        const outcomes = await Promise.allSettled(asks);
        for (const [index, outcome] of outcomes.entries()) {
          if (index % 10 === 3) expect(outcome.status).toBe('rejected');
          else expect(outcome.status === 'fulfilled' && outcome.value?.[0]).toBe(index);
        }
      });

      it('of one batch share a snapshot', async () => {
        await database.write([put('t.a', '0'), put('t.b', '0')]);
        let isDone = false;
        const writing = (async () => {
          while (!isDone) await other.write(["UPDATE setting SET value = value + 1 WHERE name LIKE 't.%'"]);
        })();
        for (let index = 0; index < 40; index++) {
          database.refresh();
          const [a, b] = await database.read([
            "SELECT value FROM setting WHERE name = 't.a'",
            "SELECT value FROM setting WHERE name = 't.b'",
          ]);
          expect(a?.rows[0]?.[0]).toBe(b?.rows[0]?.[0] as string);
        }
        isDone = true;
        await writing;
      });

      it('return undefined, or no rows, if nothing matches', async () => {
        expect(await database.client.first('SELECT 1 WHERE 0', [])).toBeUndefined();
        expect(await database.read([])).toEqual([]);
        expect((await database.client.execute('SELECT 1 AS one WHERE 0')).columns).toEqual(['one']);
      });

      it('return results that together exceed the limit of one response', async () => {
        await database.write([put('t.a', 'x'.repeat(3_000_000))]);
        const found = await Promise.all(Array.from({ length: 6 }, () => value(database, 't.a')));
        expect(found.map((text) => String(text).length)).toEqual(Array(6).fill(3_000_000));
      });
    });

    it('rejects calls after close, and completes earlier ones', async () => {
      const third = await site.open();
      const writing = third.write([put('t.last')]);
      await third.close();
      await writing;
      expect((await failure(third.write([put('t.late')]))).kind).toBe('unavailable');
      expect((await failure(third.client.first('SELECT 1', []))).kind).toBe('unavailable');
      await third.close();
      expect(await comes(async () => (await value(other, 't.last')) === 'v')).toBe(true);
    });
  });
}
