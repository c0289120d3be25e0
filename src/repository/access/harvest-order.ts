import type { Database } from '../../database/database.ts';
import type { Statement } from '../../database/statement.ts';
import { type Direction, type HarvestList, harvestStatements } from './harvest-statements.ts';
import type { HarvestTimes } from './harvest-times.ts';

/** A place in the order of harvests: by time, and then by node. */
export interface HarvestKey {
  /** In seconds since 1970. */
  readonly stamp: number;
  readonly nid: number;
}

/** A node of a list. */
export interface HarvestRow extends HarvestKey {
  /** True if harvesters see it: it is published, and no rule hides it. */
  readonly isVisible: boolean;
}

/** A part of a list. */
export interface HarvestPart {
  readonly direction: Direction;
  /** Forwards: the place after which it begins. Backwards: the place with which it begins. */
  readonly at: HarvestKey;
  readonly limit: number;
}

/** The nodes of a list. */
export interface HarvestSelection {
  /** Their times, both included, in seconds since 1970. */
  readonly from: number;
  readonly until: number;
  /** A JSON list of the collections of which they are direct members. Null for all nodes. */
  readonly collections: string | null;
}

export const ALL: HarvestSelection = { from: 0, until: Number.MAX_SAFE_INTEGER, collections: null };
/** Before the first place. */
export const START: HarvestKey = { stamp: -1, nid: 0 };
/** After the last place. */
export const END: HarvestKey = { stamp: Number.MAX_SAFE_INTEGER, nid: 0 };

const NO_TIMES = new Uint8Array();

/**
 * A list of nodes in the order in which harvesters read them: by the time of the last change that they see. That is a change of
 * the node or of the rules that apply to it, whichever is later; for a node that rules hide, a change of these alone, so
 * that the list tells nothing of it. A node that rules have hidden since it was added is in no list.
 */
export class HarvestOrder<Row extends HarvestRow> {
  readonly #statements: ReturnType<typeof harvestStatements>;

  constructor(list: HarvestList) {
    this.#statements = harvestStatements(list);
  }

  /** Finds the rows of a part. `times` is undefined if no rule applies to harvesters. */
  async rows(
    database: Database,
    times: HarvestTimes | undefined,
    { direction, at, limit }: HarvestPart,
    { from, until, collections }: HarvestSelection = ALL,
  ): Promise<Row[]> {
    const statements = this.#statements[direction];
    // Without it the database would begin each part with the first row of the list.
    const bounds =
      direction === 'forwards' ? { from: Math.max(from, at.stamp), until } : { from, until: Math.min(until, at.stamp) };
    const values = { times: times?.times ?? NO_TIMES, ...bounds, collections, ...at, limit };
    if (times === undefined) return database.all(asRows<Row>(statements.all(values)));
    const { ofNodes, ofRows } = await database.read({
      ofNodes: asRows<Row>(statements.ofNodes(values)),
      ofRows: asRows<Row>(statements.ofRows(values)),
    });
    let rows = inOrder([...ofNodes, ...ofRows], direction).slice(0, limit);
    const last = rows.length === limit ? rows.at(-1)?.stamp : undefined;
    for (const sets of chunksOf(times, { from, until }, { direction, at, limit }, last)) {
      const [first] = sets;
      if (first === undefined) continue;
      const { setId, time } = first;
      // Within the sets of an earlier time, nodes of any id.
      const whole = direction === 'forwards' ? 0 : Number.MAX_SAFE_INTEGER;
      const ofSets =
        sets.length === 1
          ? statements.ofSet({ ...values, setId, time, nid: time === at.stamp ? at.nid : whole })
          : statements.ofSets({ ...values, sets: listOf(sets) });
      rows = inOrder([...rows, ...(await database.all(asRows<Row>(ofSets)))], direction).slice(0, limit);
      const end = rows.length === limit ? rows.at(-1)?.stamp : undefined;
      const reached = sets.at(-1)?.time ?? 0;
      if (end !== undefined && (direction === 'forwards' ? reached >= end : reached <= end)) break;
    }
    return rows;
  }

  /** Counts all rows of a selection. */
  async count(
    database: Database,
    times: HarvestTimes | undefined,
    { from, until, collections }: HarvestSelection,
  ): Promise<number> {
    const { counts } = this.#statements;
    const values = { times: times?.times ?? NO_TIMES, from, until, collections, ...START, limit: 0 };
    if (times === undefined) return (await database.get(counts.all(values)))?.size ?? 0;
    const sets = listOf(times.byTime.filter(({ time }) => time >= from && time <= until));
    const { ofNodes, ofRows, ofSets } = await database.read({
      ofNodes: counts.ofNodes(values),
      ofRows: counts.ofRows(values),
      ofSets: counts.ofSets({ ...values, sets }),
    });
    return [...ofNodes, ...ofRows, ...ofSets].reduce((sum, { size }) => sum + size, 0);
  }

  /** Finds the row of a node. */
  async one(database: Database, times: HarvestTimes | undefined, id: number): Promise<Row | undefined> {
    const { one, oneOfAll } = this.#statements;
    const statement =
      times === undefined ? oneOfAll({ id, collections: null }) : one({ id, collections: null, times: times.times });
    return database.get(asRows<Row>(statement));
  }
}

type SetTimes = HarvestTimes['byTime'];

const listOf = (sets: SetTimes) => JSON.stringify(sets.map(({ setId, time }) => [setId, time]));

/** The list declares its columns as SQL, which has no types. */
const asRows = <Row>(statement: Statement): Statement<Row[]> => statement as Statement<Row[]>;

/** Sorts rows, without those that a write between two statements has moved: the later place is the present one. */
function inOrder<Row extends HarvestRow>(rows: readonly Row[], direction: Direction): Row[] {
  const latest = new Map<number, Row>();
  for (const row of rows) if (row.stamp >= (latest.get(row.nid)?.stamp ?? 0)) latest.set(row.nid, row);
  const sign = direction === 'forwards' ? 1 : -1;
  return [...latest.values()].sort((one, other) => sign * (one.stamp - other.stamp || one.nid - other.nid));
}

/**
 * Yields the sets whose nodes may belong to a part, in its order: those of the first time, and then more and more at once, so
 * that many sets with few nodes take few queries. All sets of one time are together.
 */
function* chunksOf(
  { byTime }: HarvestTimes,
  { from, until }: Pick<HarvestSelection, 'from' | 'until'>,
  { direction, at }: HarvestPart,
  last: number | undefined,
): Generator<SetTimes> {
  const isForwards = direction === 'forwards';
  const [first, end] = isForwards
    ? [Math.max(from, at.stamp), Math.min(until, last ?? until)]
    : [Math.max(from, last ?? from), Math.min(until, at.stamp)];
  const wanted = byTime.filter(({ time }) => time >= first && time <= end);
  const groups = [...Map.groupBy(isForwards ? wanted : wanted.toReversed(), ({ time }) => time).values()];
  let size = 1;
  for (let start = 0; start < groups.length; start += size / 2) {
    yield groups.slice(start, start + size).flat();
    size *= 2;
  }
}
