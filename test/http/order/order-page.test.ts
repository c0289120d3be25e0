import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { endOf, movedTo, progressOf, runBulk } from '../../support/bulk-call.ts';
import { type FormBrowser, formBrowser, signedIn } from '../../support/form-call.ts';
import { membersOn, positions, saveOrder, typedIn, typePositions } from '../../support/order-call.ts';
import { addBulkRun } from '../../support/run-rows.ts';
import { SiteBuilder } from '../../support/site-builder.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
let build: SiteBuilder;
let admin: FormBrowser;
let book: number;
let pages: number[];

beforeAll(async () => {
  repository = await createTestRepository();
  build = new SiteBuilder(repository);
  await repository.user('editor', 'repository_editor');
  await repository.user('reader');
  await repository.user('loader', 'workbench_user');
  admin = await signedIn(repository, 'admin');
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});
beforeEach(async () => {
  book = await build.node('book', 'The ledger');
  pages = await addPages([1, 2, 3, 4, 5]);
});

async function addPages(weights: readonly (number | undefined)[]): Promise<number[]> {
  const added: number[] = [];
  for (const [at, weight] of weights.entries())
    added.push(
      await build.node('page', `Page ${at + 1}`, {
        field_member_of: [book],
        ...(weight !== undefined && { field_weight: [weight] }),
      }),
    );
  return added;
}

const path = () => `/node/${book}/order`;
const read = async (id: number): Promise<EntityJson> =>
  (await (await repository.get(`/node/${id}?_format=json`, 'admin')).json()) as EntityJson;
const weightsOf = (ids: readonly number[]) =>
  Promise.all(ids.map(async (id) => (await read(id)).field_weight[0]?.value ?? null));
const page = (at: number) => pages[at - 1] ?? 0;

describe('the page of an order', () => {
  it('lists the members with their positions, and is linked from the page of the item', async () => {
    const opened = await admin.open(path());
    expect(opened.status).toBe(200);
    expect(membersOn(opened)).toEqual(pages);
    expect(opened.elements('.order-rows input').map(({ attributes }) => attributes.value)).toEqual([
      '1',
      '2',
      '3',
      '4',
      '5',
    ]);
    const linked = async (browser: FormBrowser, id = book) =>
      (await browser.open(`/node/${id}`)).elements(`a[href="/node/${id}/order"]`).length;
    expect(await linked(admin)).toBe(1);
    expect(await linked(await signedIn(repository, 'reader'))).toBe(0);
    expect(await linked(admin, page(1))).toBe(0);
  });

  it('moves members to the typed positions, and saves only weights that must change', async () => {
    const before = await read(page(1));
    const { run, counts } = await saveOrder(admin, book, { [page(4)]: 2 });
    expect(membersOn(await admin.open(path()))).toEqual([page(1), page(4), page(2), page(3), page(5)]);
    expect(counts).toMatchObject({ done: 3, waiting: 0, skipped: 0, failed: 0 });
    expect((await read(page(1))).vid).toEqual(before.vid);
    const result = await admin.open(run);
    expect(result.html).toContain('Order of the members of “The ledger”: 3 items');
    expect(result.elements(`a[href="/node/${book}"]`)).toHaveLength(1);
    expect(
      await (await repository.get(`/node/${page(4)}/revisions`, 'admin', { Accept: 'text/html' })).text(),
    ).toContain('Moved among the members of “The ledger” (bulk change');
  });

  it('changes only one member if there is a gap for it', async () => {
    book = await build.node('book', 'The sparse ledger');
    pages = await addPages([10, 20, 30, 40]);
    const { counts } = await saveOrder(admin, book, { [page(4)]: 1 });
    expect(counts).toMatchObject({ done: 1 });
    expect(await weightsOf(pages)).toEqual([10, 20, 30, 9]);
  });

  it('numbers members without weights, or with equal ones', async () => {
    book = await build.node('book', 'The unordered ledger');
    pages = await addPages([undefined, undefined, 7, 7]);
    expect(membersOn(await admin.open(path()))).toEqual(pages);
    await saveOrder(admin, book, { [page(4)]: 1, [page(3)]: 2, [page(1)]: 3, [page(2)]: 4 });
    expect(membersOn(await admin.open(path()))).toEqual([page(4), page(3), page(1), page(2)]);
    expect(await weightsOf([page(4), page(3), page(1), page(2)])).toEqual([6, 7, 8, 9]);
  });

  it('accepts the order of the form fields if a script has moved them', async () => {
    const fields = (await admin.open(path())).fields();
    const moved = new URLSearchParams([...fields].filter(([name]) => !name.startsWith('position.')));
    for (const [at, id] of [...pages].reverse().entries()) moved.append(`position.${id}`, String(at + 1));
    await endOf(admin, movedTo(await admin.post(path(), moved)));
    expect(membersOn(await admin.open(path()))).toEqual([...pages].reverse());
  });

  it('starts no change if the order is the same', async () => {
    const answer = await (await admin.open(path())).submit();
    expect(movedTo(answer)).toBe(path());
    expect(decodeURIComponent(answer.headers.get('set-cookie') ?? '')).toContain('The order is as it was.');
  });

  it('can be undone', async () => {
    const { run } = await saveOrder(admin, book, { [page(5)]: 1 });
    expect(membersOn(await admin.open(path()))).toEqual([page(5), ...pages.slice(0, 4)]);
    const undo = movedTo(await (await admin.open(run)).submit({}, { action: `${run}/undo` }));
    expect((await endOf(admin, undo)).counts).toMatchObject({ skipped: 0, failed: 0 });
    expect(membersOn(await admin.open(path()))).toEqual(pages);
    expect(await weightsOf(pages)).toEqual([1, 2, 3, 4, 5]);
  });

  it('reports members that also belong to other items', async () => {
    const other = await build.node('collection', 'Highlights');
    await build.change(`/node/${page(2)}`, { type: 'islandora_object', field_member_of: [book, other] });
    expect((await admin.open(path())).html).toContain('1 member belongs to other items, too.');
  });
});

describe('invalid positions', () => {
  it.each([
    ['text', 'first', '“first” is no position. Enter a number from 1 to 5.'],
    ['nothing', ' ', 'A position is missing. Enter a number from 1 to 5.'],
    ['zero', '0', '“0” is no position.'],
    ['a position behind the end', '6', '“6” is no position.'],
    ['a fraction', '1.5', '“1.5” is no position.'],
  ])('are shown again with a message beside the field: %s', async (_, typed, message) => {
    const opened = await admin.open(path());
    const answer = await admin.post(path(), typePositions(opened, { [page(3)]: typed, [page(5)]: 2 }));
    expect(answer.status).toBe(422);
    const field = `position.${page(3)}`;
    expect(answer.elements(`.error-summary a[href="#${field}"]`)).toHaveLength(1);
    expect(answer.html).toContain(message);
    const inputs = answer.elements('.order-rows input').map(({ attributes }) => attributes);
    expect(inputs.find(({ name }) => name === field)).toMatchObject({
      ...{ value: typed.trim(), 'aria-invalid': 'true', 'aria-describedby': `${field}-error` },
    });
    expect(inputs.find(({ name }) => name === `position.${page(5)}`)?.value).toBe('2');
    expect(answer.elements('form[data-keep=changed]')).toHaveLength(1);
    expect(await weightsOf(pages)).toEqual([1, 2, 3, 4, 5]);
  });

  it('include one position for two members', async () => {
    const opened = await admin.open(path());
    const answer = await admin.post(path(), typePositions(opened, { [page(3)]: 1, [page(5)]: 1 }));
    expect(answer.status).toBe(422);
    expect(answer.html).toContain('Two members are moved to position 1.');
  });

  it('include unknown, repeated and missing members', async () => {
    const opened = await admin.open(path());
    const stranger = await build.node('page', 'A page of no book');
    const status = async (change: (fields: URLSearchParams) => void) => {
      const fields = opened.fields();
      change(fields);
      return (await admin.post(path(), fields)).status;
    };
    const strange = positions({ [stranger]: 1 });
    expect(await status((fields) => fields.append(Object.keys(strange)[0] ?? '', '1'))).toBe(400);
    expect(await status((fields) => fields.append(`position.${page(1)}`, '2'))).toBe(400);
    expect(await status((fields) => fields.append('position.x', '2'))).toBe(400);
    expect(await status((fields) => fields.delete(`position.${page(1)}`))).toBe(400);
    expect(
      await status((fields) => {
        for (const id of pages) fields.delete(`position.${id}`);
      }),
    ).toBe(400);
    expect(await weightsOf(pages)).toEqual([1, 2, 3, 4, 5]);
  });
});

describe('two concurrent editors', () => {
  it('see that members were added or removed, and keep their typed order', async () => {
    const opened = await admin.open(path());
    const added = await build.node('page', 'Page 2 a', { field_member_of: [book], field_weight: [2] });
    await build.change(`/node/${page(5)}`, { type: 'islandora_object', field_member_of: [] });
    const answer = await admin.post(path(), typePositions(opened, { [page(4)]: 1 }));
    expect(answer.status).toBe(409);
    expect(answer.html).toContain('The members have changed since you opened this page');
    expect(answer.html).toContain('1 member was added, 1 member was removed.');
    expect(membersOn(answer)).toEqual([page(4), page(1), page(2), added, page(3)]);
    expect(answer.html).toContain('(added)');
    const run = movedTo(await answer.submit());
    expect((await endOf(admin, run)).state).toBe('done');
    expect(membersOn(await admin.open(path()))).toEqual([page(4), page(1), page(2), added, page(3)]);
  });

  it('see that the order has changed', async () => {
    const opened = await admin.open(path());
    await saveOrder(admin, book, { [page(5)]: 1 });
    const answer = await admin.post(path(), typePositions(opened, { [page(2)]: 1 }));
    expect(answer.status).toBe(409);
    expect(answer.html).toContain('Their order has changed.');
    expect(membersOn(answer)).toEqual([page(2), page(1), page(3), page(4), page(5)]);
    await endOf(admin, movedTo(await answer.submit()));
    expect(membersOn(await admin.open(path()))).toEqual([page(2), page(1), page(3), page(4), page(5)]);
  });

  it('cannot save orders of the same members at the same time', async () => {
    const [first, second] = [await admin.open(path()), await admin.open(path())];
    const answers = await Promise.all([
      admin.post(path(), typePositions(first, { [page(5)]: 1 })),
      admin.post(path(), typePositions(second, { [page(1)]: 5 })),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 409]);
    const saved = answers.find(({ status }) => status === 303);
    if (saved === undefined) throw new Error('no order was saved');
    expect((await endOf(admin, movedTo(saved))).counts).toMatchObject({ skipped: 0, failed: 0 });
  });
});

describe('the access control of an order', () => {
  it('asks anonymous callers to sign in, and keeps what they typed', async () => {
    const stranger = formBrowser(repository);
    const opened = await stranger.open(path());
    expect(opened.status).toBe(401);
    expect(opened.elements('input[name=name]')).toHaveLength(1);
    const fields = (await admin.open(path())).fields();
    const answer = await stranger.post(path(), fields);
    expect(answer.status).toBe(401);
    expect(answer.html).toContain(`position.${page(1)}`);
  });

  it('returns 403 to a user who may not change the item', async () => {
    const reader = await signedIn(repository, 'reader');
    expect((await reader.open(path())).status).toBe(403);
    const fields = (await admin.open(path())).fields();
    expect((await reader.post(path(), fields)).status).toBe(403);
  });

  it('rejects a form of another site or another session', async () => {
    const fields = typePositions(await admin.open(path()), { [page(5)]: 1 });
    const foreign = await admin.post(path(), fields, { 'Sec-Fetch-Site': 'cross-site' });
    expect(foreign.status).toBe(403);
    const editor = await signedIn(repository, 'editor');
    expect((await editor.post(path(), fields)).status).toBe(403);
    fields.delete('form_token');
    expect((await admin.post(path(), fields)).status).toBe(403);
    expect(await weightsOf(pages)).toEqual([1, 2, 3, 4, 5]);
  });

  it('shows users how many members they may not change', async () => {
    book = await build.node('book', 'The ledger of the loader', {}, 'loader');
    pages = [
      await build.node('page', 'A', { field_member_of: [book] }, 'loader'),
      await build.node('page', 'B', { field_member_of: [book] }, 'admin'),
      await build.node('page', 'C', { field_member_of: [book] }, 'loader'),
    ];
    const loader = await signedIn(repository, 'loader');
    const opened = await loader.open(path());
    expect(opened.status).toBe(200);
    expect(opened.html).toContain('You may not change 1 of the 3 members.');
    expect(opened.elements('.order-rows')).toHaveLength(0);
    const fields = (await admin.open(path())).fields();
    fields.set('form_token', (await loader.open(`/node/${book}/edit`)).fields().get('form_token') ?? '');
    const answer = await loader.post(path(), typedIn(fields, { [page(3)]: 1 }));
    expect(answer.status).toBe(403);
    expect(answer.html).toContain('You may not change 1 of the 3 members.');
    expect(membersOn(answer)[0]).toBe(page(3));
    expect(await weightsOf(pages)).toEqual([null, null, null]);
  });

  it('lets users order the members they may view, and hides others', async () => {
    book = await build.node('book', 'The half published ledger', {}, 'loader');
    pages = [
      await build.node('page', 'A', { field_member_of: [book] }, 'loader'),
      await build.node('page', 'Hidden', { field_member_of: [book], field_weight: [1], status: [false] }, 'admin'),
      await build.node('page', 'C', { field_member_of: [book] }, 'loader'),
    ];
    const loader = await signedIn(repository, 'loader');
    const opened = await loader.open(path());
    expect(membersOn(opened)).toEqual([page(1), page(3)]);
    expect(opened.html).not.toContain('Hidden');
    await saveOrder(loader, book, { [page(3)]: 1 });
    expect(membersOn(await loader.open(path()))).toEqual([page(3), page(1)]);
    expect(await weightsOf([page(2)])).toEqual([1]);
  });

  it('returns 404 for an item that does not exist', async () => {
    expect((await admin.open('/node/999999/order')).status).toBe(404);
    expect((await admin.open('/node/x/order')).status).toBe(404);
  });

  it('reports that there is nothing to order', async () => {
    const empty = await build.node('book', 'An empty ledger');
    const opened = await admin.open(`/node/${empty}/order`);
    expect(opened.html).toContain('fewer than two members');
    expect(opened.elements('form[method=post]')).toHaveLength(0);
  });
});

const orderedOf = (membersOf: number) => ({ field: 'field_weight', membersOf, targetLabel: 'The ledger' });

describe('an order that is being saved', () => {
  it('replaces the form, also after it was stopped', async () => {
    const { database } = repository.running.services;
    const before = await admin.open(path());
    const id = await addBulkRun(database, 'order', { parameters: orderedOf(book), lease: 'held' });
    await database.write([
      {
        sql: `INSERT INTO bulk_item (run_id, entity_id, state, before, after)
          VALUES (?, ?, 'waiting', '[{"value":1}]', '[{"value":9}]')`,
        args: [id, page(1)],
      },
    ]);
    const opened = await admin.open(path());
    expect(opened.html).toContain('An order of these members is being saved.');
    expect(opened.elements('.order-rows')).toHaveLength(0);
    const answer = await admin.post(path(), typePositions(before, { [page(5)]: 1 }));
    expect(answer.status).toBe(409);
    expect(answer.html).toContain('Yours is not saved.');
    expect(membersOn(answer)[0]).toBe(page(5));
    await database.write([`UPDATE run SET state = 'stopped', ended_at = 2 WHERE lease = 'held'`]);
    const stopped = await admin.open(path());
    expect(stopped.html).toContain('1 member is not in the new place.');
    const [link] = stopped.elements('.warning a');
    const run = link?.attributes.href ?? '';
    expect(await progressOf(admin, run)).toMatchObject({ state: 'stopped' });
    expect(stopped.elements('.order-rows')).toHaveLength(1);
  });

  it('skips a member whose weight has changed, or that is no longer a member', async () => {
    const { database } = repository.running.services;
    const rows = [
      [page(1), 1, 11],
      [page(2), 7, 12],
      [page(3), 3, 13],
    ];
    await build.change(`/node/${page(3)}`, { type: 'islandora_object', field_member_of: [] });
    const id = await addBulkRun(database, 'order', { parameters: orderedOf(book) });
    await database.write(
      rows.map(([member, before, after]) => ({
        sql: `INSERT INTO bulk_item (run_id, entity_id, state, before, after) VALUES (?, ?, 'waiting', ?, ?)`,
        args: [id, member ?? 0, ...[before, after].map((value) => JSON.stringify({ field_weight: [{ value }] }))],
      })),
    );
    const run = `/admin/content/bulk/${id}`;
    // Another change wakes the task that works on both.
    await runBulk(admin, 'node', 'publish', [page(5)]);
    expect((await endOf(admin, run)).counts).toMatchObject({ done: 1, skipped: 2 });
    const { html } = await admin.open(`${run}?show=skipped`);
    expect(html).toContain('It has been changed since.');
    expect(html).toContain('It is no longer a member.');
    expect(await weightsOf(pages)).toEqual([11, 2, 3, 4, 5]);
  });
});
