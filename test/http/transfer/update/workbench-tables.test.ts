import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { LinkedType } from '../../../../src/repository/access-rule.ts';
import { PNG } from '../../../support/repository-routes.ts';
import { SiteBuilder, USE } from '../../../support/site-builder.ts';
import { createTestRepository, type TestRepository } from '../../../support/test-repository.ts';
import { createUpdateSite, type UpdateRow, type UpdateSite } from '../../../support/update-site.ts';

// The tables in the documentation of the tasks of Islandora Workbench, with ids and fields of the default content model.
let repository: TestRepository;
let site: UpdateSite;
let build: SiteBuilder;
beforeAll(async () => {
  repository = await createTestRepository();
  site = await createUpdateSite(repository);
  build = new SiteBuilder(repository);
}, 30_000);
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await site.remove();
  await repository.stop();
});

const upload = (node: number) => build.upload(node, { name: 'a.png', bytes: PNG as unknown as Bun.BodyInit });

describe('a table of Islandora Workbench', () => {
  it('of the task update changes fields, members and aliases', async () => {
    const [collection, node] = [await build.node('collection', 'A collection'), await build.node('image', 'A boat')];
    const run = await site.update([
      {
        ...{ node_id: `https://example.org/node/${node}`, field_description: 'I have changed my mind.' },
        ...{ field_member_of: String(collection), url_alias: '/this_is_a_cool_item', status: '0' },
      },
    ]);
    expect(run.counts).toMatchObject({ done: 1, failed: 0 });
    const changed = await build.read(`/node/${node}`);
    expect([changed.field_description[0].value, changed.field_member_of[0].target_id, changed.path[0].alias]).toEqual([
      'I have changed my mind.',
      collection,
      '/this_is_a_cool_item',
    ]);
    expect(changed.status[0].value).toBe(false);
  });

  it('of the task update_media changes uses, names and the published status', async () => {
    const media = await upload(await build.node('image', 'A ferry'));
    const run = await site.update(
      [{ media_id: `/media/${media}`, media_use_tid: 'Service File|Original File', name: 'My media', status: 'tRuE' }],
      { type: 'media' },
    );
    expect(run.counts.done).toBe(1);
    const changed = await build.read(`/media/${media}`);
    expect([changed.field_media_use.length, changed.name[0].value, changed.status[0].value]).toEqual([
      2,
      'My media',
      true,
    ]);
  });

  it('of the task update_terms changes terms', async () => {
    const term = await build.term('person', 'Jordan');
    const link = 'viaf%%http://viaf.org/viaf/106468077%%VIAF Record';
    const row = {
      term_id: String(term),
      term_name: 'Jordan, Mark',
      description: 'A person',
      field_authority_link: link,
    };
    expect((await site.update([row], { type: 'taxonomy_term' })).counts.done).toBe(1);
    expect((await build.read(`/taxonomy/term/${term}`)).name[0].value).toBe('Jordan, Mark');
  });

  it.each<[string, LinkedType, UpdateRow, string]>([
    [
      'add_media',
      'node',
      { node_id: '1', file: 'test.txt' },
      'file: A table of changes adds and replaces no files. Add',
    ],
    [
      'update_media',
      'media',
      { media_id: '1', file: 'test.txt' },
      'file: A table of changes adds and replaces no files. R',
    ],
    [
      'add_media',
      'node',
      { node_id: '1', media_use_tid: '21' },
      'media_use_tid: The use is a value of a media: update',
    ],
    ['delete', 'node', { node_id: '95' }, 'undefined: The table has no column that changes anything. To delete items,'],
    [
      'delete_media',
      'media',
      { media_id: '95' },
      'undefined: The table has no column that changes anything. To delete m',
    ],
    [
      'create_terms',
      'taxonomy_term',
      { term_name: 'SUVs' },
      'undefined: The table lacks a column that names its rows: te',
    ],
    [
      'update_terms',
      'node',
      { term_id: '1', title: 'x' },
      'undefined: The table lacks a column that names its rows: no',
    ],
    ['create_redirects', 'node', { node_id: '1', redirect_source: 'a' }, 'redirect_source: Redirects are no content.'],
    [
      'export_csv',
      'node',
      { 'REMOVE THIS COLUMN (KEEP THIS ROW)': '', node_id: '1' },
      'REMOVE THIS COLUMN (KEEP THIS ',
    ],
    [
      'update',
      'node',
      { node_id: '1', Description: 'x' },
      'Description: This is a label. Write the name of the field: field_d',
    ],
    ['update', 'node', { node_id: '1', parent_id: '2' }, 'parent_id: This column is for tables of new content; an up'],
  ])('of the task %s for %s is refused with what to do instead', async (_, type, row, problem) => {
    expect((await site.problems([row], { type }))[0]).toStartWith(`undefined ${problem}`);
  });

  it('of input_data loads, or is refused with what to do instead', async () => {
    const node = await build.node('image', 'A barge');
    const media = await upload(node);
    const [one, other] = [await build.termId(USE.original), await build.termId(USE.thumbnail)];
    expect((await site.update([{ node_id: String(node), title: 'New title FTW' }])).counts.done).toBe(1);
    const uses = { media_id: String(media), media_use_tid: `${one}|${other}` };
    expect((await site.update([uses], { type: 'media' })).counts.done).toBe(1);
    const refused = await site.problems(
      [
        {
          media_id: '1',
          field_height: '245',
          field_width: '555',
          field_606_term_reference: 'Testing 606',
          foobar: 't',
        },
      ],
      { type: 'media' },
    );
    expect(refused.map((each) => each.split(':')[0])).toEqual([
      'undefined field_606_term_reference',
      'undefined foobar',
    ]);
  });

  it('names rows by aliases, also with a host', async () => {
    const path = [{ alias: '/havana_boats' }];
    const node = await build.node('image', 'Boats', { path });
    const rows = ['/havana_boats', 'https://example.org/havana_boats/'].map((id) => ({ node_id: id, title: 'Boats!' }));
    expect(await site.problems(rows)).toEqual(['2 undefined: Row 1 changes the same item.']);
    await site.update(rows.slice(0, 1));
    expect((await build.read(`/node/${node}`)).title[0].value).toBe('Boats!');
  });

  it('that names rows by names, or by aliases of nothing or of other content, is refused', async () => {
    await build.term('subject', 'Ferries', { path: [{ alias: '/ferries' }] });
    const rows = ['/no_boats', '/ferries'].map((id) => ({ node_id: id, title: 'x' }));
    expect((await site.problems(rows)).map((each) => each.slice(0, 33))).toEqual([
      '1 node_id: "/no_boats" is not an ',
      '2 node_id: "/ferries" is not an i',
    ]);
    const [named] = await site.problems([{ term_id: 'Dogs', term_name: 'x' }], { type: 'taxonomy_term' });
    expect(named).toContain('such as /taxonomy/term/12');
  });
});
