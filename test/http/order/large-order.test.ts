import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { endOf, movedTo, progressOf } from '../../support/bulk-call.ts';
import { copyMembers } from '../../support/copied-nodes.ts';
import { type FormBrowser, signedIn } from '../../support/form-call.ts';
import { membersOn, typePositions } from '../../support/order-call.ts';
import { SiteBuilder } from '../../support/site-builder.ts';
import { sized } from '../../support/size.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';
import { until } from '../../support/until.ts';

const MEMBERS = sized(1_000, 5_000);
const MAX_MEMBERS = 10_000;
/** The page of 5,000 members, uncompressed. */
const MAX_HTML_BYTES = 3_000_000;
const MAX_BODY_BYTES = 200_000;

/** A type whose members have no place. */
const MODEL = `
node_types:
  leaflet:
    label: Leaflet
    new_revision: true
    fields:
      field_member_of: { label: Member of, type: entity_reference, cardinality: -1, target_type: node, target_bundles: [islandora_object] }
`;

let repository: TestRepository;
let build: SiteBuilder;
let admin: FormBrowser;
beforeAll(async () => {
  repository = await createTestRepository({}, { model: MODEL });
  build = new SiteBuilder(repository);
  admin = await signedIn(repository, 'admin');
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

async function bookOf(count: number): Promise<string> {
  const book = await build.node('book', `A book of ${count} pages`);
  const page = await build.node('page', 'Page', { field_member_of: [book] });
  await copyMembers(repository.running.services.database, page, count - 1);
  return `/node/${book}/order`;
}

describe('the order of very many members', () => {
  it('is complete after a restart while it was saved', async () => {
    const path = await bookOf(400);
    const page = await admin.open(path);
    const reversed = membersOn(page).reverse();
    const typed = Object.fromEntries(reversed.map((id, at) => [id, at + 1]));
    const run = movedTo(await admin.post(path, typePositions(page, typed)));
    await until(async () => (await progressOf(admin, run)).counts.done >= 50);
    expect((await admin.open(path)).html).toContain('An order of these members is being saved.');
    await repository.restart();
    admin = await signedIn(repository, 'admin');
    expect((await progressOf(admin, run)).counts.waiting).toBeGreaterThan(0);
    expect((await endOf(admin, run)).counts).toMatchObject({ done: 400, failed: 0, skipped: 0 });
    expect(membersOn(await admin.open(path))).toEqual(reversed);
  }, 60_000);

  it(`is one page of ${MEMBERS} small rows, and is saved from a form without a script`, async () => {
    const path = await bookOf(MEMBERS);
    const page = await admin.open(path);
    const ids = membersOn(page);
    expect(ids).toHaveLength(MEMBERS);
    expect(page.html.length).toBeLessThan(MAX_HTML_BYTES);
    const last = ids.at(-1) ?? 0;
    const fields = typePositions(page, { [last]: 1 });
    expect(fields.toString().length).toBeLessThan(MAX_BODY_BYTES);
    const run = movedTo(await admin.post(path, fields));
    // Others write meanwhile.
    const other = await build.node('image', 'A photograph');
    await build.change(`/node/${other}`, { type: 'islandora_object', title: ['Another title'] });
    const meanwhile = await progressOf(admin, run);
    expect(meanwhile.state).toBe('running');
    expect(meanwhile.counts.waiting).toBeGreaterThan(0);
    expect((await endOf(admin, run)).counts).toMatchObject({ done: MEMBERS, failed: 0, skipped: 0 });
    expect(membersOn(await admin.open(path))).toEqual([last, ...ids.slice(0, -1)]);
  }, 120_000);

  it(`is possible for ${MAX_MEMBERS} members and no more`, async () => {
    const path = await bookOf(MAX_MEMBERS);
    const page = await admin.open(path);
    expect(membersOn(page)).toHaveLength(MAX_MEMBERS);
    await build.node('page', 'One more', { field_member_of: [Number(path.split('/')[2])] });
    const full = await admin.open(path);
    expect(full.html).toContain('This item has more than 10,000 members');
    expect(full.elements('.order-rows')).toHaveLength(0);
    expect((await admin.post(path, page.fields())).status).toBe(409);
  }, 60_000);
});

it('is not offered for members of a type without a field for their place', async () => {
  const book = await build.node('book', 'A folder');
  const leaf = { type: 'leaflet', title: ['A leaf'], field_member_of: [book] };
  await build.make('/node', leaf);
  await build.node('page', 'A page', { field_member_of: [book] });
  const page = await admin.open(`/node/${book}/order`);
  expect(page.html).toContain('1 of the 2 members');
  expect(page.html).toContain('without a field for their place');
  expect(page.elements('.order-rows')).toHaveLength(0);
});
