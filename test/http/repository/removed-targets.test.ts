import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { auditServices } from '../../support/audit.ts';
import { copyMembers } from '../../support/copied-nodes.ts';
import { signedIn } from '../../support/form-call.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';
import { until } from '../../support/until.ts';

/** More than one transaction removes. */
const MANY = 250;

let repository: TestRepository;
beforeAll(async () => {
  repository = await createTestRepository();
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const all = async (sql: string) => (await repository.running.services.database.client.execute(sql)).rows;
const write = (sql: string) => repository.running.services.database.write([sql]);
const count = async (sql: string) => Number((await all(`SELECT count(*) FROM ${sql}`))[0]?.[0]);
const read = async (path: string, as = 'admin') => {
  const response = await repository.get(`${path}?_format=json`, as);
  return { status: response.status, etag: response.headers.get('etag'), json: (await response.json()) as EntityJson };
};
/** Deletes an entity while another process seems to work on its removal, so that only the first slice is removed. */
async function removeHeld(path: string): Promise<void> {
  const until = Math.floor(Date.now() / 1000) + 3_600;
  await write(`INSERT INTO run (kind, state, about, created_at, lease, lease_until)
    VALUES ('removal', 'running', '{}', unixepoch(), 'another', ${until})`);
  await repository.build.remove(path);
}
/** Lets the task continue, and waits for its end. */
async function finish(): Promise<void> {
  await write(`UPDATE run SET lease_until = 0 WHERE kind = 'removal'`);
  repository.running.services.removals.wake();
  await until(async () => (await count('removed_target')) === 0 && (await count('search_pending')) === 0);
}
const refersTo = (type: string, id: number) => `reference WHERE target_type = '${type}' AND target_id = ${id}`;

describe('a deleted entity that very many refer to', () => {
  it('is gone for every reader before its references are removed, and they change no ETag later', async () => {
    const { build } = repository;
    const top = await build.node('collection', 'Letters');
    const other = await build.node('collection', 'Others');
    const member = await build.node('image', 'Letter', { field_member_of: [top, other] });
    await copyMembers(repository.running.services.database, member, MANY);
    const last = member + MANY;
    const before = await read(`/node/${last}`);
    await removeHeld(`/node/${top}`);

    expect(await count(refersTo('node', top))).toBeGreaterThan(0);
    expect((await read(`/node/${top}`)).status).toBe(404);
    const meanwhile = await read(`/node/${last}`);
    expect(meanwhile.json.field_member_of).toMatchObject([{ target_id: other }]);
    expect(meanwhile.etag).not.toBe(before.etag);
    const page = await (await repository.get(`/node/${last}`, 'admin', { Accept: 'text/html' })).text();
    expect(page).not.toContain('Letters');
    expect(page).toContain('Others');

    await finish();
    expect(await count(refersTo('node', top))).toBe(0);
    const after = await read(`/node/${last}`);
    expect(after).toEqual(meanwhile);
    expect(await auditServices(repository.running.services, true)).toEqual([]);
  });

  it('does not prevent changes and deletions of content that still refers to it', async () => {
    const { build } = repository;
    const term = await build.term('subject', 'Harbours');
    const kept = await build.term('subject', 'Piers');
    const node = await build.node('image', 'Harbour', { field_subject: [term, kept] });
    await copyMembers(repository.running.services.database, node, MANY);
    await removeHeld(`/taxonomy/term/${term}`);
    const [changed, removed] = [node + MANY, node + MANY - 1];
    const { etag } = await read(`/node/${changed}`);
    const answer = await repository.patch(
      `/node/${changed}?_format=json`,
      { type: [{ target_id: 'islandora_object' }], title: [{ value: 'Another title' }] },
      'admin',
      { 'If-Match': etag ?? '' },
    );
    expect(answer.status).toBe(200);
    await build.remove(`/node/${removed}`);
    expect(await count(`${refersTo('taxonomy_term', term)} AND source_id IN (${changed}, ${removed})`)).toBe(0);
    expect(await count(refersTo('taxonomy_term', term))).toBeGreaterThan(0);
    const { json } = await read(`/node/${changed}`);
    expect(json.field_subject).toMatchObject([{ target_id: kept }]);
    await finish();
    expect((await read(`/node/${changed}`)).json).toEqual(json);
    expect(await auditServices(repository.running.services, true)).toEqual([]);
  });

  it('takes its media out of sight before they are marked', async () => {
    const { build } = repository;
    const node = await build.node('image', 'Gone');
    const media = await build.upload(node, { name: 'words.txt', bytes: 'words' });
    await repository.user('reader');
    const columns = (await all("SELECT name FROM pragma_table_info('media')")).map((row) => String(row[0]));
    const copied = (last: string) =>
      columns.map((name) => (name === 'id' ? `${last} + value` : name === 'uuid' ? `uuid || value` : `m.${name}`));
    const series = `(WITH RECURSIVE c(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM c WHERE value < ${MANY}) SELECT value FROM c)`;
    await write(`INSERT INTO media SELECT ${copied(String(media))} FROM ${series}, media m WHERE m.id = ${media}`);
    await write(`INSERT INTO reference SELECT source_type, ${media} + value, field, delta, target_type, target_id, weight
      FROM ${series}, reference WHERE source_type = 'media' AND source_id = ${media}`);
    const last = media + MANY;
    const isMarked = `media WHERE id = ${last} AND has_lost_node = 1`;
    expect((await read(`/media/${last}`, 'reader')).status).toBe(200);
    await removeHeld(`/node/${node}`);
    expect(await count(isMarked)).toBe(0);
    expect((await read(`/media/${last}`, 'reader')).status).toBe(403);
    const { etag } = await read(`/media/${last}`);
    await finish();
    expect(await read(`/media/${last}`)).toMatchObject({ status: 200, etag });
    expect((await read(`/media/${last}`, 'reader')).status).toBe(403);
    expect(await count(isMarked)).toBe(1);
  });

  it('is among the tasks until its references are removed', async () => {
    const { build } = repository;
    const term = await build.term('subject', 'Lighthouses');
    const node = await build.node('image', 'Lighthouse', { field_subject: [term] });
    await copyMembers(repository.running.services.database, node, MANY);
    await removeHeld(`/taxonomy/term/${term}`);
    const admin = await signedIn(repository, 'admin');
    const { html } = await admin.open('/admin/tasks');
    expect(html).toContain(`References to taxonomy term ${term}`);
    expect(html).toContain('150 references left');
    await finish();
    expect((await admin.open('/admin/tasks')).html).not.toContain('References to taxonomy term');
  });
});

describe('a deleted term with very many below it', () => {
  it('takes all along that have no other broader term, in several transactions', async () => {
    const { build } = repository;
    const narrower = (name: string, ...parents: number[]) =>
      build.term('subject', name, { parent: parents.map((target_id) => ({ target_id })) });
    const other = await build.term('subject', 'Ships');
    const top = await build.term('subject', 'Places');
    const middle = await narrower('Coasts', top);
    const leaf = await narrower('Bay', middle);
    const kept = await narrower('Ports', middle, other);
    const first = kept;
    const columns = (await all("SELECT name FROM pragma_table_info('taxonomy_term')")).map((row) => String(row[0]));
    const copied = columns.map((name) => {
      if (name === 'id') return `${first} + value`;
      if (name === 'uuid') return 'uuid || value';
      return name === 'revision_id' ? '1000000 + value' : `t.${name}`;
    });
    const series =
      '(WITH RECURSIVE c(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM c WHERE value < 1200) SELECT value FROM c)';
    await write(`INSERT INTO taxonomy_term_revision (id, entity_id, created, user_id)
      SELECT 1000000 + value, ${first} + value, 1, 1 FROM ${series}`);
    await write(`INSERT INTO taxonomy_term SELECT ${copied} FROM ${series}, taxonomy_term t WHERE t.id = ${leaf}`);
    await write(`INSERT INTO reference SELECT source_type, ${first} + value, field, delta, target_type, target_id, weight
      FROM ${series}, reference WHERE source_type = 'taxonomy_term' AND source_id = ${leaf}`);
    await build.remove(`/taxonomy/term/${top}`);
    expect(await count(`taxonomy_term WHERE id IN (${top}, ${middle}, ${leaf}) OR id > ${kept}`)).toBe(0);
    expect((await read(`/taxonomy/term/${kept}`)).json.parent).toMatchObject([{ target_id: other }]);
    await finish();
    const lacksTerm = (column: string) => `${column} NOT IN (SELECT id FROM taxonomy_term)`;
    expect(await count(`reference WHERE target_type = 'taxonomy_term' AND ${lacksTerm('target_id')}`)).toBe(0);
    expect(await count(`reference WHERE source_type = 'taxonomy_term' AND ${lacksTerm('source_id')}`)).toBe(0);
    expect(await count(`taxonomy_term_revision WHERE ${lacksTerm('entity_id')}`)).toBe(0);
  });
});

describe('a change of the name of a term that very many use', () => {
  it('reaches the index of all of them, whatever their order', async () => {
    const { build } = repository;
    const term = await build.term('subject', 'Quays');
    const node = await build.node('image', 'Quay', { field_subject: [term], field_weight: [3] });
    await copyMembers(repository.running.services.database, node, 2_500, {
      weightOf: 'CASE WHEN n % 3 = 0 THEN n % 7 END',
    });
    const found = async (word: string) =>
      ((await (await repository.get(`/search?_format=json&q=${word}`)).json()) as { total: number }).total;
    await build.change(`/taxonomy/term/${term}`, { vid: [{ target_id: 'subject' }], name: [{ value: 'Wharves' }] });
    await until(async () => (await found('wharves')) === 2_501, { seconds: 60 });
    expect(await found('quays')).toBe(0);
    expect(await count('search_pending_term')).toBe(0);
  }, 90_000);
});
