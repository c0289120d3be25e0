import { and, asc, count, desc, eq, gt, inArray, isNull, or, sql } from 'drizzle-orm';
import { Gauge, type Registry } from 'prom-client';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { files } from '../../database/schema/files.ts';
import { fixityChecks } from '../../database/schema/fixity.ts';
import { runs } from '../../database/schema/runs.ts';
import { type Named, prepare } from '../../database/statement.ts';
import {
  type FixityOutcome,
  IS_COMPLETE,
  IS_INCOMPLETE,
  toVerifyRun,
  type VerifyRun,
  verifyRuns,
} from './verify-run.ts';
import { findPlan, type VerifyPlan } from './verify-schedule.ts';

const PROBLEMS_AT_ONCE = 500;
/** The outcomes of files that are not intact. */
export const PROBLEMS = ['damaged', 'missing', 'unreadable'] as const satisfies readonly FixityOutcome[];

/** A file that was not intact when it was last checked. */
export interface FixityProblem {
  readonly id: number;
  readonly uri: string;
  readonly outcome: FixityOutcome;
  readonly detail: string;
  /** Seconds since 1970. */
  readonly at: number;
}

/** The results of all checks of a repository. */
export interface FixityReport {
  readonly plan: VerifyPlan | undefined;
  /** The incomplete checks. */
  readonly open: readonly VerifyRun[];
  /** The last complete check. */
  readonly last: VerifyRun | undefined;
  readonly files: number;
  /** Numbers of files by the outcome of their last check. */
  readonly outcomes: Readonly<Record<FixityOutcome, number>>;
  /** Number of files that were not checked since their bytes were stored. */
  readonly neverChecked: number;
}

/** The figures that monitoring reads. */
interface FixityFigures {
  readonly problems: number;
  /** Seconds since 1970; 0 for never. */
  readonly lastEnd: number;
}

const { fileId, outcome, detail, at } = fixityChecks;

/** The condition that a check is about the present bytes of a file. */
const isPresent = and(eq(files.id, fileId), eq(files.storageKey, fixityChecks.storageKey));

const countFiles = prepare(() => query.select({ files: count() }).from(files));
const countOutcomes = prepare(() =>
  query.select({ outcome, files: count() }).from(fixityChecks).innerJoin(files, isPresent).groupBy(outcome),
);
const countProblems = prepare(() =>
  query
    .select({ files: count() })
    .from(fixityChecks)
    .innerJoin(files, isPresent)
    .where(inArray(outcome, [...PROBLEMS])),
);
const findLastEnd = prepare(() =>
  query
    .select({ at: sql<number | null>`max(${runs.endedAt})` })
    .from(runs)
    .where(IS_COMPLETE),
);

type Page = Named<{ problem: FixityOutcome; after: number; run: number | null }>;
const findProblems = prepare(({ problem, after, run }: Page) =>
  query
    .select({ id: fileId, uri: files.uri, detail, at })
    .from(fixityChecks)
    .innerJoin(files, isPresent)
    .where(and(eq(outcome, problem), gt(fileId, after), or(isNull(run), eq(fixityChecks.runId, run))))
    .orderBy(asc(fileId))
    .limit(PROBLEMS_AT_ONCE),
);

/** Returns the results of all checks until now. */
export async function reportFixity(database: Database): Promise<FixityReport> {
  const [plan, open, last] = [
    await findPlan(database),
    await verifyRuns.list(database, IS_INCOMPLETE),
    await verifyRuns.find(database, IS_COMPLETE, desc(runs.endedAt)),
  ];
  const rows = await database.read({ all: countFiles(), outcomes: countOutcomes() });
  const all = rows.all[0]?.files ?? 0;
  const outcomes = { intact: 0, damaged: 0, missing: 0, unreadable: 0 };
  for (const each of rows.outcomes) outcomes[each.outcome] = each.files;
  return {
    plan,
    open: open.map(toVerifyRun).reverse(),
    last: last && toVerifyRun(last),
    files: all,
    outcomes,
    neverChecked: all - Object.values(outcomes).reduce((sum, each) => sum + each, 0),
  };
}

/** Returns the files that are not intact, by outcome and id; with `runId` only those that this check has found. */
export async function* listProblems(database: Database, runId?: number): AsyncGenerator<FixityProblem, void, void> {
  for (const problem of PROBLEMS) {
    let after = 0;
    for (let count = PROBLEMS_AT_ONCE; count === PROBLEMS_AT_ONCE; ) {
      const page = await database.all(findProblems({ problem, after, run: runId ?? null }));
      for (const { id, uri, detail, at } of page) yield { id, uri, outcome: problem, detail: String(detail), at };
      after = page.at(-1)?.id ?? after;
      count = page.length;
    }
  }
}

/** Reads the figures that monitoring shows. */
export async function fixityFigures({ read }: Database): Promise<FixityFigures> {
  const { problems, last } = await read({ problems: countProblems(), last: findLastEnd() });
  return { problems: problems[0]?.files ?? 0, lastEnd: Math.floor(last[0]?.at ?? 0) };
}

/** Adds the figures to a registry. Each scrape reads them once. */
export function addFixityFigures(registry: Registry, read: () => Promise<FixityFigures>): void {
  const registers = [registry];
  let reading: Promise<FixityFigures> | undefined;
  const readOnce = () => {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  };
  new Gauge({
    name: 'repo_fixity_damaged_files',
    help: 'Stored files that were damaged, missing or unreadable when they were checked last.',
    aggregator: 'first',
    registers,
    async collect() {
      this.set((await readOnce()).problems);
    },
  });
  new Gauge({
    name: 'repo_fixity_last_run_timestamp_seconds',
    help: 'When a check of stored files came to its end last; 0 for never.',
    aggregator: 'first',
    registers,
    async collect() {
      this.set((await readOnce()).lastEnd);
    },
  });
}
