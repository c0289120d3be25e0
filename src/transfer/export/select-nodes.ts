import { and, count, eq, gt, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { query } from '../../database/query-builder.ts';
import { nodes as nodeTable } from '../../database/schema/content.ts';
import { references } from '../../database/schema/references.ts';
import { isAmong } from '../../database/sql.ts';
import { type Named, plain, prepare, statementOf } from '../../database/statement.ts';
import { visibleRows } from '../../repository/content/visible-rows.ts';
import { isMemberOf } from '../../repository/relations.ts';
import type { LoadContext } from '../table/table-options.ts';

/** A selection of nodes. It selects all nodes if it names none. */
export interface NodeSelection {
  readonly nodes: readonly number[];
  /** The node whose direct and indirect members are selected, without itself. */
  readonly membersOf: number | undefined;
  readonly contentType: string | undefined;
}

/** The nodes of a selection that the actor may view. */
export interface SelectedNodes {
  /** True if all nodes are selected that the actor may view. */
  readonly isAll: boolean;
  count(): Promise<number>;
  /** Returns ids in batches, the lowest first. */
  batches(): AsyncGenerator<number[]>;
  /** Returns the selected ids among these. */
  among(ids: Iterable<number>): Promise<ReadonlySet<number>>;
}

/** Number of nodes in memory that share queries. */
const BATCH_SIZE = 100;

const membership = alias(references, 'r');

// CROSS JOIN fixes the order of the join: the members of each node are one look-up in the index.
const findNamed = prepare(({ ids, membersOf }: Named<{ ids: string; membersOf: number }>) =>
  plain(
    sql`WITH RECURSIVE member (id) AS (
        SELECT ${membership.sourceId} FROM ${references} ${membership} WHERE ${isMemberOf(membership, membersOf)}
        UNION
        SELECT ${membership.sourceId} FROM member m
          CROSS JOIN ${references} ${membership} ON ${isMemberOf(membership, sql`m.id`)})
      SELECT json_group_array(id) FROM (SELECT id FROM member UNION SELECT value FROM json_each(${ids}))`,
    { list: sql<string>`list` },
  ),
);

/** Finds the named nodes once; all others are read as they are needed. */
export async function selectNodes(context: LoadContext, selection: NodeSelection): Promise<SelectedNodes> {
  const { services, kinds, actor } = context;
  const { database } = services;
  const { nodes, membersOf, contentType } = selection;
  const isAll = nodes.length === 0 && membersOf === undefined;
  const named = isAll ? undefined : await namedIds(context, selection);
  const condition = and(
    visibleRows(kinds.node, actor, nodeTable),
    contentType === undefined ? undefined : eq(nodeTable.bundle, contentType),
  );
  const findAmong = prepare(({ ids }: Named<{ ids: string }>) =>
    query
      .select({ id: nodeTable.id })
      .from(nodeTable)
      .where(and(isAmong(nodeTable.id, ids), condition))
      .orderBy(nodeTable.id),
  );
  const findNext = prepare(({ last }: Named<{ last: number }>) =>
    query
      .select({ id: nodeTable.id })
      .from(nodeTable)
      .where(and(gt(nodeTable.id, last), condition))
      .orderBy(nodeTable.id)
      .limit(BATCH_SIZE),
  );

  const within = async (ids: readonly number[]) =>
    (await database.all(findAmong({ ids: JSON.stringify(ids) }))).map(({ id }) => id);

  async function* ofAll(): AsyncGenerator<number[]> {
    for (let last = 0; ; ) {
      const ids = (await database.all(findNext({ last }))).map(({ id }) => id);
      if (ids.length === 0) return;
      yield ids;
      last = ids.at(-1) as number;
    }
  }

  async function* ofNamed(ids: readonly number[]): AsyncGenerator<number[]> {
    for (let start = 0; start < ids.length; start += BATCH_SIZE) {
      const nodes = await within(ids.slice(start, start + BATCH_SIZE));
      if (nodes.length > 0) yield nodes;
    }
  }

  return {
    isAll: isAll && contentType === undefined,
    async count() {
      const isNamed = named && isAmong(nodeTable.id, JSON.stringify(named.list));
      const counted = query.select({ nodes: count() }).from(nodeTable).where(and(isNamed, condition));
      return (await database.get(statementOf(counted)))?.nodes ?? 0;
    },
    batches: () => (named === undefined ? ofAll() : ofNamed(named.list)),
    async among(ids) {
      const wanted = [...new Set(ids)].filter((id) => named?.set.has(id) ?? true);
      return new Set(wanted.length === 0 ? [] : await within(wanted));
    },
  };
}

/** Returns the named nodes and the members, in the order of their ids. A million ids need a few megabytes of memory. */
async function namedIds({ services }: LoadContext, { nodes, membersOf = 0 }: NodeSelection) {
  const row = await services.database.get(findNamed({ ids: JSON.stringify(nodes), membersOf }));
  const list = (JSON.parse(row?.list ?? '[]') as number[]).sort((one, other) => one - other);
  return { list, set: new Set(list) };
}
