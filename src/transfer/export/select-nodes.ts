import type { InValue } from '@libsql/client';
import { nodes as nodeTable } from '../../database/schema/content.ts';
import { textOf } from '../../database/sql.ts';
import { visibleRows } from '../../repository/content/visible-rows.ts';
import type { LoadContext } from '../table/table-options.ts';

/** Which nodes are wanted: all, or some of them. */
export interface NodeSelection {
  readonly nodes: readonly number[];
  /** All that are members of it, and members of these, and so on; itself not. */
  readonly membersOf: number | undefined;
  readonly contentType: string | undefined;
}

/** The nodes of a selection that the actor may see. */
export interface SelectedNodes {
  /** Whether they are all that there are, as far as the actor may see them. */
  readonly isAll: boolean;
  count(): Promise<number>;
  /** Ids in batches, the lowest first. */
  batches(): AsyncGenerator<number[]>;
  /** Those of these ids that are selected. */
  among(ids: Iterable<number>): Promise<ReadonlySet<number>>;
}

/** Enough that a batch shares the cost of its queries, and few enough to be held at once. */
const BATCH_SIZE = 100;

/** Of a table with the one column `id`; `?1` is the list of ids, `?2` the node whose members are wanted. */
const SOME = `WITH RECURSIVE member(id) AS (
    SELECT r.source_id FROM reference r WHERE r.target_type = 'node' AND r.target_id = ?2
      AND r.source_type = 'node' AND r.field = 'field_member_of'
    UNION SELECT r.source_id FROM member m CROSS JOIN reference r ON r.target_type = 'node' AND r.target_id = m.id
      AND r.source_type = 'node' AND r.field = 'field_member_of')
  SELECT json_group_array(id) FROM (SELECT id FROM member UNION SELECT value FROM json_each(?1))`;

/** Finds out once which nodes are named; all others are asked for as they are needed. */
export async function selectNodes(context: LoadContext, selection: NodeSelection): Promise<SelectedNodes> {
  const { services, kinds, actor } = context;
  const { nodes, membersOf, contentType } = selection;
  const isAll = nodes.length === 0 && membersOf === undefined;
  const named = isAll ? undefined : await namedIds(context, selection);
  const visible = textOf(visibleRows(kinds.node, actor, nodeTable));
  const condition = `${visible.sql}${contentType === undefined ? '' : ' AND node.bundle = ?'}`;
  const args: InValue[] = [...visible.args, ...(contentType === undefined ? [] : [contentType])];

  const within = async (ids: readonly number[]) => {
    const sql = `SELECT id FROM node WHERE id IN (SELECT value FROM json_each(?)) AND ${condition} ORDER BY id`;
    return idsOf(context, sql, [JSON.stringify(ids), ...args]);
  };

  async function* ofAll(): AsyncGenerator<number[]> {
    const sql = `SELECT id FROM node WHERE id > ? AND ${condition} ORDER BY id LIMIT ${BATCH_SIZE}`;
    for (let last = 0; ; ) {
      const ids = await idsOf(context, sql, [last, ...args]);
      if (ids.length === 0) return;
      yield ids;
      last = ids.at(-1) as number;
    }
  }

  async function* ofNamed(ids: readonly number[]): AsyncGenerator<number[]> {
    for (let start = 0; start < ids.length; start += BATCH_SIZE) {
      const found = await within(ids.slice(start, start + BATCH_SIZE));
      if (found.length > 0) yield found;
    }
  }

  return {
    isAll: isAll && contentType === undefined,
    async count() {
      const among = named === undefined ? 'TRUE' : 'id IN (SELECT value FROM json_each(?))';
      const first = named === undefined ? [] : [JSON.stringify(named.list)];
      const sql = `SELECT count(*) FROM node WHERE ${among} AND ${condition}`;
      return Number((await services.database.first(sql, [...first, ...args]))?.[0]);
    },
    batches: () => (named === undefined ? ofAll() : ofNamed(named.list)),
    async among(ids) {
      const wanted = [...new Set(ids)].filter((id) => named?.set.has(id) ?? true);
      return new Set(wanted.length === 0 ? [] : await within(wanted));
    },
  };
}

/** The named nodes and the members, in their order. Their ids are in memory: a million of them are a few megabytes. */
async function namedIds({ services }: LoadContext, { nodes, membersOf }: NodeSelection) {
  const row = await services.database.first(SOME, [JSON.stringify(nodes), membersOf ?? 0]);
  const list = (JSON.parse(String(row?.[0])) as number[]).sort((one, other) => one - other);
  return { list, set: new Set(list) };
}

async function idsOf({ services }: LoadContext, sql: string, args: InValue[]): Promise<number[]> {
  const { rows } = await services.database.client.execute({ sql, args });
  return rows.map((row) => Number(row[0]));
}
