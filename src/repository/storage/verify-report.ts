import type { Database } from '../../database/database.ts';
import { NOW } from '../../database/database-time.ts';
import { findPlan, type VerifyPlan } from './verify-plan.ts';
import { type FixityOutcome, RUN_COLUMNS, toRun, type VerifyRun } from './verify-run.ts';

const PROBLEMS_AT_ONCE = 500;
const OUTCOMES = ['damaged', 'missing', 'unreadable'] as const satisfies readonly FixityOutcome[];

/** A file that was not as it should be when it was looked at last. */
export interface FixityProblem {
  readonly id: number;
  readonly uri: string;
  readonly outcome: FixityOutcome;
  readonly detail: string;
  /** Seconds since 1970. */
  readonly at: number;
}

/** A check that has not come to its end. */
export interface OpenRun extends VerifyRun {
  /** Whether a process is at it now. */
  readonly isUnderWay: boolean;
}

/** What is known of the files of a repository. */
export interface FixityReport {
  readonly plan: VerifyPlan | undefined;
  readonly open: readonly OpenRun[];
  /** The check that came to its end last. */
  readonly last: VerifyRun | undefined;
  readonly files: number;
  /** Files of which it is known how they were when they were looked at last. */
  readonly outcomes: Readonly<Record<FixityOutcome, number>>;
  /** Files that nobody has looked at since their bytes were stored. */
  readonly neverChecked: number;
}

/** Figures for whoever watches over a server. */
export interface FixityFigures {
  readonly problems: number;
  /** Seconds since 1970; 0 for never. */
  readonly lastEnd: number;
}

const OF_PRESENT_BYTES = `FROM fixity_check c JOIN file f ON f.id = c.file_id AND f.storage_key = c.storage_key`;

/** What checks have found until now. */
export async function reportFixity(database: Database): Promise<FixityReport> {
  const plan = await findPlan(database);
  const [files, outcomes, open, last] = await database.read([
    { sql: 'SELECT count(*) FROM file', args: [] },
    { sql: `SELECT c.outcome, count(*) ${OF_PRESENT_BYTES} GROUP BY c.outcome`, args: [] },
    {
      sql: `SELECT ${RUN_COLUMNS}, coalesce(lease_until > ${NOW}, 0) FROM fixity_run WHERE ended_at IS NULL ORDER BY id`,
      args: [],
    },
    {
      sql: `SELECT ${RUN_COLUMNS} FROM fixity_run WHERE ended_at IS NOT NULL ORDER BY ended_at DESC, id DESC LIMIT 1`,
      args: [],
    },
  ]);
  const counts = new Map(outcomes?.rows.map((row) => [String(row[0]), Number(row[1])]));
  const count = (outcome: FixityOutcome) => counts.get(outcome) ?? 0;
  const all = Number(files?.rows[0]?.[0]);
  const lastRow = last?.rows[0];
  return {
    plan,
    open: (open?.rows ?? []).map((row) => ({ ...toRun(row), isUnderWay: row[12] === 1 })),
    last: lastRow && toRun(lastRow),
    files: all,
    outcomes: {
      intact: count('intact'),
      damaged: count('damaged'),
      missing: count('missing'),
      unreadable: count('unreadable'),
    },
    neverChecked: all - [...counts.values()].reduce((sum, each) => sum + each, 0),
  };
}

/** The files that were not as they should be, by outcome and id; with `runId` those that this check has found. */
export async function* listProblems(database: Database, runId?: number): AsyncGenerator<FixityProblem, void, void> {
  const sql = `SELECT f.id, f.uri, c.outcome, c.detail, c.at ${OF_PRESENT_BYTES}
    WHERE c.outcome = ?1 AND c.file_id > ?2 AND (?3 IS NULL OR c.run_id = ?3) ORDER BY c.file_id LIMIT ${PROBLEMS_AT_ONCE}`;
  for (const outcome of OUTCOMES) {
    let after = 0;
    for (let found = PROBLEMS_AT_ONCE; found === PROBLEMS_AT_ONCE; ) {
      const { rows } = await database.client.execute({
        sql,
        args: [outcome, after, runId ?? null],
      });
      for (const row of rows) {
        after = Number(row[0]);
        yield { id: after, uri: String(row[1]), outcome, detail: String(row[3]), at: Number(row[4]) };
      }
      found = rows.length;
    }
  }
}

/** The figures of what is known, read again by whoever asks. */
export async function fixityFigures({ first }: Database): Promise<FixityFigures> {
  const row = await first(
    `SELECT (SELECT count(*) ${OF_PRESENT_BYTES} WHERE c.outcome IN ('damaged', 'missing', 'unreadable')),
      (SELECT max(ended_at) FROM fixity_run)`,
    [],
  );
  return { problems: Number(row?.[0]), lastEnd: Number(row?.[1] ?? 0) };
}
