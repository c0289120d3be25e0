import { afterEach, beforeEach, describe, expect, it } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InStatement } from '@libsql/client';
import { type Database, openLocalDatabase } from '../../../src/database/database.ts';
import { GENERATION_COLUMN, GenerationMemory } from '../../../src/database/generation-memory.ts';
import { migrate } from '../../../src/database/migrate.ts';

let folder: string;
let database: Database;
let other: Database;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'repo-generation-'));
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
    it(`is another one when ${what}, here or by another process`, async () => {
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

  it('stays when someone signs in, or something new is made', async () => {
    await database.write([USER]);
    const before = await database.generation();
    await database.write(['UPDATE user SET login = 9, access = 9 WHERE id = 5', TERM]);
    expect(await database.generation()).toBe(before);
  });
});

describe('reads of one turn of the event loop', () => {
  it('see what this process has written as soon as the write is answered', async () => {
    const count = async () => (await database.first('SELECT count(*) FROM setting', []))?.[0];
    const written = database.write([SET]);
    expect(await count()).toBe(0);
    await written;
    expect(await count()).toBe(1);
  });

  it('see the state after a write that failed, too', async () => {
    const failing = database.write([SET, 'INSERT INTO guard (stale) VALUES (1)']).catch((reason) => reason);
    await database.first('SELECT 1', []);
    await other.write([SET]);
    expect(await failing).toBeInstanceOf(Error);
    expect((await database.first('SELECT count(*) FROM setting', []))?.[0]).toBe(1);
  });

  it.each([
    ['the next turn has another', nextTurn],
    ['a refresh lets them see what others have written', async () => database.refresh()],
  ])('share one snapshot, and %s', async (_what, renew) => {
    const count = async () => (await database.first('SELECT count(*) FROM setting', []))?.[0];
    await nextTurn();
    const first = count();
    other.client.executeMultiple(SET);
    expect([await first, await count()]).toEqual([0, 0]);
    await renew();
    expect(await count()).toBe(1);
  });

  it('go on after one that failed', async () => {
    const failure = await database.first('SELECT * FROM nothing', []).catch((reason) => reason);
    expect(String(failure)).toContain('nothing');
    expect((await database.first('SELECT 1', []))?.[0]).toBe(1);
  });
});

describe('what is remembered for a generation', () => {
  it('is read once, and again after a change', async () => {
    const memory = new GenerationMemory<string, string>(database, 10);
    let reads = 0;
    const read = async (key: string) => `${key}${++reads}`;
    expect([await memory.get('a', read), await memory.get('a', read)]).toEqual(['a1', 'a1']);
    await other.write([SET]);
    await nextTurn();
    expect(await memory.get('a', read)).toBe('a2');
  });

  it('does not hold what was not there', async () => {
    const memory = new GenerationMemory<string, string>(database, 10);
    const answers: (string | undefined)[] = [undefined, 'there'];
    expect(await memory.get('a', async () => answers.shift())).toBeUndefined();
    expect(await memory.get('a', async () => answers.shift())).toBe('there');
  });

  it('is never more than it may be', async () => {
    const memory = new GenerationMemory<number, string>(database, 10);
    for (let key = 0; key < 25; key++) await memory.get(key, async () => 'x');
    expect(memory.current().size).toBeLessThanOrEqual(10);
  });

  it('forgets what was found out from a state that has passed', async () => {
    const memory = new GenerationMemory<string, string>(database, 10);
    const slow = memory.get('a', async () => {
      await other.write([SET]);
      await nextTurn();
      memory.current();
      return 'old';
    });
    expect(await slow).toBe('old');
    expect(await memory.get('a', async () => 'new')).toBe('new');
  });

  it('is not asked for by itself where a value says its generation', async () => {
    const memory = new GenerationMemory<string, string>({ ...database, generation: fail }, 10);
    let reads = 0;
    const read = async (key: string) => {
      const row = await database.first(`SELECT ${GENERATION_COLUMN}`, []);
      return { value: `${key}${++reads}`, generation: row?.[0] as number };
    };
    const values = async () => [(await memory.getDated('a', read))?.value, (await memory.getDated('a', read))?.value];
    expect(await values()).toEqual(['a1', 'a1']);
    await other.write([SET]);
    await nextTurn();
    expect(await values()).toEqual(['a2', 'a2']);
  });

  it('holds no value of another generation, and none while that is not known', async () => {
    let known: number | undefined = 7;
    const memory = new GenerationMemory<string, string>({ generation: fail, knownGeneration: () => known }, 10);
    const read = (generation: number) => async () => ({ value: `of ${generation}`, generation });
    expect(await memory.getDated('a', read(6))).toEqual({ value: 'of 6', generation: 6 });
    expect(await memory.getDated('a', read(7))).toEqual({ value: 'of 7', generation: 7 });
    expect(await memory.getDated('a', read(8))).toEqual({ value: 'of 7', generation: 7 });
    known = undefined;
    expect(await memory.getDated('a', read(8))).toEqual({ value: 'of 8', generation: 8 });
    expect(memory.current().size).toBe(0);
    known = 7;
    expect(memory.current().get('a')).toBe('of 7');
  });
});

async function fail(): Promise<never> {
  throw new Error('nobody may ask');
}
