import { type SQL, sql } from 'drizzle-orm';
import { type Named, plain, prepare } from '../../database/statement.ts';
import type { Actor } from '../actor.ts';
import type { ViewerValues } from '../content/visible-rows.ts';
import type { ListFilter, ListQuestion, Position } from './list-question.ts';
import { LIST_SOURCES } from './list-sources.ts';

/** The part of a question that the text of its queries depends on, beside the actor. */
export interface ListShape extends Pick<ListQuestion, 'list' | 'sort' | 'isDescending'> {
  readonly filters: readonly ListFilter[];
  /** The filter whose rows are read by its index and sorted. Undefined to read the rows in the order of the list. */
  readonly selectedBy: ListFilter | undefined;
  /** The filter whose rows are read by its index to count them. */
  readonly countedBy: ListFilter | undefined;
}

/** The values of the queries. Those of other filters and of an absent place are missing. */
type PageValues = Readonly<Record<ListFilter, string | number>> & Position & ViewerValues & { readonly limit: number };

const known = new Map<string, PageQueries>();

/** The prepared queries of a list. */
export type PageQueries = ReturnType<typeof prepareQueries>;

/** Returns the queries of a list, prepared once for all actors who view the same rows. Their number is bounded: values are parameters. */
export function pageQueries(shape: ListShape, actor: Actor): PageQueries {
  const { list, sort, isDescending, filters, selectedBy, countedBy } = shape;
  const { visibilityKey } = LIST_SOURCES[list];
  const key = [list, sort, isDescending, filters, selectedBy, countedBy, visibilityKey(actor)].join(' ');
  const queries = known.get(key) ?? prepareQueries(shape, actor);
  known.set(key, queries);
  return queries;
}

function prepareQueries({ list, sort, isDescending, filters, selectedBy, countedBy }: ListShape, actor: Actor) {
  const { table, id, belongs, sorts, filters: offered, isVisible } = LIST_SOURCES[list];
  const isById = sort === 'id';
  const sortKey = isById ? sql`${id}` : orThrow(sorts[sort], sort);
  const fields = { key: sql<string | number>`key`, id: sql<number>`id` };

  /** Returns the rows of the list as FROM and WHERE, read by the index of a filter or in any order. */
  const rowsOf = (values: Named<PageValues>, readBy: ListFilter | undefined, more: readonly SQL[]): SQL => {
    const conditions = [belongs, ...more];
    let from = sql`${table}`;
    for (const name of filters) {
      const { accepts, select } = orThrow(offered[name], name);
      // CROSS JOIN fixes the order of the join.
      if (name === readBy && select !== undefined)
        from = sql`(SELECT DISTINCT id FROM (${select(values[name])})) selected CROSS JOIN ${table} ON ${id} = selected.id`;
      else conditions.push(accepts(values[name]));
    }
    return sql`${from} WHERE ${sql.join(conditions, sql` AND `)}`;
  };

  const inDirection = (isReversed: boolean) => {
    const isFalling = isDescending !== isReversed;
    const direction = isFalling ? sql`DESC` : sql`ASC`;
    const order = isById ? sql`${id} ${direction}` : sql`${sortKey} ${direction}, ${id} ${direction}`;
    const page = (values: Named<PageValues>, ...place: readonly SQL[]) => {
      const rows = rowsOf(values, selectedBy, [isVisible(actor, values), ...place]);
      return plain(sql`SELECT ${sortKey}, ${id} FROM ${rows} ORDER BY ${order} LIMIT ${values.limit}`, fields);
    };
    const compare = (values: Named<PageValues>, operator: SQL) =>
      isById ? sql`${id} ${operator} ${values.id}` : sql`(${sortKey}, ${id}) ${operator} (${values.key}, ${values.id})`;
    const beyond = isFalling ? sql`<` : sql`>`;
    return {
      /** The first rows. */
      all: prepare((values: Named<PageValues>) => page(values)),
      /** The first rows beyond a place. */
      beyond: prepare((values: Named<PageValues>) => page(values, compare(values, beyond))),
      /** The first rows at a place and beyond. */
      from: prepare((values: Named<PageValues>) => page(values, compare(values, sql`${beyond}=`))),
    };
  };

  const count = (rows: SQL) => plain(sql`SELECT count(*) FROM (SELECT 1 FROM ${rows})`, { count: sql<number>`count` });
  return {
    forward: inDirection(false),
    backward: inDirection(true),
    /** Counts the rows that the actor may view. */
    total: prepare((values: Named<PageValues>) => count(rowsOf(values, countedBy, [isVisible(actor, values)]))),
    /** Counts the rows of all actors, at most `limit`. */
    ofAll: prepare((values: Named<PageValues>) => count(sql`${rowsOf(values, countedBy, [])} LIMIT ${values.limit}`)),
  };
}

function orThrow<Value>(row: Value | undefined, name: string): Value {
  if (row === undefined) throw new RangeError(`the list has no ${name}`);
  return row;
}
