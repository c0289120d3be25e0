import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import Libsql from 'libsql';
import { migrations } from '../../src/database/migrate.ts';
import { outcomeOf } from '../support/command-outcome.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { EXECUTABLE, startServer } from '../support/server-process.ts';
import { copyStopped } from '../support/test-repository.ts';
import { until } from '../support/until.ts';

const ENV = { PATH: '/nonexistent' };
const TITLES = ['Harbour in winter', 'Fire at the harbour', 'Żuraw w Łodzi'];

let folder: string;
beforeAll(async () => {
  folder = await emptyFolder();
  await copyStopped(folder, async (repository) => {
    for (const title of TITLES)
      await repository.node({
        title: [{ value: title }],
        field_description: [{ value: `${title}, seen from the old customs house.` }],
      });
    await repository.node({ title: [{ value: 'A closed harbour' }], status: [{ value: false }] });
    const ledger = await repository.build.node('book', 'A ledger');
    for (let leaf = 1; leaf <= 4; leaf++)
      await repository.build.node('page', `Barnacle ${leaf}`, { field_member_of: [ledger] });
    await repository.user('reader');
  });
});
afterAll(() => rm(folder, { recursive: true }));

const search = (...args: string[]) =>
  outcomeOf(Bun.spawn([EXECUTABLE, 'search', '--data', folder, ...args], { env: ENV, stdout: 'pipe', stderr: 'pipe' }));

describe('repo serve', () => {
  it('searches in the worker thread of the executable', async () => {
    const server = await startServer({ mode: 'repository', data: folder, env: ENV });
    try {
      const response = await fetch(`${server.url}/search?_format=json&q=harbour`);
      expect({ status: response.status, total: (await response.json()).total }).toEqual({ status: 200, total: 2 });
    } finally {
      await server.stop();
    }
  });
});

describe('the first start after an upgrade', () => {
  it('builds the missing search index', async () => {
    const earlier = await emptyFolder();
    await cp(folder, earlier, { recursive: true });
    removeIndex(join(earlier, 'repository.db'));
    const server = await startServer({ mode: 'repository', data: earlier, env: ENV });
    const found = async () =>
      (await (await fetch(`${server.url}/search?_format=json&q=harbour`)).json()) as { total: number };
    try {
      await until(async () => (await found()).total === 2, { what: 'the index is built' });
    } finally {
      await server.stop();
      await rm(earlier, { recursive: true });
    }
  });
});

/** Takes back the migrations that made the index. */
function removeIndex(file: string): void {
  const first = migrations.findIndex(({ name }) => name === '0012_search_index');
  const database = new Libsql(file);
  for (const { name, statements } of migrations.slice(first).reverse()) {
    for (const statement of [...statements].reverse()) {
      const [, kind, made] = /^\s*CREATE (?:UNIQUE |VIRTUAL )?(TABLE|INDEX|TRIGGER) `?(\w+)/.exec(statement) ?? [];
      if (kind !== undefined) database.exec(`DROP ${kind} IF EXISTS ${made}`);
      const [, dropped] = /^\s*DROP TABLE `?(\w+)/.exec(statement) ?? [];
      if (dropped !== undefined) createAgain(database, dropped, name);
      const [, table, column] = /^\s*ALTER TABLE `?(\w+)`? ADD `?(\w+)/.exec(statement) ?? [];
      if (table !== undefined) database.exec(`ALTER TABLE ${table} DROP COLUMN ${column}`);
    }
    database.prepare('DELETE FROM migration WHERE name = ?').run(name);
  }
  database.close();
}

/** Creates a table again that a migration has removed, as the migrations before left it. */
function createAgain(database: Libsql.Database, table: string, migration: string): void {
  const creates = new RegExp(`^\\s*(CREATE TABLE|ALTER TABLE) \`?${table}\\b`);
  const before = migrations.slice(
    0,
    migrations.findIndex(({ name }) => name === migration),
  );
  const made = before.flatMap(({ statements }) => statements).filter((statement) => creates.test(statement));
  const last = made.findLastIndex((statement) => statement.trimStart().startsWith('CREATE'));
  for (const statement of last === -1 ? [] : made.slice(last)) database.exec(statement);
}

describe('repo search', () => {
  it('prints readable results', async () => {
    const { code, out, err } = await search('winter', 'harbour');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(
      /^1\. Harbour in winter\n {3}Harbour in winter, seen from the old customs house\.\n {3}http:\/\/localhost:\d+\/node\/\d+\n\n1 to 1 of 1 result\.\n$/,
    );
  });

  it('prints pages, and unpublished content only to the administrator', async () => {
    const all = await search('harbour', '--sort', 'title');
    expect(all.out).toContain('1. A closed harbour (unpublished)\n');
    expect(all.out).toEndWith('1 to 3 of 3 results.\n');
    const second = await search('harbour', '--sort', 'title', '--size', '2', '--page', '2');
    expect(second.out).toStartWith('3. Harbour in winter\n');
    expect((await search('harbour', '--user', 'reader')).out).toEndWith('1 to 2 of 2 results.\n');
    expect((await search('harbour', '--page', '9')).out).toBe('No results on this page: there are 3 in all.\n');
  });

  it('suggests another query, and finds other spellings', async () => {
    expect((await search('harbuor')).out).toBe('No results.\nDid you mean: harbour\n');
    expect((await search('zuraw', 'lodzi')).out).toContain('1. Żuraw w Łodzi\n');
  });

  it('prints the pages of a book below it', async () => {
    const { code, out } = await search('barnacle');
    expect(code).toBe(0);
    expect(out).toMatch(/^1\. A ledger\n {3}http\S+\/node\/\d+\n {3}- Barnacle \d http\S+\/node\/\d+\n/);
    expect(out).toContain('   4 pages in all.\n');
    expect(out).toContain('1 to 1 of 1 result.');
    const [book] = JSON.parse((await search('barnacle', '--json')).out).items;
    expect(book).toMatchObject({ title: 'A ledger', pageCount: 4, pages: [{}, {}, {}] });
    expect(book.pages[0].title).toStartWith('Barnacle');
  });

  it('prints JSON with facets, whose values are filters', async () => {
    const { total, items, facets } = JSON.parse((await search('harbour', '--json')).out);
    expect(total).toBe(3);
    expect(items.map((item: { isPublished: boolean }) => item.isPublished).sort()).toEqual([false, true, true]);
    expect(items[0]).toMatchObject({ nid: expect.any(Number), title: expect.any(String), url: expect.any(String) });
    const [{ value, count }] = facets.find((facet: { name: string }) => facet.name === 'model').values;
    expect(count).toBe(3);
    expect((await search('harbour', '--filter', `model=${value}`)).out).toEndWith('of 3 results.\n');
    expect((await search('harbour', '--filter', 'colour=red')).out).toStartWith('There is no facet "colour".\n');
  });

  it('accepts any query, and rejects invalid options', async () => {
    expect((await search('"unbalanced (AND) NEAR/2 {x} *')).code).toBe(0);
    expect(await search('x', '--filter', 'model')).toMatchObject({ code: 2, out: '' });
    expect((await search('x', '--user', 'nobody')).code).toBe(1);
  });
});
