import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import type { Database } from '../../../../src/database/database.ts';
import { openLocalDatabase } from '../../../../src/database/local/open-local-database.ts';
import { migrate } from '../../../../src/database/migrate.ts';
import type { Actor } from '../../../../src/repository/actor.ts';
import { findPage } from '../../../../src/repository/lists/find-page.ts';
import type { FilterValues, ListPart, ListSort } from '../../../../src/repository/lists/list-question.ts';
import { pageQueries } from '../../../../src/repository/lists/page-queries.ts';
import { emptyFolder } from '../../../support/empty-folder.ts';
import { UNRESTRICTED } from '../../../support/unrestricted.ts';

/** More than are counted with look-ups, and more than are sorted. */
const NODES = 60_000;
const MANY = 1;
const SOME = 2;
const FEW = 3;
const OWNER = 7;

const actor = (id: number, ...permissions: string[]): Actor => ({
  ...{ id, uuid: '', name: '', roles: [], isAuthenticated: id > 0 },
  ...UNRESTRICTED,
  may: (permission) => permissions.includes(permission),
});
const anonymous = actor(0, 'access content');
const owner = actor(OWNER, 'access content', 'view own unpublished content');
const editor = actor(8, 'bypass node access');

let database: Database;
beforeAll(async () => {
  database = openLocalDatabase(join(await emptyFolder(), 'a.db'));
  await migrate(database.client, 0);
  const numbers = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${NODES})`;
  // Every tenth node is hidden, every hundredth one deleted; titles and times are in another order than ids.
  const status = 'i % 10 <> 0';
  const mixed = `(i * 7919) % ${NODES}`;
  const ownerOf = `CASE i % 500 WHEN 0 THEN ${OWNER} ELSE 1 END`;
  const statements = [
    `${numbers} INSERT INTO node_record (nid, sequence, is_deleted, status, owner_id, bundle, created, changed, title_key,
        has_text, facets, collections, text_hash)
      SELECT i, i, i % 100 = 1, i % 100 <> 1 AND ${status}, ${ownerOf}, iif(i % 1000 = 5, 'article', 'islandora_object'),
        ${mixed}, ${mixed} / 100, printf('t%05d', ${mixed} / 3), 0, x'', '[]', '' FROM n`,
    `${numbers} INSERT INTO node (id, uuid, bundle, label, owner_id, status, changed, version, layout, is_dangling, document)
      SELECT i, i, 'islandora_object', '', ${ownerOf}, ${status}, 0, 1, 1, 0, '{}' FROM n WHERE i % 100 <> 1`,
    `${numbers} INSERT INTO reference SELECT 'node', i, 'field_member_of', delta, 'node',
        CASE WHEN i % 5 > 0 THEN ${MANY} WHEN i % 50 = 0 THEN ${FEW} ELSE ${SOME} END, NULL
      FROM n, (SELECT 0 AS delta UNION SELECT 1) WHERE i % 100 <> 1`,
    `${numbers} INSERT INTO reference SELECT 'node', i, 'field_model', 0, 'taxonomy_term', ${SOME}, NULL FROM n WHERE i % 100 <> 1`,
  ];
  await database.write(statements.map((sql) => ({ sql, args: [] })));
});
afterAll(() => database.close());

const isHidden = (id: number) => id % 10 === 0;
const mixedOf = (id: number) => (id * 7_919) % NODES;
const KEYS: Readonly<Record<string, (id: number) => number>> = {
  id: (id) => id,
  created: mixedOf,
  changed: (id) => Math.floor(mixedOf(id) / 100),
  title: (id) => Math.floor(mixedOf(id) / 3),
};
const collectionOf = (id: number) => (id % 5 > 0 ? MANY : id % 50 === 0 ? FEW : SOME);

/** The ids of a list as a loop over all nodes finds them. */
function expected(sort: ListSort, accepts: (id: number) => boolean): number[] {
  const ids = Array.from({ length: NODES }, (_, index) => index + 1).filter((id) => id % 100 !== 1 && accepts(id));
  const key = KEYS[sort] as (id: number) => number;
  return ids.toSorted((a, b) => key(a) - key(b) || a - b);
}

async function walked(who: Actor, filters: FilterValues, sort: ListSort, isDescending: boolean, size = 5_000) {
  const ids: number[] = [];
  let total: number | undefined;
  for (let part: ListPart | undefined = 'start'; part !== undefined; ) {
    const page = await findPage(database, who, { list: 'node', filters, sort, isDescending, size, part });
    total ??= page.total;
    ids.push(...page.rows.map(({ id }) => id));
    const last = page.rows.at(-1);
    part = page.hasNext && last !== undefined ? { after: last } : undefined;
  }
  return { ids, total };
}

const CASES: readonly [name: string, who: Actor, filters: FilterValues, accepts: (id: number) => boolean][] = [
  ['all published nodes', anonymous, {}, (id) => !isHidden(id)],
  ["published nodes and the caller's unpublished ones", owner, {}, (id) => !isHidden(id) || id % 500 === 0],
  ["the caller's unpublished nodes", owner, { published: 0 }, (id) => id % 500 === 0],
  ['unpublished nodes', editor, { published: 0 }, isHidden],
  ['the nodes of a small collection', editor, { collection: FEW }, (id) => collectionOf(id) === FEW],
  ['the nodes of a collection', anonymous, { collection: SOME }, (id) => !isHidden(id) && collectionOf(id) === SOME],
  ['the nodes of a rare type', anonymous, { type: 'article' }, (id) => id % 1_000 === 5],
  ['the nodes of a collection and a model', editor, { collection: FEW, model: SOME }, (id) => collectionOf(id) === FEW],
];

describe('a list of 60,000 nodes', () => {
  it.each(CASES)('contains %s, in each order and from either end', async (_, who, filters, accepts) => {
    for (const sort of ['id', 'created', 'changed', 'title'] as const) {
      const wanted = expected(sort, accepts);
      expect(await walked(who, filters, sort, false)).toEqual({ ids: wanted, total: wanted.length });
      expect(await walked(who, filters, sort, true)).toEqual({ ids: wanted.toReversed(), total: wanted.length });
    }
  });

  it('has no total if too many rows need a lookup', async () => {
    const large = await walked(anonymous, { collection: MANY }, 'title', true);
    expect(large.ids).toEqual(expected('title', (id) => collectionOf(id) === MANY).toReversed());
    const all = await walked(anonymous, { model: SOME }, 'id', false);
    expect(all.ids).toEqual(expected('id', (id) => !isHidden(id)));
    expect({ large: large.total, all: all.total }).toEqual({ large: undefined, all: undefined });
  });

  it.each(['id', 'created', 'changed', 'title'] as const)('by %s uses an index in its order', async (sort) => {
    const shape = {
      list: 'node',
      sort,
      isDescending: true,
      filters: [],
      selectedBy: undefined,
      countedBy: undefined,
    } as const;
    const { forward, total } = pageQueries(shape, anonymous);
    const values = { actorId: 0, key: 1, id: 1, limit: 1 } as Parameters<typeof total>[0];
    for (const { sql, args } of [forward.all(values), forward.beyond(values), forward.from(values)]) {
      const { rows } = await database.client.execute({ sql: `EXPLAIN QUERY PLAN ${sql}`, args });
      const plan = rows.map((row) => String(row[3])).join('; ');
      expect(plan).toMatch(sort === 'id' ? /^(SCAN|SEARCH) node_record/ : /COVERING INDEX node_record_/);
      expect(plan).not.toContain('TEMP B-TREE');
    }
    const counting = await database.client.execute({
      sql: `EXPLAIN QUERY PLAN ${total(values).sql}`,
      args: total(values).args,
    });
    expect(counting.rows.map((row) => row[3]).join()).toContain('COVERING INDEX');
  });
});
