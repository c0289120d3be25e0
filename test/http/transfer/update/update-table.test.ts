import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { SiteBuilder } from '../../../support/site-builder.ts';
import { loadContextOf } from '../../../support/table-site.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../../support/test-repository.ts';
import { createUpdateSite, type UpdateRow, type UpdateSite } from '../../../support/update-site.ts';

let repository: TestRepository;
let site: UpdateSite;
let build: SiteBuilder;
beforeAll(async () => {
  repository = await createTestRepository();
  site = await createUpdateSite(repository);
  build = new SiteBuilder(repository);
}, 30_000);
afterAll(async () => {
  await site.remove();
  await repository.stop();
});

const idOf = (node: EntityJson): number => node.nid[0].value;
const make = async (fields: Record<string, unknown[]> = {}) => idOf(await repository.node(fields as never));
const read = (id: number) => build.read(`/node/${id}`);
const valuesOf = async (id: number, field: string) =>
  ((await read(id))[field] as { value: unknown }[]).map(({ value }) => value);
const change = (id: number, fields: Record<string, unknown>) =>
  build.change(`/node/${id}`, { type: 'islandora_object', ...fields });

describe('a table of changes', () => {
  it('changes exactly the edited cells, each item with one revision', async () => {
    const [first, second] = [await make({ field_identifier: [{ value: '007' }] }), await make()];
    const rows = [await site.row(first), await site.row(second)] as [UpdateRow, UpdateRow];
    const run = await site.update([{ ...rows[0], title: 'New', field_identifier: '007|008' }, rows[1]]);
    expect(run.counts).toMatchObject({ done: 1, skipped: 0, failed: 0 });
    expect(await site.row(first)).toEqual({
      ...rows[0],
      title: 'New',
      field_identifier: '007|008',
      revision: expect.stringMatching(/^r[0-9a-f]{12}$/) as never,
    });
    expect(await site.row(second)).toEqual(rows[1]);
    const history = await build.read(`/node/${first}/revisions`);
    expect(JSON.stringify(history)).toContain('Updated from the table “changes.csv”');
  });

  it('is undone as a whole, to the same export byte for byte', async () => {
    const ids = [
      await make({ field_identifier: [{ value: 'a' }] }),
      await make({ field_identifier: [{ value: 'b' }] }),
    ];
    const before = await site.export(ids);
    const rows = await Promise.all(ids.map(site.row));
    const run = await site.update(rows.map((row) => ({ ...row, title: 'Changed', field_identifier: '-' })));
    expect(await site.export(ids)).not.toBe(before);
    expect((await site.undo(run)).counts).toMatchObject({ done: 2 });
    expect(await site.export(ids)).toBe(before);
  });

  it('leaves an item that somebody has changed since out of the undoing', async () => {
    const [kept, restored] = [await make({ title: [{ value: 'A' }] }), await make({ title: [{ value: 'B' }] })];
    const run = await site.update([
      { node_id: String(kept), title: 'New A' },
      { node_id: String(restored), title: 'New B' },
    ]);
    await change(kept, { title: [{ value: 'By somebody' }] });
    const undone = await site.undo(run);
    expect(undone.counts).toMatchObject({ done: 1, skipped: 1 });
    expect(await site.reasons(undone)).toEqual(['It has been changed since.']);
    expect([await valuesOf(kept, 'title'), await valuesOf(restored, 'title')]).toEqual([['By somebody'], ['B']]);
  });

  it('adds and removes values in the columns that are named for that', async () => {
    const id = await make({ field_identifier: [{ value: 'a' }, { value: 'b' }] });
    const cell = { node_id: String(id), field_identifier: 'b|c' };
    await site.update([cell], { modes: new Map([['field_identifier', 'append']]) });
    expect(await valuesOf(id, 'field_identifier')).toEqual(['a', 'b', 'c']);
    await site.update([cell], { modes: new Map([['field_identifier', 'remove']]) });
    expect(await valuesOf(id, 'field_identifier')).toEqual(['a']);
  });

  it('finds rows by UUID, and lets empty cells change nothing', async () => {
    const node = await repository.node({ field_identifier: [{ value: 'kept' }] });
    await site.update([{ uuid: node.uuid[0].value, title: 'By UUID', field_identifier: '' }]);
    expect([await valuesOf(idOf(node), 'title'), await valuesOf(idOf(node), 'field_identifier')]).toEqual([
      ['By UUID'],
      ['kept'],
    ]);
  });

  it('creates new terms once, and refers to existing ones', async () => {
    const [one, two] = [await make(), await make()];
    const check = await site.check([
      { node_id: String(one), field_subject: 'Harbours' },
      { node_id: String(two), field_subject: 'harbours' },
    ]);
    expect([...check.newTerms]).toEqual([['subject', 1]]);
    const run = await site.update([
      { node_id: String(one), field_subject: 'Harbours' },
      { node_id: String(two), field_subject: 'harbours' },
    ]);
    expect(run.counts.done).toBe(2);
    const targets = await Promise.all([one, two].map(async (id) => (await read(id)).field_subject?.[0]?.target_id));
    expect(targets[0]).toBeGreaterThan(0);
    expect(targets[1]).toBe(targets[0]);
  });

  it('changes media and terms', async () => {
    const term = await build.term('subject', 'Ships');
    const run = await site.update([{ term_id: String(term), term_name: 'Vessels', description: 'Things that float' }], {
      type: 'taxonomy_term',
    });
    expect(run.counts.done).toBe(1);
    const changed = await build.read(`/taxonomy/term/${term}`);
    expect([changed.name[0].value, changed.description[0].value]).toEqual(['Vessels', 'Things that float']);
  });

  it('takes apostrophes before formulas, and the line ends of spreadsheets, for no change', async () => {
    const id = await make({ title: [{ value: '=1+1' }], field_description: [{ value: 'a\r\nb' }] });
    const row = await site.row(id);
    const check = await site.check([{ ...row, title: "'=1+1", field_description: 'a\nb' }]);
    expect([check.problems, check.items]).toEqual([[], 0]);
  });
});

describe('a table whose rows are named by a field', () => {
  const key = 'field_identifier';

  it('changes the item that has the value, among several, and with an apostrophe before it', async () => {
    const [one, two] = [
      await make({ [key]: [{ value: 'key-1' }, { value: 'key-2' }] }),
      await make({ [key]: [{ value: '=key-3' }] }),
    ];
    const run = await site.update(
      [
        { [key]: ' key-2 ', title: 'By its second value' },
        { [key]: "'=key-3", title: 'By a value like a formula' },
      ],
      { key },
    );
    expect(run.counts).toMatchObject({ done: 2, failed: 0 });
    expect([await valuesOf(one, 'title'), await valuesOf(two, 'title')]).toEqual([
      ['By its second value'],
      ['By a value like a formula'],
    ]);
    expect(await valuesOf(one, key)).toEqual(['key-1', 'key-2']);
  });

  it('names each that no item or several items have, and two rows of one item', async () => {
    const [one, two] = [
      await make({ [key]: [{ value: 'twice' }] }),
      await make({ [key]: [{ value: 'twice' }, { value: 'own' }, { value: 'other' }] }),
    ];
    const rows = ['twice', 'missing', 'own', 'other'].map((value) => ({ [key]: value, title: 'x' }));
    expect(await site.problems([...rows, { [key]: '', title: 'y' }], { key })).toEqual([
      `1 field_identifier: "twice" is in several: ${one}, ${two}. Name this row by its id or UUID, in a table of its own.`,
      '2 field_identifier: There is no node with "missing" in field_identifier.',
      '4 undefined: Row 3 changes the same item.',
      '5 field_identifier: The row names no content.',
    ]);
  });

  it('finds no item that the user may not view', async () => {
    await make({ [key]: [{ value: 'hidden' }], status: [{ value: false }] });
    await repository.user('visitor');
    const visitor = await loadContextOf(repository, 'visitor');
    expect(await site.problems([{ [key]: 'hidden', title: 'x' }], { key }, visitor)).toEqual([
      '1 field_identifier: There is no node with "hidden" in field_identifier.',
    ]);
  });

  it('finds terms and media by their names', async () => {
    const term = await build.term('subject', 'Steamships');
    await site.update([{ term_name: 'Steamships', description: 'Ships with engines' }], {
      ...{ type: 'taxonomy_term', key: 'term_name' },
    });
    expect((await build.read(`/taxonomy/term/${term}`)).description[0].value).toBe('Ships with engines');
  });

  it.each([
    ['field_subject', 'undefined field_subject: This column names no rows: choose a field with texts or numbers.'],
    ['url_alias', 'undefined url_alias: This column names no rows: choose a field with texts or numbers.'],
    ['field_none', 'undefined field_none: An option names this column, but the table lacks it.'],
  ])('cannot have the column %s for that', async (column, problem) => {
    const row = { title: 'x', ...(column === 'field_none' ? {} : { [column]: 'y' }) };
    expect(await site.problems([row], { key: column })).toEqual([problem]);
  });
});

describe('a table whose items were changed since its export', () => {
  it('keeps the changes of others to cells that it does not edit', async () => {
    const id = await make({ title: [{ value: 'Old' }], field_identifier: [{ value: 'a' }] });
    const row = await site.row(id);
    await change(id, { field_identifier: [{ value: 'by somebody' }] });
    await site.update([{ ...row, title: 'Edited' }]);
    expect([await valuesOf(id, 'title'), await valuesOf(id, 'field_identifier')]).toEqual([
      ['Edited'],
      ['by somebody'],
    ]);
  });

  it('reports a cell that both have changed, unless it may overwrite it', async () => {
    const id = await make({ title: [{ value: 'Old' }] });
    const row = { ...(await site.row(id)), title: 'Edited' };
    await change(id, { title: [{ value: 'By somebody' }] });
    expect(await site.problems([row])).toEqual([
      '1 title: It was changed since the export, to "By somebody". Export again, or add --overwrite.',
    ]);
    await site.update([row], { overwrites: true });
    expect(await valuesOf(id, 'title')).toEqual(['Edited']);
  });

  it('reports an item whose exported state is unknown', async () => {
    const id = await make();
    expect(await site.problems([{ node_id: String(id), revision: 'r000000000000', title: 'Edited' }])).toEqual([
      '1 revision: It was changed since the export, and its history lacks the exported state. Export again, or add --overwrite.',
    ]);
  });

  it('skips an item that somebody changes between check and change', async () => {
    const id = await make({ title: [{ value: 'Old' }] });
    const { services } = repository.running;
    const { startPlannedRun } = await import('../../../../src/bulk/start-run.ts');
    const planned = [
      id,
      JSON.stringify({ title: [{ value: 'Other' }] }),
      JSON.stringify({ title: [{ value: 'New' }] }),
    ];
    const about = { type: 'node', action: 'update', parameters: { targetLabel: 'changes.csv' } } as const;
    await startPlannedRun(services.database, { id: 1 }, about, [[planned as never]]);
    const run = await site.update([{ node_id: String(await make()), title: 'Wakes the work' }]);
    expect(run.counts.done).toBe(1);
    expect(await valuesOf(id, 'title')).toEqual(['Old']);
  });
});

describe('a bad table of changes', () => {
  it.each<[string, UpdateRow[], string]>([
    [
      'lacks its key',
      [{ title: 'x' }],
      'undefined undefined: The table lacks a column that names its rows: node_id or uuid. For another one, add --key COLUMN.',
    ],
    ['names an unknown item', [{ node_id: '999999', title: 'x' }], '1 node_id: There is no node with the id 999999.'],
    [
      'has a changed id',
      [{ node_id: '1.2E+3', title: 'x' }],
      '1 node_id: "1.2E+3" is not an id. Spreadsheets may have changed it; export again.',
    ],
    ['has an unknown column', [{ node_id: '1', titel: 'x' }], 'undefined titel: Unknown column. Did you mean title?'],
    [
      'has a column of new content',
      [{ node_id: '1', checksum: 'x' }],
      'undefined checksum: This column is for tables of new content; an update changes content. Remove it.',
    ],
    [
      'has only its key',
      [{ node_id: '1' }],
      'undefined undefined: The table has no column that changes anything. To delete items, select them at /admin/content.',
    ],
  ])('that %s is refused', async (_, rows, problem) => {
    expect(await site.problems(rows)).toEqual([problem]);
  });

  it('that names an item twice, or clears a required field, is refused', async () => {
    const id = String(await make());
    expect(
      await site.problems([
        { node_id: id, title: 'x' },
        { node_id: id, title: 'y' },
      ]),
    ).toEqual(['2 undefined: Row 1 changes the same item.']);
    expect(await site.problems([{ node_id: id, title: '-' }])).toEqual(['1 title: A value is required ("Title").']);
  });

  it('that has rows of other types, or fields that the type lacks, is refused', async () => {
    const id = String(await make());
    const collection = { node_id: id, content_type: 'article', title: 'x' };
    expect(await site.problems([collection])).toEqual([
      '1 content_type: It is "islandora_object". An update does not change the type.',
    ]);
    expect(await site.problems([{ node_id: id, media_use_tid: 'x' }])).toEqual([
      expect.stringContaining('The use is a value of a media'),
    ]);
    expect(await site.problems([{ term_id: '1', title: 'x' }])).toContain(
      'undefined term_id: This column is for tables of another kind: add --update --type term.',
    );
  });

  it('that changes cells which the user may not change is refused', async () => {
    const id = String(await make());
    await repository.user('cataloguer', 'repository_editor');
    const cataloguer = await loadContextOf(repository, 'cataloguer');
    const rows = [{ node_id: id, title: 'x', created: '2001-01-01T00:00:00+00:00', uid: 'cataloguer' }];
    expect(await site.problems(rows, {}, cataloguer)).toEqual([
      expect.stringMatching(/^1 undefined: Access denied on updating field '(created|uid)'/),
    ]);
    expect(await site.problems([{ node_id: id, title: 'x' }], {}, cataloguer)).toEqual([]);
  });

  it('changes nothing for a user who may not change the item', async () => {
    const id = String(await make());
    await repository.user('reader');
    const reader = await loadContextOf(repository, 'reader');
    expect((await site.problems([{ node_id: id, title: 'x' }], {}, reader))[0]).toContain('may not change');
  });
});
