import { afterAll, beforeAll, expect, it } from 'bun:test';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createSiteDays } from '../../../src/base/site-day.ts';
import type { Database } from '../../../src/database/database.ts';
import { failedGuard } from '../../../src/database/errors.ts';
import { openLocalDatabase } from '../../../src/database/local/open-local-database.ts';
import { migrate } from '../../../src/database/migrate.ts';
import { type AccessRule, ruleText } from '../../../src/model/access-rules.ts';
import { AccessState } from '../../../src/repository/access/access-state.ts';
import { anchorNode, anchorNodes } from '../../../src/repository/access/anchor.ts';
import { forgetAccess, placeWritten } from '../../../src/repository/access/placement.ts';
import {
  above,
  clock,
  eachView,
  type Graph,
  leastOf,
  MEMBERS_TERM,
  type Model,
  mostOf,
  RULES,
  SERVICE,
  THUMBNAIL,
  URIS,
} from '../../support/access-graph.ts';
import { emptyFolder } from '../../support/empty-folder.ts';
import { createRandom, type Random } from '../../support/random.ts';
import { sized } from '../../support/size.ts';

const GRAPHS = sized(60, 10_000);
const NODES = 7;
const CHANGES = 14;
const TERMS_RULE = JSON.stringify({ access_terms: [MEMBERS_TERM] });
let folder: string;
let database: Database;

beforeAll(async () => {
  folder = await emptyFolder();
  database = openLocalDatabase(join(folder, 'a.db'));
  await migrate(database.client, 0);
  const document = JSON.stringify({
    field_access_level: [{ value: 'closed' }],
    field_access_roles: [{ target_id: 'member' }],
  });
  await database.write([
    {
      sql: `INSERT INTO taxonomy_term (id, uuid, revision_id, bundle, label, owner_id, status, changed, version, layout, is_dangling, document)
        VALUES (?, 't', 1, 'islandora_access', 'Members', 1, 1, 1, 1, 1, 0, ?)`,
      args: [MEMBERS_TERM, document],
    },
    ...Object.entries(URIS).map(([id, uri]) => ({
      sql: "INSERT INTO term_uri VALUES (?, 'field_external_uri', 0, ?)",
      args: [Number(id), uri],
    })),
  ]);
});
afterAll(async () => {
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

/** A database whose writes fail after some, as in a process that is killed. */
function failingAfter(writes: number): Database {
  let left = writes;
  return new Proxy(database, {
    get(target, name) {
      const value = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        if (name === 'write' && left-- === 0) throw new Error('killed');
        return value.apply(target, args);
      };
    },
  });
}

async function startGraph() {
  const tables = ['node', 'reference', 'access_rule', 'access_set', 'access_anchor', 'node_access'];
  await database.write(tables.map((table) => ({ sql: `DELETE FROM ${table}`, args: [] })));
  const names = { presets: new Map(), roles: new Set(['member']), networks: new Set(['campus']) };
  const access = new AccessState({ database, names, days: createSiteDays('UTC'), now: () => clock.now });
  const services = { database, access, now: () => clock.now };

  async function put(nid: number, { rules, parents }: Model): Promise<void> {
    const [own, ofTerms] = [rules.find(({ level }) => level), rules.find(({ level }) => !level)];
    const placed = {
      uuid: `u${nid}`,
      rule: own === undefined ? null : ruleText(own),
      termsRule: ofTerms === undefined ? null : TERMS_RULE,
    };
    database.refresh();
    await access.refresh();
    try {
      await database.write([
        {
          sql: `INSERT INTO node (id, uuid, revision_id, bundle, label, owner_id, status, changed, version, layout, is_dangling, document)
            VALUES (?, ?, 1, 'b', 'l', 1, 1, 0, 1, 1, 0, '{}') ON CONFLICT DO NOTHING`,
          args: [nid, placed.uuid],
        },
        { sql: "DELETE FROM reference WHERE source_type = 'node' AND source_id = ?", args: [nid] },
        ...parents.map((parent, delta) => ({
          sql: "INSERT INTO reference VALUES ('node', ?, 'field_member_of', ?, 'node', ?, NULL)",
          args: [nid, delta, parent],
        })),
        ...placeWritten([placed], access.sets.isEmpty, clock.now),
      ]);
    } catch (error) {
      const guard = failedGuard(error);
      if (guard === undefined) throw error;
      if (guard === 'guard_unanchored') await anchorNodes(services, [nid]);
      access.forget();
      await put(nid, { rules, parents, isDeleted: false });
    }
  }

  async function remove(nid: number): Promise<void> {
    await database.write([
      { sql: 'DELETE FROM node WHERE id = ?', args: [nid] },
      forgetAccess(JSON.stringify([nid])),
      { sql: 'DELETE FROM reference WHERE ?1 IN (source_id, target_id)', args: [nid] },
    ]);
  }

  /** Makes the members of a node refer to it, and is killed after some writes. */
  const anchorInPart = (nid: number, writes: number) =>
    anchorNode({ ...services, database: failingAfter(writes) }, nid).catch(() => {});

  async function sharesOf(nid: number): Promise<number[]> {
    database.refresh();
    await access.refresh();
    const { rows } = await database.client.execute({
      sql: 'SELECT set_id FROM node_access WHERE nid = ?',
      args: [nid],
    });
    const setId = Number(rows[0]?.[0] ?? 0);
    return eachView((caller) => {
      const sight = access.sets.isEmpty ? undefined : access.sightOf(caller);
      if (sight === undefined || (sight.sees(setId) && sight.seesFiles(setId, []))) return 4;
      const uses = [THUMBNAIL, SERVICE].filter((use) => sight.seesFiles(setId, [use])).length;
      return sight.sees(setId) ? 1 + uses : 0;
    });
  }
  return { put, remove, anchorInPart, sharesOf };
}

function someRules(random: Random): AccessRule[] {
  const own = random.below(3) === 0 ? [random.pick(RULES)] : [];
  return random.below(8) === 0 ? [...own, { access_terms: [MEMBERS_TERM] }] : own;
}

async function checkGraph(seed: number): Promise<void> {
  const random = createRandom(seed);
  const { put, remove, anchorInPart, sharesOf } = await startGraph();
  const graph: Graph = new Map();
  const living = () => [...graph].filter(([, { isDeleted }]) => !isDeleted).map(([nid]) => nid);
  const someParents = () => [...new Set(Array.from({ length: random.below(3) }, () => random.pick(living())))];
  for (let change = 0; change < NODES + CHANGES; change += 1) {
    const known = living();
    const nid = change < NODES || known.length === 0 ? graph.size + 1 : random.pick(known);
    const node = graph.get(nid) ?? { rules: [], parents: [], isDeleted: false };
    const action = random.below(8);
    if (!graph.has(nid)) {
      graph.set(nid, node);
      Object.assign(node, { rules: someRules(random), parents: someParents() });
      await put(nid, node);
    } else if (action === 0 && random.below(2) === 0) {
      const before = await Promise.all(known.map(async (each) => [each, await sharesOf(each)] as const));
      node.isDeleted = true;
      for (const [each, other] of graph) if (above(graph, each).has(nid)) other.wasBelowDeleted = true;
      await remove(nid);
      for (const [each, shares] of before)
        if (each !== nid) expect([seed, change, each, await sharesOf(each)]).toEqual([seed, change, each, shares]);
    } else if (action === 1) await anchorInPart(nid, random.below(4));
    else {
      Object.assign(node, action < 5 ? { rules: someRules(random) } : { parents: someParents() });
      await put(nid, node);
    }
    for (const each of living()) {
      const [least, most] = [leastOf(graph, each), mostOf(graph, each)];
      const shares = await sharesOf(each);
      const isRight = shares.every((share, at) => share >= (least[at] as number) && share <= (most[at] as number));
      if (!isRight) expect([seed, change, each, shares]).toEqual([seed, change, each, least]);
    }
  }
}

it('a run that was killed does not end a later one above it', async () => {
  const { put, anchorInPart, sharesOf } = await startGraph();
  const node = (parents: number[], rules: AccessRule[] = []) => ({ parents, rules, isDeleted: false });
  await put(1, node([]));
  await put(2, node([1]));
  await put(3, node([2]));
  await anchorInPart(2, 1);
  await put(1, node([], [{ level: 'closed' }]));
  expect([...(await sharesOf(2)), ...(await sharesOf(3))].filter((share) => share > 0)).toEqual([]);
});

it('all changes of nodes, rules and collections leave each caller what the definition says', async () => {
  for (let seed = 1; seed <= GRAPHS; seed += 1) await checkGraph(seed);
}, 3_600_000);
