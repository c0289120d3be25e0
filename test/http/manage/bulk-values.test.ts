import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { confirmPage, endOf, movedTo } from '../../support/bulk-call.ts';
import {
  errorsOf,
  type Fields,
  type FormBrowser,
  formBrowser,
  type OpenPage,
  signedIn,
} from '../../support/form-call.ts';
import { SiteBuilder } from '../../support/site-builder.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

/** A role that may change its own items only, and not publish them. */
const MODEL = `
roles:
  owner:
    label: Owner
    permissions: [access content, access content overview, create islandora_object content, edit own islandora_object content]
`;
let repository: TestRepository;
let build: SiteBuilder;
let admin: FormBrowser;
let harbours: number;
let ports: number;
let ships: number;

beforeAll(async () => {
  repository = await createTestRepository({}, { model: MODEL });
  build = new SiteBuilder(repository);
  await repository.user('owner', 'owner');
  admin = await signedIn(repository, 'admin');
  harbours = await build.term('subject', 'Harbours');
  ports = await build.term('subject', 'Ports');
  ships = await build.term('subject', 'Ships');
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const read = async (id: number): Promise<EntityJson> =>
  (await (await repository.get(`/node/${id}?_format=json`, 'admin')).json()) as EntityJson;
const subjectsOf = async (id: number) =>
  (await read(id)).field_subject.map((item: { target_id: number }) => item.target_id) as number[];
const titleOf = async (id: number) => (await read(id)).title[0].value as string;
const press = (button: string) => ({ button: ['do', button] as const });

/** Opens the form of a field and an operation for items. */
async function openForm(
  browser: FormBrowser,
  items: readonly number[] | string,
  field: string,
  operation: string,
): Promise<OpenPage> {
  const page = await confirmPage(browser, 'node', 'values', items);
  return page.submit({ field, operation }, press('edit'));
}

/** Fills in the form of a change of values, and opens its preview. */
async function previewOf(
  items: readonly number[] | string,
  field: string,
  operation: string,
  values: Fields = {},
): Promise<OpenPage> {
  return (await openForm(admin, items, field, operation)).submit(values, press('preview'));
}

/** Confirms a previewed change, and waits for its end. */
async function confirmed(preview: OpenPage, browser = admin) {
  const path = movedTo(await preview.submit({}, press('save')));
  return { path, ...(await endOf(browser, path)) };
}

const rowsOf = (page: OpenPage) => page.elements('.preview tbody tr').map(({ text }) => text.replaceAll(/\s+/g, ' '));

describe('a change of values', () => {
  it('replaces one term by another in each item, with its reason in one revision, and is undone', async () => {
    const a = await build.node('image', 'Quay', { field_subject: [harbours, ships] });
    const b = await build.node('image', 'Pier', { field_subject: [ships] });
    const before = (await read(a)).vid[0].value;
    const preview = await previewOf([a, b], 'field_subject', 'replace', {
      'present.0.target_id': 'Harbours',
      'value.0.target_id': `Ports (${ports})`,
      reason: 'One term for both',
    });
    expect(preview.html).toContain('Of 2 items, 1 would change, 1 would stay as they are.');
    expect(rowsOf(preview)).toEqual([`QuayHarbours (${harbours})and one otherPorts (${ports})and one other`]);
    expect(await subjectsOf(a)).toEqual([harbours, ships]);
    const { path, counts } = await confirmed(preview);
    expect(counts).toMatchObject({ done: 1, unchanged: 1, failed: 0, skipped: 0 });
    expect(await subjectsOf(a)).toEqual([ports, ships]);
    const after = await read(a);
    expect(after.revision_log[0].value).toMatch(/^One term for both \(bulk change \d+\)$/);
    const { rows } = await repository.running.services.database.client.execute({
      sql: 'SELECT count(*) FROM node_revision WHERE entity_id = ?',
      args: [a],
    });
    expect(Number(rows[0]?.[0])).toBe(2);
    expect(after.vid[0].value).toBeGreaterThan(before);
    expect((await admin.open(path)).html).toContain('Change “Topics” of 2 items');
    const undo = movedTo(await (await admin.open(path)).submit({}, { action: `${path}/undo` }));
    expect((await endOf(admin, undo)).counts).toMatchObject({ done: 1 });
    expect(await subjectsOf(a)).toEqual([harbours, ships]);
  });

  it('sets, adds, removes and clears values, for the values that each item has then', async () => {
    const [a, b] = [
      await build.node('image', 'A', { field_subject: [ships] }),
      await build.node('image', 'B', { field_subject: [harbours, ports] }),
    ];
    await confirmed(await previewOf([a, b], 'field_subject', 'add', { 'value.0.target_id': `Ports (${ports})` }));
    expect([await subjectsOf(a), await subjectsOf(b)]).toEqual([
      [ships, ports],
      [harbours, ports],
    ]);
    await confirmed(await previewOf([a, b], 'field_subject', 'remove', { 'value.0.target_id': `Ports (${ports})` }));
    expect([await subjectsOf(a), await subjectsOf(b)]).toEqual([[ships], [harbours]]);
    await confirmed(await previewOf([a, b], 'field_subject', 'set', { 'value.0.target_id': `Ports (${ports})` }));
    expect([await subjectsOf(a), await subjectsOf(b)]).toEqual([[ports], [ports]]);
    await confirmed(await previewOf([a, b], 'field_subject', 'clear'));
    expect([await subjectsOf(a), await subjectsOf(b)]).toEqual([[], []]);
  });

  it('finds and replaces texts, plain or by a pattern', async () => {
    const a = await build.node('image', 'Harbor of Basel, 1901', { field_alternative_title: ['Harbor'] });
    await confirmed(await previewOf([a], 'title', 'find', { find: 'Harbor', replacement: 'Harbour' }));
    expect(await titleOf(a)).toBe('Harbour of Basel, 1901');
    const pattern = { find: '^(.*), (\\d{4})$', replacement: '$2: $1', pattern: '1' };
    const preview = await previewOf([a], 'title', 'find', pattern);
    expect(preview.elements('.preview ins').length).toBeGreaterThan(0);
    await confirmed(preview);
    expect(await titleOf(a)).toBe('1901: Harbour of Basel');
  });

  it('leaves out a value that would repeat another one', async () => {
    const a = await build.node('image', 'Quay', { field_subject: [harbours, ports] });
    const values = { 'present.0.target_id': `Harbours (${harbours})`, 'value.0.target_id': `Ports (${ports})` };
    await confirmed(await previewOf([a], 'field_subject', 'replace', values));
    expect(await subjectsOf(a)).toEqual([ports]);
  });

  it('undoes only items that nobody has changed since', async () => {
    const [a, b] = [await build.node('image', 'One Harbor'), await build.node('image', 'Two Harbor')];
    const { path } = await confirmed(await previewOf([a, b], 'title', 'find', { find: 'Harbor', replacement: 'Port' }));
    await build.change(`/node/${b}`, { type: 'islandora_object', title: ['Mine'] });
    const undo = movedTo(await (await admin.open(path)).submit({}, { action: `${path}/undo` }));
    expect((await endOf(admin, undo)).counts).toMatchObject({ done: 1, skipped: 1 });
    expect([await titleOf(a), await titleOf(b)]).toEqual(['One Harbor', 'Mine']);
  });

  it('shows the first fifty changes and the number of the others', async () => {
    await Promise.all(Array.from({ length: 60 }, (_, at) => build.node('image', `Lantern ${at}`)));
    const preview = await previewOf('title=lantern', 'title', 'find', { find: 'Lantern', replacement: 'Lamp' });
    expect(rowsOf(preview)).toHaveLength(50);
    expect(preview.html).toContain('Of the first 50 items, 50 would change.');
    expect(preview.html).toContain('The other 10 items are not shown.');
    expect((await confirmed(preview)).counts).toMatchObject({ done: 60 });
  });

  it('shows the effect of a pattern that matches everything, or takes too long', async () => {
    const a = await build.node('image', 'Everything', { field_note: ['a'.repeat(300_000)] });
    const all = await previewOf([a], 'title', 'find', { find: '.*', replacement: 'The same', pattern: '1' });
    expect(rowsOf(all)).toEqual(['EverythingEverythingThe same']);
    const slow = await previewOf([a], 'field_note', 'find', { find: 'a*b|.', replacement: 'c', pattern: '1' });
    expect(rowsOf(slow)).toEqual(['EverythingThe pattern takes too long in its text.']);
    expect(slow.elements('button[value=save]')).toEqual([]);
  });

  it('says in the preview which items cannot be changed, and why', async () => {
    const a = await build.node('image', 'Untouched');
    const preview = await previewOf([a], 'title', 'find', { find: 'Untouched', replacement: '' });
    expect(preview.html).toContain('1 cannot be changed, for the reason below.');
    expect(preview.html).toContain('Nothing would change.');
    expect(preview.elements('button[value=save]')).toEqual([]);
  });

  it('does not change an item by two runs at once so that one is lost', async () => {
    const items = await Promise.all(Array.from({ length: 30 }, (_, at) => build.node('image', `Beacon ${at}`)));
    const first = await previewOf(items, 'field_subject', 'add', { 'value.0.target_id': `Ports (${ports})` });
    const second = await previewOf(items, 'field_subject', 'add', { 'value.0.target_id': `Ships (${ships})` });
    const ends = await Promise.all([confirmed(first), confirmed(second)]);
    expect(ends.map(({ counts }) => counts.done)).toEqual([30, 30]);
    for (const id of items) expect((await subjectsOf(id)).toSorted()).toEqual([ports, ships].toSorted());
  });

  it('changes only items and fields that the caller may change', async () => {
    const own = await build.node('image', 'Own Harbor', {}, 'owner');
    const other = await build.node('image', 'Other Harbor');
    const owner = await signedIn(repository, 'owner');
    const form = await openForm(owner, [own, other], 'title', 'find');
    const preview = await form.submit({ find: 'Harbor', replacement: 'Port' }, press('preview'));
    expect(rowsOf(preview)[1]).toStartWith('Other HarborYou may not change it.');
    expect((await confirmed(preview, owner)).counts).toMatchObject({ done: 1, skipped: 1 });
    expect([await titleOf(own), await titleOf(other)]).toEqual(['Own Port', 'Other Harbor']);
    const fields = form.elements('select[name=field] option').map(({ attributes }) => attributes.value);
    expect(fields).toContain('field_subject');
    expect(fields).not.toContain('status');
    expect(errorsOf(await openForm(owner, [own], 'status', 'set'))).toEqual(['Choose a field.']);
  });
});

describe('the form of a change of values', () => {
  it('names what is missing or wrong, and keeps what was typed', async () => {
    const a = await build.node('image', 'A');
    expect(errorsOf(await openForm(admin, [a], '', 'set'))).toEqual(['Choose a field.']);
    expect(errorsOf(await openForm(admin, [a], 'field_subject', 'find'))).toEqual([
      '“Topics” has no texts. Choose another change.',
    ]);
    expect(errorsOf(await previewOf([a], 'field_subject', 'add'))).toEqual(['Topics: enter a value.']);
    expect(errorsOf(await previewOf([a], 'title', 'find'))).toEqual(['Enter the text to find.']);
    const unknown = await previewOf([a], 'field_subject', 'set', { 'value.0.target_id': 'Nowhere' });
    expect(unknown.status).toBe(422);
    expect(errorsOf(unknown).join()).toContain('Nothing is called "Nowhere".');
    expect(unknown.fields().get('value.0.target_id')).toBe('Nowhere');
    const date = await previewOf([a], 'field_edtf_date_issued', 'set', { 'value.0.value': 'yesterday' });
    expect(date.status).toBe(422);
    const pattern = await previewOf([a], 'title', 'find', { find: '(', pattern: '1' });
    expect(errorsOf(pattern).join()).toContain('The pattern is invalid: missing closing )');
  });

  it('asks to read the preview again after another entry', async () => {
    const a = await build.node('image', 'Foghorn');
    const preview = await previewOf([a], 'title', 'find', { find: 'Foghorn', replacement: 'Horn' });
    const other = await preview.submit({ replacement: 'Trumpet' }, press('save'));
    expect(other.status).toBe(422);
    expect(errorsOf(other)).toEqual(['This is another change than the one in the preview. Read the preview again.']);
    expect(await titleOf(a)).toBe('Foghorn');
    await confirmed(other);
    expect(await titleOf(a)).toBe('Trumpet');
  });

  it('shows the form of another field or change before its preview', async () => {
    const a = await build.node('image', 'A');
    const form = await openForm(admin, [a], 'title', 'find');
    const other = await form.submit({ field: 'field_subject', operation: 'set' }, press('preview'));
    expect(other.status).toBe(200);
    expect(other.elements('.preview')).toEqual([]);
    expect(other.elements('[name="value.0.target_id"]')).toHaveLength(1);
  });

  it('adds rows, and creates a term', async () => {
    const a = await build.node('image', 'A');
    const form = await openForm(admin, [a], 'field_subject', 'set');
    const second = await form.submit({ 'value.0.target_id': 'Ports' }, press('add value'));
    expect(second.elements('[name^="value."][name$=".target_id"]')).toHaveLength(2);
    const named = { 'value.0.target_id': `Ports (${ports})`, 'value.1.target_id': 'Breakwaters' };
    const unknown = await second.submit(named, press('preview'));
    const creating = unknown.elements('button[value^="create value"]');
    if (creating.length > 0) {
      const created = await unknown.submit({}, press('create value 1'));
      expect(created.fields().get('value.1.target_id')).toMatch(/^Breakwaters \(\d+\)$/);
    } else expect(unknown.status).toBe(422);
  });

  it('is closed to anonymous callers and to readers', async () => {
    const a = await build.node('image', 'A');
    const preview = await previewOf([a], 'title', 'find', { find: 'A', replacement: 'B' });
    expect((await formBrowser(repository).post('/admin/content/bulk/values', preview.fields())).status).toBe(401);
    await repository.user('reader');
    const reader = await signedIn(repository, 'reader');
    expect((await reader.post('/admin/content/bulk/values', preview.fields())).status).toBe(403);
    expect((await confirmPage(reader, 'node', 'values', [a])).status).toBe(403);
  });
});
