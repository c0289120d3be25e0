import { afterEach, beforeEach, describe, expect, it } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { and, eq, exists, getTableColumns, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/libsql';
import type { Database } from '../../../src/database/database.ts';
import { failedGuard } from '../../../src/database/errors.ts';
import { openLocalDatabase } from '../../../src/database/local/open-local-database.ts';
import { migrate } from '../../../src/database/migrate.ts';
import { query } from '../../../src/database/query-builder.ts';
import { paragraphs } from '../../../src/database/schema/content.ts';
import { files } from '../../../src/database/schema/files.ts';
import { pathAliases, settings } from '../../../src/database/schema/system.ts';
import { users } from '../../../src/database/schema/users.ts';
import { failIf, isAmong, namesOf } from '../../../src/database/sql.ts';
import { type Named, plain, prepare, statementOf } from '../../../src/database/statement.ts';

let folder: string;
let database: Database;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'repo-statement-'));
  database = openLocalDatabase(join(folder, 'a.db'));
  await migrate(database.client, 0);
});

afterEach(async () => {
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

const saveSetting = prepare(({ name, value }: Named<{ name: string; value: string }>) =>
  query
    .insert(settings)
    .values({ name, value })
    .onConflictDoUpdate({ target: settings.name, set: { value: sql`excluded.value` } })
    .returning({ name: settings.name }),
);
const findSetting = prepare(({ name }: Named<{ name: string }>) =>
  query.select().from(settings).where(eq(settings.name, name)),
);
const listSettings = prepare(() => query.select({ name: settings.name }).from(settings).orderBy(settings.name));
const changeSetting = prepare(({ name, value }: Named<{ name: string; value: string }>) =>
  query.update(settings).set({ value }).where(eq(settings.name, name)),
);
const removeSettings = prepare(({ names }: Named<{ names: string }>) =>
  query.delete(settings).where(isAmong(settings.name, names)),
);

describe('a prepared statement', () => {
  it('returns rows with the types of their columns', async () => {
    const [boolean, text] = [true, null];
    await database.write({
      user: statementOf(
        query.insert(users).values({
          ...{ uuid: 'u', name: 'ann', status: boolean, roles: '[]', langcode: 'en', preferredLangcode: 'en' },
          ...{
            timezone: 'UTC',
            created: 1,
            changed: 1,
            access: 0,
            login: 0,
            layout: 1,
            isDangling: false,
            fields: '{}',
          },
          mail: text,
        }),
      ),
    });
    const find = prepare(({ id, status }: Named<{ id: number; status: boolean }>) =>
      query
        .select({ id: users.id, status: users.status, mail: users.mail, half: sql<number>`${users.id} / 2.0` })
        .from(users)
        .where(and(eq(users.id, id), eq(users.status, status))),
    );
    const found = await database.get(find({ id: 1, status: true }));
    found satisfies { id: number; status: boolean; mail: string | null; half: number } | undefined;
    expect(found).toEqual({ id: 1, status: true, mail: null, half: 0.5 });
    expect(await database.get(find({ id: 1, status: false }))).toBeUndefined();
  });

  it('takes new values for each call', async () => {
    await database.write({ a: saveSetting({ name: 'a', value: '1' }), b: saveSetting({ name: 'b', value: '2' }) });
    expect(await database.get(findSetting({ name: 'b' }))).toEqual({ name: 'b', value: '2' });
    expect(await database.get(findSetting({ name: 'a' }))).toEqual({ name: 'a', value: '1' });
    expect(await database.all(listSettings())).toEqual([{ name: 'a' }, { name: 'b' }]);
  });

  it('takes a limit and an offset', async () => {
    const page = prepare(({ limit, offset }: Named<{ limit: number; offset: number }>) =>
      query.select({ name: settings.name }).from(settings).orderBy(settings.name).limit(limit).offset(offset),
    );
    await database.write(['a', 'b', 'c'].map((name) => saveSetting({ name, value: '' })));
    expect(await database.all(page({ limit: 1, offset: 1 }))).toEqual([{ name: 'b' }]);
    expect(await database.all(page({ limit: -1, offset: 1 }))).toEqual([{ name: 'b' }, { name: 'c' }]);
  });

  it('updates and deletes rows, and counts them', async () => {
    await database.write(['a', 'b', 'c'].map((name) => saveSetting({ name, value: '' })));
    const { changed, removed } = await database.write({
      changed: changeSetting({ name: 'a', value: '9' }),
      removed: removeSettings({ names: '["b","c","d"]' }),
    });
    expect({ changed, removed }).toEqual({ changed: { changes: 1 }, removed: { changes: 2 } });
    expect(await database.all(listSettings())).toEqual([{ name: 'a' }]);
  });

  it('joins tables', async () => {
    const find = statementOf(
      query
        .select({ ...getTableColumns(files), owner: users.uuid })
        .from(files)
        .leftJoin(users, eq(users.id, files.ownerId)),
    );
    const rows = await database.all(find);
    rows satisfies { filesize: number; owner: string | null }[];
    expect(rows).toEqual([]);
  });

  it('rejects nested rows and queries of another builder', async () => {
    expect(() => statementOf(query.select({ file: files }).from(files))).toThrow(
      'file.id: the fields of a row must be flat',
    );
    const other = drizzle(database.client as never);
    expect(() => statementOf(other.select().from(files))).toThrow('query-builder.ts');
    await expect(query.select().from(files).then(String)).rejects.toThrow('this query has no database');
  });
});

describe('plain SQL', () => {
  it('names the columns of its rows', async () => {
    await database.write([saveSetting({ name: 'a', value: '1' })]);
    const { name, value } = settings;
    const rows = await database.all(
      statementOf(plain(sql`SELECT ${name}, length(${value}) FROM ${settings}`, { name, length: sql<number>`length` })),
    );
    rows satisfies { name: string; length: number }[];
    expect(rows).toEqual([{ name: 'a', length: 1 }]);
  });

  it('inserts the rows of a query', async () => {
    const copy = prepare(({ prefix }: Named<{ prefix: string }>) =>
      plain(sql`INSERT INTO ${settings} (${namesOf(settings.name, settings.value)})
        SELECT ${prefix} || ${settings.name}, ${settings.value} FROM ${settings}`),
    );
    await database.write([saveSetting({ name: 'a', value: '1' })]);
    const { copied } = await database.write({ copied: copy({ prefix: 'x' }) });
    expect(copied).toEqual({ changes: 1 });
    expect(await database.get(findSetting({ name: 'xa' }))).toEqual({ name: 'xa', value: '1' });
  });
});

describe('a batch', () => {
  it('names its results, including those of lists', async () => {
    const { first, more, change } = await database.write({
      first: saveSetting({ name: 'a', value: '1' }),
      none: [],
      more: [saveSetting({ name: 'b', value: '2' }), saveSetting({ name: 'c', value: '3' })],
      change: changeSetting({ name: 'z', value: '1' }),
    });
    first satisfies { name: string }[];
    expect({ first, more, change }).toEqual({
      first: [{ name: 'a' }],
      more: [[{ name: 'b' }], [{ name: 'c' }]],
      change: { changes: 0 },
    });
    const { one, all } = await database.read({ one: findSetting({ name: 'b' }), all: listSettings() });
    expect(one).toEqual([{ name: 'b', value: '2' }]);
    expect(all).toHaveLength(3);
  });

  it('fails as a whole if a guard fails', async () => {
    const isTaken = exists(query.select().from(settings).where(eq(settings.name, 'a')));
    const failure = await database
      .write({ save: saveSetting({ name: 'a', value: '1' }), guard: statementOf(failIf('taken', isTaken)) })
      .catch((error) => error);
    expect(failedGuard(failure)).toBe('guard_taken');
    expect(await database.get(findSetting({ name: 'a' }))).toBeUndefined();
  });

  it('inserts nulls and expressions', async () => {
    const { alias } = await database.write({
      alias: statementOf(
        query
          .insert(pathAliases)
          .values({ uuid: 'u', path: '/node/1', alias: sql`'/a' || 1`, langcode: 'en' })
          .returning(),
      ),
    });
    expect(alias).toEqual([{ id: 1, uuid: 'u', path: '/node/1', alias: '/a1', langcode: 'en' }]);
    expect(await database.all(statementOf(query.select({ host: paragraphs.hostId }).from(paragraphs)))).toEqual([]);
  });
});
