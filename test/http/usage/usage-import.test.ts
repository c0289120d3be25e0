import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import { checkUsage, importUsage } from '../../../src/transfer/usage/import-usage.ts';
import { emptyFolder } from '../../support/empty-folder.ts';
import type { TestRepository } from '../../support/test-repository.ts';
import { addNumbers, createUsageSite, numbersOf, rows } from '../../support/usage-site.ts';

const NOW = Date.UTC(2031, 4, 20) / 1_000;
const HEADER = 'kind,id,title,url,date,views,unique_views,downloads,unique_downloads';

let repository: TestRepository;
let file: string;
let [above, collection, letter]: number[] = [];
beforeAll(async () => {
  repository = await createUsageSite();
  file = join(await emptyFolder(), 'usage.csv');
  const { build } = repository;
  above = await build.node('collection', 'All');
  collection = await build.node('collection', 'Letters', { field_member_of: [above] });
  letter = await build.node('document', 'A letter', { field_member_of: [collection] });
});
afterAll(() => repository.stop());

async function tableOf(...lines: readonly string[]) {
  await Bun.write(file, lines.join('\n'));
  return { file, form: { delimiter: ',' }, now: NOW };
}

async function load(...lines: readonly string[]): Promise<void> {
  const table = await tableOf(...lines);
  expect((await checkUsage(table)).problems).toEqual([]);
  await importUsage(repository.running.services.database, table);
}

describe('The import of usage statistics', () => {
  it('sets the numbers of items and files, and adds those of items to collections at any depth', async () => {
    await load(
      HEADER,
      `item,${letter},A letter,,2019-03-31,10,8,4,2`,
      `file,77,,,2019-03-31,4,2,4,2`,
      `collection,${collection},Letters,,2019-03,999,999,999,999`,
    );
    expect(await numbersOf(repository, 'item', letter as number)).toEqual([10, 8, 4, 2]);
    expect(await numbersOf(repository, 'file', 77)).toEqual([4, 2, 4, 2]);
    for (const node of [collection, above])
      expect(await numbersOf(repository, 'within', node as number)).toEqual([10, 8, 4, 2]);
    expect(await numbersOf(repository, 'repository', 0)).toEqual([10, 8, 4, 2]);
  });

  it('replaces numbers of the same day, in collections too', async () => {
    await addNumbers(repository, 'within', collection as number, '2019-04-01', [100, 100, 100, 100]);
    for (let time = 0; time < 2; time += 1)
      await load('id,date,views,downloads', `${letter},2019-03-31,7,1`, `${letter},2019-04-01,3,0`);
    expect(await numbersOf(repository, 'item', letter as number)).toEqual([10, 0, 1, 0]);
    expect(await numbersOf(repository, 'within', collection as number)).toEqual([110, 100, 101, 100]);
    expect(await numbersOf(repository, 'repository', 0)).toEqual([10, 0, 1, 0]);
  });

  it('stores a month on its first day, and the last of equal rows', async () => {
    await load('id,date,views', `500,2018-02,6`, `500,2018-02,5`);
    expect(
      await rows(repository, 'SELECT day, total_investigations FROM usage_day WHERE kind = 1 AND id = 500'),
    ).toEqual([[Date.UTC(2018, 1, 1) / 86_400_000, 5]]);
  });

  it('reads the table of the report', async () => {
    await rows(repository, 'DELETE FROM usage_day');
    await addNumbers(repository, 'item', letter as number, '2020-01-01', [5, 4, 3, 2]);
    await addNumbers(repository, 'within', collection as number, '2020-01-01', [5, 4, 3, 2]);
    const path = '/admin/reports/usage/table?from=2020-01-01&to=2020-12-31&by=day';
    const table = await (await repository.get(path, 'admin')).text();
    await rows(repository, 'DELETE FROM usage_day');
    await load(table);
    expect(await numbersOf(repository, 'item', letter as number)).toEqual([5, 4, 3, 2]);
    expect(await numbersOf(repository, 'within', collection as number)).toEqual([5, 4, 3, 2]);
  });

  it('names each invalid cell', async () => {
    const table = await tableOf(
      HEADER,
      'page,1,,,2019-03-31,1,,,',
      'item,,,,2019-02-30,-1,,,',
      'item,0,,,2031-05-20,1.5,,,99999999999',
      'item,1,,,2019-03-31',
    );
    const { problems, problemCount, rows: valid } = await checkUsage(table);
    expect(problems.map(({ line, column, message }) => `${line} ${column}: ${message}`)).toEqual([
      '2 kind: The kind is item, file or collection, found "page".',
      '3 id: This cell must not be empty.',
      '3 date: The date is a day such as 2019-03-31 or a month such as 2019-03, found "2019-02-30".',
      '3 views: This must be a whole number up to 1000000000, found "-1".',
      '4 id: The id is the number of an item or file, found "0".',
      '4 date: The date must be before 2031-05-20.',
      '4 views: This must be a whole number up to 1000000000, found "1.5".',
      '4 unique_downloads: This must be a whole number up to 1000000000, found "99999999999".',
      expect.stringMatching(/^5 /),
    ]);
    expect([problemCount, valid]).toEqual([9, 0]);
  });

  it.each([
    ['id,date,views,clicks', 'clicks', 'Unknown column'],
    ['id,views', 'date', 'The table needs this column.'],
  ])('rejects a table with the columns %s', async (header, column, message) => {
    const table = await tableOf(header, '1,2');
    await expect(checkUsage(table)).rejects.toMatchObject({
      problem: { column, message: expect.stringContaining(message) },
    });
  });
});
