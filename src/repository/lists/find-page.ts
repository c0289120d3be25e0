import { setImmediate } from 'node:timers/promises';
import { type SQL, sql } from 'drizzle-orm';
import { madeOnce } from '../../base/made-once.ts';
import type { Database } from '../../database/database.ts';
import { type Named, plain, prepare } from '../../database/statement.ts';
import type { Actor } from '../actor.ts';
import { viewerValues } from '../content/visible-rows.ts';
import type { FilterValues, ListFilter, ListName, ListPage, ListPart, ListQuestion } from './list-question.ts';
import { LIST_SOURCES, type ListSource, type SourceFilter } from './list-sources.ts';
import { type ListShape, pageQueries } from './page-queries.ts';

/**
 * A filter with at most this many rows in its index selects them by it, and they are sorted. With more, the rows are read in
 * the order of the list, until a page is full.
 */
const MAX_SORTED = 10_000;
/** The number of ids per read, so that other requests proceed in between. */
const GROUP = 1_000;
/** The maximum number of rows that are counted with look-ups in other tables. */
const MAX_COUNTED = 50_000;

/** Finds a page of a list, with the rows that the actor may view. Counts these at the start of the list. */
export async function findPage(database: Database, actor: Actor, question: ListQuestion): Promise<ListPage> {
  const { list, sort, isDescending, part, size } = question;
  const source = LIST_SOURCES[list];
  const filters = withOwner(actor, question);
  if (filters === undefined) return { rows: [], hasNext: false, hasPrevious: false, total: 0 };
  const names = (Object.keys(filters) as ListFilter[]).toSorted();
  const selection = await chooseSelection(database, source, filters);
  const queries = pageQueries({ list, sort, isDescending, filters: names, ...selection }, actor);
  const place = placeOf(part);
  const isBackward = part === 'end' || (typeof part === 'object' && 'before' in part);
  const [onward, reverse] = isBackward ? [queries.backward, queries.forward] : [queries.forward, queries.backward];
  const values = { ...NO_VALUES, ...filters, ...place, ...viewerValues(actor) };
  const isCounted = part === 'start' && (await isCountable());
  const result = await database.read({
    rows: (place === undefined ? onward.all : onward.beyond)({ ...values, limit: size + 1 }),
    behind: place === undefined ? [] : [reverse.from({ ...values, limit: 1 })],
    totals: isCounted ? [queries.total(values)] : [],
  });
  const rows = result.rows.slice(0, size);
  const hasMore = result.rows.length > size;
  const hasBehind = (result.behind[0]?.length ?? 0) > 0;
  return {
    rows: isBackward ? rows.toReversed() : rows,
    hasNext: isBackward ? hasBehind : hasMore,
    hasPrevious: isBackward ? hasMore : hasBehind,
    total: result.totals[0]?.[0]?.count,
  };

  /** Returns whether an index alone, or an index with few look-ups, can count the rows. */
  async function isCountable(): Promise<boolean> {
    if (selection.countedBy !== undefined) return true;
    if (names.some((name) => source.filters[name]?.isLookUp)) return false;
    if (!source.isLookUp(actor)) return true;
    const all = await database.get(queries.ofAll({ ...values, limit: MAX_COUNTED + 1 }));
    return (all?.count ?? 0) <= MAX_COUNTED;
  }
}

/**
 * Returns the filters, with the actor as the owner if the actor may view only its own ones of the unpublished rows: an index
 * finds a few of very many. Undefined if no row can pass.
 */
function withOwner(actor: Actor, { list, filters }: ListQuestion): FilterValues | undefined {
  if (filters.published !== 0 || !LIST_SOURCES[list].seesOwnHidden(actor)) return filters;
  const { owner = actor.id } = filters;
  return owner === actor.id && actor.isAuthenticated ? { ...filters, owner } : undefined;
}

/** Values for the parameters that a query does not have. */
const NO_VALUES = { key: 0, id: 0 } as Parameters<ReturnType<typeof pageQueries>['total']>[0];

function placeOf(part: ListPart) {
  if (typeof part === 'string') return undefined;
  return 'after' in part ? part.after : part.before;
}

const countUpTo = madeOnce(({ select }: SourceFilter) =>
  prepare(({ value, limit }: Named<{ value: string | number; limit: number }>) => {
    const selected: SQL = select?.(value) ?? sql`SELECT NULL WHERE FALSE`;
    return plain(sql`SELECT count(*) FROM (${selected} LIMIT ${limit})`, { count: sql<number>`count` });
  }),
);

/** Chooses the filter with the fewest rows in its index: to sort them, or else only to count them. */
async function chooseSelection(
  database: Database,
  source: ListSource,
  filters: FilterValues,
): Promise<Pick<ListShape, 'selectedBy' | 'countedBy'>> {
  const selecting = (Object.entries(filters) as [ListFilter, string | number][]).flatMap(([name, value]) => {
    const filter = source.filters[name];
    const selects = filter?.select !== undefined && (filter.selects ?? value) === value;
    return selects ? [{ name, count: countUpTo(filter)({ value, limit: MAX_COUNTED + 1 }) }] : [];
  });
  if (selecting.length === 0) return { selectedBy: undefined, countedBy: undefined };
  const counted = await database.read({ each: selecting.map(({ count }) => count) });
  const sizes = counted.each.map((rows) => rows[0]?.count ?? 0);
  const fewest = Math.min(...sizes);
  const name = selecting[sizes.indexOf(fewest)]?.name;
  return {
    selectedBy: fewest <= MAX_SORTED ? name : undefined,
    countedBy: fewest <= MAX_COUNTED ? name : undefined,
  };
}

/** Yields the ids of all entities of a list that pass the filters and that the actor may view, in groups, in their order. */
export async function* findIds(
  database: Database,
  actor: Actor,
  list: ListName,
  filters: FilterValues,
): AsyncGenerator<number[]> {
  const question = { list, filters, sort: 'id', isDescending: false, size: GROUP } as const;
  for (let id = 0, hasNext = true; hasNext; ) {
    const page = await findPage(database, actor, { ...question, part: { after: { key: id, id } } });
    ({ hasNext } = page);
    const ids = page.rows.map((row) => row.id);
    id = ids.at(-1) ?? id;
    if (ids.length > 0) yield ids;
    await setImmediate();
  }
}
