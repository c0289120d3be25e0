import { afterEach, beforeEach, describe, expect, it } from 'bun:test';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { InStatement } from '@libsql/client';
import { sql } from 'drizzle-orm';
import { Cache } from '../../../src/base/cache.ts';
import type { Database } from '../../../src/database/database.ts';
import { GENERATION, readDated } from '../../../src/database/dated.ts';
import { openLocalDatabase } from '../../../src/database/local/open-local-database.ts';
import { migrate } from '../../../src/database/migrate.ts';
import { plain, statementOf } from '../../../src/database/statement.ts';
import { emptyFolder } from '../../support/empty-folder.ts';

let folder: string;
let database: Database;
let other: Database;

beforeEach(async () => {
  folder = await emptyFolder();
  database = openLocalDatabase(join(folder, 'a.db'));
  await migrate(database.client, 0);
  other = openLocalDatabase(join(folder, 'a.db'));
});

afterEach(async () => {
  await Promise.all([database.close(), other.close()]);
  await rm(folder, { recursive: true, force: true });
});

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
const SET = "INSERT INTO setting (name, value) VALUES ('a', '1') ON CONFLICT DO UPDATE SET value = excluded.value";
const TERM = `INSERT INTO taxonomy_term
  (id, uuid, revision_id, bundle, label, owner_id, status, changed, version, layout, is_dangling, document)
  VALUES (1, 'u1', 1, 'tags', 'Old', 1, 1, 1, 1, 1, 0, '{}')`;
const USER = `INSERT INTO user
  (id, uuid, name, status, roles, langcode, preferred_langcode, timezone, created, changed, access, login, layout, is_dangling, fields)
  VALUES (5, 'u5', 'ann', 1, '[]', 'en', 'en', 'UTC', 1, 1, 0, 0, 1, 0, '{}')`;

describe('the generation of a database', () => {
  const raising: [what: string, prepare: InStatement[], change: string][] = [
    ['a setting is made', [], SET],
    ['a setting is changed', [SET], SET],
    ['a setting is removed', [SET], 'DELETE FROM setting'],
    ['a term is renamed', [TERM], "UPDATE taxonomy_term SET label = 'New', version = 2"],
    ['a term is removed', [TERM], 'DELETE FROM taxonomy_term'],
    ['an account is blocked', [USER], 'UPDATE user SET status = 0 WHERE id = 5'],
    ['an account gets other roles', [USER], 'UPDATE user SET roles = \'["x"]\' WHERE id = 5'],
    ['a password is changed', [USER], "UPDATE user SET password_hash = 'y' WHERE id = 5"],
    ['an account is removed', [USER], 'DELETE FROM user WHERE id = 5'],
  ];
  for (const [what, prepare, change] of raising) {
    it(`changes when ${what}, here or by another process`, async () => {
      for (const writer of [database, other]) {
        if (prepare.length > 0)
          await other.write(['DELETE FROM taxonomy_term', 'DELETE FROM user WHERE id = 5', ...prepare]);
        await nextTurn();
        const before = await database.generation();
        await writer.write([change]);
        await nextTurn();
        expect(await database.generation()).not.toBe(before);
      }
    });
  }

  it('stays the same when a user signs in or a new row is added', async () => {
    await database.write([USER]);
    const before = await database.generation();
    await database.write(['UPDATE user SET login = 9, access = 9 WHERE id = 5', TERM]);
    expect(await database.generation()).toBe(before);
  });
});

describe('reads in one turn of the event loop', () => {
  it('see the writes of this process once they are answered', async () => {
    const count = async () => (await database.client.first('SELECT count(*) FROM setting', []))?.[0];
    const written = database.write([SET]);
    expect(await count()).toBe(0);
    await written;
    expect(await count()).toBe(1);
  });

  it('see the current state after a failed write', async () => {
    const failing = database.write([SET, 'INSERT INTO guard (stale) VALUES (1)']).catch((reason) => reason);
    await database.client.first('SELECT 1', []);
    await other.write([SET]);
    expect(await failing).toBeInstanceOf(Error);
    expect((await database.client.first('SELECT count(*) FROM setting', []))?.[0]).toBe(1);
  });

  it.each([
    ['the next turn has another', nextTurn],
    ['a refresh lets them see what others have written', async () => database.refresh()],
  ])('share one snapshot, and %s', async (_what, renew) => {
    const count = async () => (await database.client.first('SELECT count(*) FROM setting', []))?.[0];
    await nextTurn();
    const first = count();
    other.client.executeMultiple(SET);
    expect({ first: await first, count: await count() }).toEqual({ first: 0, count: 0 });
    await renew();
    expect(await count()).toBe(1);
  });

  it('continue after a failed read', async () => {
    const failure = await database.client.first('SELECT * FROM nothing', []).catch((reason) => reason);
    expect(String(failure)).toContain('nothing');
    expect((await database.client.first('SELECT 1', []))?.[0]).toBe(1);
  });
});

describe('a cache by generation', () => {
  const createCache = (state = database.knownGeneration) =>
    new Cache<string>({ maxBytes: 10_000, bytesOf: (value) => value.length, state });

  it('reads a value once, and again after a change', async () => {
    const cache = createCache();
    let reads = 0;
    const read = () => cache.read('a', async () => `a${++reads}`);
    expect({ first: await read(), second: await read() }).toEqual({ first: 'a1', second: 'a1' });
    await other.write([SET]);
    await nextTurn();
    expect(await read()).toBe('a2');
  });

  it('does not store a value read from an outdated state', async () => {
    const cache = createCache();
    const slow = cache.read('a', async () => {
      await other.write([SET]);
      await nextTurn();
      return 'old';
    });
    expect(await slow).toBe('old');
    expect(await cache.read('a', async () => 'new')).toBe('new');
  });

  it('uses the generation that comes with a value, without another query', async () => {
    const cache = createCache();
    let reads = 0;
    const read = async () => {
      const row = await database.get(statementOf(plain(sql`SELECT ${GENERATION}`, { generation: GENERATION })));
      return { value: `a${++reads}`, generation: row?.generation as number };
    };
    const values = async () => [(await readDated(cache, 'a', read))?.value, (await readDated(cache, 'a', read))?.value];
    expect(await values()).toEqual(['a1', 'a1']);
    await other.write([SET]);
    await nextTurn();
    expect(await values()).toEqual(['a2', 'a2']);
  });

  it('stores only values of the current generation', async () => {
    let known: number | undefined = 7;
    const cache = createCache(() => known);
    const read = (generation: number) => readDated(cache, 'a', async () => ({ value: `of ${generation}`, generation }));
    expect(await read(6)).toEqual({ value: 'of 6', generation: 6 });
    expect(await read(7)).toEqual({ value: 'of 7', generation: 7 });
    expect(await read(8)).toEqual({ value: 'of 7', generation: 7 });
    known = undefined;
    expect(await read(8)).toEqual({ value: 'of 8', generation: 8 });
    expect(cache.get('a')).toBeUndefined();
    known = 7;
    expect(cache.get('a')).toBe('of 7');
  });
});
