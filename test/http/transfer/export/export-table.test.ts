import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LoadContext } from '../../../../src/transfer/table/table-options.ts';
import { exportedTable } from '../../../support/export-site.ts';
import { createTableSite, type TableSite } from '../../../support/table-site.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../../support/test-repository.ts';

const ORIGINAL = 'http://pcdm.org/use#OriginalFile';
const THUMBNAIL = 'http://pcdm.org/use#ThumbnailImage';

let repository: TestRepository;
let site: TableSite;
let context: LoadContext;
beforeAll(async () => {
  repository = await createTestRepository();
  site = await createTableSite(repository);
  context = site.context;
}, 30_000);
afterAll(async () => {
  await site.remove();
  await repository.stop();
});

const idOf = (node: EntityJson): number => node.nid[0].value;
const make = async (fields: Record<string, unknown[]> = {}) => idOf(await repository.node(fields as never));
const rowOf = async (id: number) => (await exportedTable(context, { nodes: [id] })).rows[id] ?? {};

describe('a row of an exported table', () => {
  it('contains the base fields in the form of an import', async () => {
    const id = await make({
      title: [{ value: 'A "quoted", title | with\nlines' }],
      status: [{ value: false }],
      promote: [{ value: false }],
      created: [{ value: '2020-11-15T23:49:22+00:00' }],
      path: [{ alias: '/exported/one' }],
    });
    expect(await rowOf(id)).toMatchObject({
      id: String(id),
      title: 'A "quoted", title | with\nlines',
      published: '0',
      promote: '0',
      sticky: '0',
      created: '2020-11-15T23:49:22+00:00',
      uid: 'admin',
      langcode: 'en',
      url_alias: '/exported/one',
    });
  });

  it.each([
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\uff1d1+1', "'\uff1d1+1"],
    ['=HYPERLINK("http://evil.example","x")', `'=HYPERLINK("http://evil.example","x")`],
    ['1=1', '1=1'],
    ["'=1", "'=1"],
    ['a\n=1', 'a\n=1'],
  ])('for spreadsheets is no formula, and is exact otherwise: %j', async (title, shown) => {
    const id = await make({ title: [{ value: title }], field_identifier: [{ value: title }, { value: '=2' }] });
    expect(await rowOf(id)).toMatchObject({ title, field_identifier: `${title}|=2` });
    const { rows } = await exportedTable(context, { nodes: [id] }, { isForSpreadsheets: true });
    expect(rows[id]).toMatchObject({ title: shown, field_identifier: `${shown}|=2` });
  });

  it('contains values by the type of their field', async () => {
    const id = await make({
      field_identifier: [{ value: 'one' }, { value: 'two' }],
      field_edtf_date_issued: [{ value: '2001-05~' }],
      field_coordinates: [
        { lat: 49.16667, lng: -123.5 },
        { lat: 0, lng: 12 },
      ],
      field_note: [{ value: '<b>bold</b>', format: 'basic_html' }],
      field_weight: [{ value: 7 }],
      field_description: [{ value: 'Lines\nof text' }],
    });
    expect(await rowOf(id)).toMatchObject({
      field_identifier: 'one|two',
      field_edtf_date_issued: '2001-05~',
      field_coordinates: '49.16667,-123.5|0,12',
      field_note: '<b>bold</b>',
      field_weight: '7',
      field_description: 'Lines\nof text',
    });
  });

  it('contains terms by name, with the vocabulary if the field takes several', async () => {
    const jane = await repository.build.term('person', 'Doe, Jane');
    const acme = await repository.build.term('corporate_body', 'Acme');
    const genre = await repository.build.term('genre', 'maps');
    const id = await make({
      field_linked_agent: [
        { target_id: jane, rel_type: 'relators:pht' },
        { target_id: acme, rel_type: 'relators:aut' },
      ],
      field_subject_general: [{ target_id: acme }],
      field_genre: [{ target_id: genre }],
    });
    expect(await rowOf(id)).toMatchObject({
      field_linked_agent: 'relators:pht:person:Doe, Jane|relators:aut:corporate_body:Acme',
      field_subject_general: 'corporate_body:Acme',
      field_genre: 'maps',
      field_model: 'Image',
    });
  });

  it('contains terms by URI or id if their name is ambiguous', async () => {
    const uri = 'http://example.org/twin';
    await repository.build.term('subject', 'Twins');
    const known = await repository.build.term('subject', 'twins', { field_authority_link: [{ source: 'fast', uri }] });
    const unknown = await repository.build.term('subject', 'TWINS');
    const piped = await repository.build.term('subject', 'a|b', {
      field_authority_link: [{ source: 'fast', uri: `${uri}2` }],
    });
    const id = await make({ field_subject: [{ target_id: known }, { target_id: unknown }, { target_id: piped }] });
    const { rows, summary } = await exportedTable(context, { nodes: [id] });
    expect(rows[id]?.field_subject).toBe(`${uri}|${unknown}|${uri}2`);
    expect([...summary.losses]).toEqual([['references to terms without a unique name: by id', 1]]);
  });

  it('contains the vocabulary of terms whose names look like ids or URIs', async () => {
    const names = ['1984', 'person:x', 'http://example.org/a'];
    const ids = await Promise.all(names.map((name) => repository.build.term('subject', name)));
    const id = await make({ field_subject: ids.map((target_id) => ({ target_id })) });
    expect((await rowOf(id)).field_subject).toBe('subject:1984|subject:person:x|subject:http://example.org/a');
  });

  it('contains the id of a term whose name begins or ends with blanks', async () => {
    await repository.build.term('subject', 'Harbours');
    const padded = await repository.build.term('subject', 'harbours ');
    const id = await make({ field_subject: [{ target_id: padded }] });
    expect((await rowOf(id)).field_subject).toBe(String(padded));
  });

  it('counts values of only blanks, which an import ignores', async () => {
    const id = await make({
      field_description: [{ value: ' \n' }],
      field_identifier: [{ value: '1' }, { value: '\t' }, { value: '\u00a0' }],
    });
    const { summary } = await exportedTable(context, { nodes: [id] }, { files: undefined });
    expect([...summary.losses]).toEqual([['values of only spaces: an import ignores them', 3]]);
  });

  it('is imported as the same values', async () => {
    const jane = await repository.build.term('person', 'Ä, B: C');
    const id = await make({
      field_linked_agent: [{ target_id: jane, rel_type: 'relators:aut' }],
      field_coordinates: [{ lat: -1.5, lng: 2 }],
      field_edtf_date: [{ value: '1999/2000' }, { value: '2001?' }],
      field_rights: [{ value: '<p>x</p>\n', format: 'basic_html' }],
      field_full_title: [{ value: '  spaces, "quotes" and\n\nlines' }],
    });
    const { table } = await exportedTable(context, { nodes: [id] }, { files: undefined });
    const [plan] = await site.plans(await readFile(table, 'utf8'), { textFormat: 'basic_html' });
    const stored = (await (await repository.get(`/node/${id}?_format=json`, 'admin')).json()) as EntityJson;
    for (const name of [
      'field_linked_agent',
      'field_coordinates',
      'field_edtf_date',
      'field_rights',
      'field_full_title',
    ]) {
      const planned = plan?.values.get(name)?.map(({ item }) => item) ?? [];
      expect(planned).toHaveLength(stored[name].length);
      for (const [index, item] of planned.entries()) expect(stored[name][index]).toMatchObject(item as never);
    }
  });
});

describe('the parents of an exported table', () => {
  it('are rows if the table has them, and node ids otherwise', async () => {
    const outside = await make();
    const parent = await make({ field_member_of: [{ target_id: outside }] });
    const child = await make({ field_member_of: [{ target_id: parent }] });
    const both = await make({ field_member_of: [{ target_id: parent }, { target_id: outside }] });
    const { rows, summary } = await exportedTable(context, { nodes: [parent, child, both] });
    expect(rows[parent]?.field_member_of).toBe(String(outside));
    expect(rows[child]).toMatchObject({ parent_id: String(parent) });
    expect(rows[child]).not.toHaveProperty('field_member_of');
    expect(rows[both]).toMatchObject({ field_member_of: `${parent}|${outside}` });
    expect([...summary.losses.keys()]).toContain('nodes that are members of several nodes: referenced by id');
  });

  it('select all of their descendants, even in a cycle', async () => {
    const top = await make();
    const book = await make({ field_member_of: [{ target_id: top }] });
    const page = await make({ field_member_of: [{ target_id: book }] });
    await repository.patch(
      `/node/${top}?_format=json`,
      { type: [{ target_id: 'islandora_object' }], field_member_of: [{ target_id: page }] },
      'admin',
    );
    const { rows } = await exportedTable(context, { membersOf: book });
    expect(Object.keys(rows).map(Number)).toEqual([top, book, page]);
  });
});

describe('the selection of an exported table', () => {
  it('contains all nodes by id, in batches', async () => {
    const ids: number[] = [];
    for (let count = 0; count < 120; count++) ids.push(await make({ title: [{ value: `Number ${count}` }] }));
    const seen: number[] = [];
    const watch = { onProgress: ({ nodes, total }: { nodes: number; total: number }) => void seen.push(nodes / total) };
    const { rows, summary } = await exportedTable(context, {}, {}, watch);
    const found = Object.keys(rows).map(Number);
    expect(found).toEqual(found.toSorted((one, other) => one - other));
    expect(found.length).toBe(summary.nodes);
    expect(new Set(found).isSupersetOf(new Set(ids))).toBe(true);
    expect(seen.at(-1)).toBe(1);
  });

  it('contains only nodes that the user may view', async () => {
    const hidden = await make({ status: [{ value: false }] });
    const shown = await make();
    await repository.user('reader');
    const { rows } = await exportedTable(await site.as('reader'), { nodes: [hidden, shown] });
    expect(Object.keys(rows)).toEqual([String(shown)]);
  });

  it('may be empty', async () => {
    const { summary, table } = await exportedTable(context, { membersOf: 999_999 });
    expect(summary).toMatchObject({ nodes: 0, isWritten: true });
    expect((await readFile(table, 'utf8')).trim().split('\n')).toHaveLength(1);
  });
});

describe('the files of an exported table', () => {
  const put = (id: number, use: string, uri: string, bytes: string, type = 'file', mimeType = 'image/tiff') =>
    repository.build.upload(id, { media: type, use, uri, mimeType, bytes });

  it('are in a folder per node, and in its cells', async () => {
    const id = await make();
    await put(id, ORIGINAL, 'public://one/page.tif', 'the original');
    await put(id, THUMBNAIL, 'public://two/page.tif', 'a small one');
    await put(id, 'http://pcdm.org/use#ServiceFile', 'private://Zoë & co.tif', 'served');
    const { rows, files, summary } = await exportedTable(context, { nodes: [id] });
    const names = (await readdir(join(files, String(id)))).sort();
    expect(names).toHaveLength(3);
    expect(rows[id]).toMatchObject({
      file: `${id}/page.tif`,
      checksum: createHash('sha256').update('the original').digest('hex'),
    });
    expect(rows[id]?.additional_files).toMatch(
      new RegExp(`^Thumbnail Image:${id}/\\d+-page\\.tif\\|Service File:${id}/Zoë & co\\.tif$`),
    );
    expect(await readFile(join(files, `${id}/page.tif`), 'utf8')).toBe('the original');
    expect(summary).toMatchObject({ nodes: 1, files: 3, bytes: 29, problems: 0 });
  });

  it('are omitted with their columns if no folder is given', async () => {
    const { table, summary } = await exportedTable(context, {}, { files: undefined });
    expect((await readFile(table, 'utf8')).split('\n')[0]).not.toMatch(/\bfile\b|checksum|additional_files/);
    expect(summary.files).toBe(0);
  });

  it('are reported if their bytes have changed, without affecting others', async () => {
    const id = await make();
    await put(id, ORIGINAL, 'public://bad.tif', 'good bytes');
    await put(id, THUMBNAIL, 'public://good.tif', 'fine');
    const { database } = repository.running.services;
    await database.write([
      { sql: "UPDATE file SET sha256 = ? WHERE uri = 'public://bad.tif'", args: ['f'.repeat(64)] },
    ]);
    const { rows, problems, summary, files } = await exportedTable(context, { nodes: [id] });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({
      nodeId: id,
      message: expect.stringContaining('public://bad.tif is not exported. The SHA-256'),
    });
    expect(rows[id]).not.toHaveProperty('file');
    expect(rows[id]?.additional_files).toContain('good.tif');
    expect(await readdir(join(files, String(id)))).toEqual(['good.tif']);
    expect(summary).toMatchObject({ isWritten: true, problems: 1, files: 1 });
  });

  it('do not overwrite different files, and keep identical ones', async () => {
    const id = await make();
    await put(id, ORIGINAL, 'public://over.tif', 'ours');
    const { files } = await exportedTable(context, { nodes: [id] });
    expect((await exportedTable(context, { nodes: [id] }, { files })).summary).toMatchObject({ problems: 0, files: 1 });
    const path = join(files, String(id), 'over.tif');
    await writeFile(path, 'mine');
    const { problems } = await exportedTable(context, { nodes: [id] }, { files });
    expect(problems[0]?.message).toContain('exists with other bytes');
    expect(await readFile(path, 'utf8')).toBe('mine');
  });

  it('are reported if they are missing', async () => {
    const id = await make();
    await put(id, ORIGINAL, 'public://gone.tif', 'bytes');
    const { database, schemes } = repository.running.services;
    const row = await database.client.first("SELECT storage_key FROM file WHERE uri = 'public://gone.tif'", []);
    await schemes.get('public')?.storage.remove(String(row?.[0]));
    const { problems, rows } = await exportedTable(context, { nodes: [id] });
    expect(problems[0]?.message).toContain('public://gone.tif is not exported');
    expect(rows).toHaveProperty(String(id));
  });
});

describe('an unsuccessful table export', () => {
  it('writes nothing if a value contains the subdelimiter, and suggests another', async () => {
    const id = await make({ field_identifier: [{ value: 'one|two' }, { value: 'three' }] });
    const { summary, problems, folder } = await exportedTable(context, { nodes: [id] }, { files: undefined });
    expect(summary).toMatchObject({ isWritten: false, problems: 1 });
    expect(problems[0]?.message).toBe(
      'field_identifier: the value "one|two" contains the subdelimiter "|". Choose another with --subdelimiter.',
    );
    expect(await readdir(folder)).toEqual([]);
    const other = await exportedTable(context, { nodes: [id] }, { subdelimiter: ';', delimiter: '\t' });
    expect(other.rows[id]?.field_identifier).toBe('one|two;three');
  });

  it('does not overwrite another file', async () => {
    const { table } = await exportedTable(context, { membersOf: 999_999 });
    await writeFile(table, 'mine');
    await expect(exportedTable(context, {}, { table })).rejects.toThrow('exists. Name another file.');
    expect(await readFile(table, 'utf8')).toBe('mine');
  });

  it('leaves no table after an abort', async () => {
    await make();
    const stop = new AbortController();
    const watch = { signal: stop.signal, onProgress: () => stop.abort(new Error('it was interrupted')) };
    const folder = site.folder;
    const table = join(folder, 'broken.csv');
    await expect(exportedTable(context, {}, { table, files: undefined }, watch)).rejects.toThrow('it was interrupted');
    expect((await readdir(folder)).filter((name) => name.includes('broken') || name.startsWith('.'))).toEqual([]);
  });
});
