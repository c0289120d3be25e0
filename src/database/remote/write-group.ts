import type { ResultSet } from '@libsql/client';
import { sql } from 'drizzle-orm';
import { OutcomeUnknownError } from '../errors.ts';
import { query } from '../query-builder.ts';
import { guard } from '../schema/system.ts';
import { statementOf } from '../statement.ts';
import type { BatchResult, Condition, HranaStatement, Step } from './hrana.ts';
import { StatementError, toHranaStatement, toResultSet } from './hrana.ts';
import { generationStep } from './remote-generation.ts';

export type Outcome = { results: ResultSet[] } | { error: unknown };

/** The steps of one request that runs several batches in one transaction. */
interface WriteGroup {
  readonly steps: readonly Step[];
  /** The index of the step that reads the generation. */
  readonly generation: number;
  /**
   * Returns the outcome of each batch. Throws StatementError if the transaction could not begin, and OutcomeUnknownError.
   */
  readonly outcomes: (result: BatchResult) => { isCommitted: boolean; outcomes: Outcome[] };
}

const [BEGIN, SAVEPOINT, ROLLBACK_TO, RELEASE, COMMIT, ROLLBACK] = [
  'BEGIN IMMEDIATE',
  'SAVEPOINT batch',
  'ROLLBACK TO batch',
  'RELEASE batch',
  'COMMIT',
  'ROLLBACK',
].map((sql) => toHranaStatement(sql)) as [
  HranaStatement,
  HranaStatement,
  HranaStatement,
  HranaStatement,
  HranaStatement,
  HranaStatement,
];

/** Changes nothing. Without a write in it, a replica would run the transaction itself. */
const GO_TO_PRIMARY = toHranaStatement(statementOf(query.delete(guard).where(sql`FALSE`)));

const ok = (step: number): Condition => ({ type: 'ok', step });
const not = (cond: Condition): Condition => ({ type: 'not', cond });
const and = (...conds: Condition[]): Condition => ({ type: 'and', conds });
/** Some errors, such as a full disk, end the transaction. A savepoint would then begin its own one and commit it. */
const isInTransaction = not({ type: 'is_autocommit' });

/** Codes of a failed commit. Any other code is an error between a replica and its primary. */
const COMMIT_CODE = /^(SQLITE_|SQL_|TRANSACTION_|ARGS_INVALID)/;

const READ = /^\s*(select|explain|pragma)\b/i;

const ENDS_TRANSACTION = /^(SQLITE_(FULL|IOERR|NOMEM|INTERRUPT|ABORT|CORRUPT)|TRANSACTION_)/;

/** Groups batches in one transaction. Each fails alone. */
export function groupWrites(batches: ReadonlyArray<readonly HranaStatement[]>): WriteGroup {
  const isShared = batches.length > 1;
  const steps: Step[] = [{ stmt: BEGIN }];
  const add = (stmt: HranaStatement, condition: Condition) => steps.push({ stmt, condition }) - 1;
  const positions: number[] = [];
  let last = 0;
  // It fails while there are no tables, without an effect on the others.
  if (batches.flat().every(({ sql }) => READ.test(sql))) add(GO_TO_PRIMARY, ok(0));
  for (const statements of batches) {
    const savepoint = isShared ? add(SAVEPOINT, and(ok(0), isInTransaction)) : 0;
    last = savepoint;
    positions.push(steps.length);
    for (const statement of statements) last = add(statement, ok(last));
    if (!isShared) continue;
    add(ROLLBACK_TO, and(ok(savepoint), not(ok(last)), isInTransaction));
    add(RELEASE, and(ok(savepoint), isInTransaction));
  }
  const canCommit = isShared ? ok(0) : ok(last);
  const generation = steps.push(generationStep(canCommit)) - 1;
  const commit = add(COMMIT, canCommit);
  add(ROLLBACK, and(ok(0), not(ok(commit)), isInTransaction));

  return {
    steps,
    generation,
    outcomes({ step_results: results, step_errors }) {
      const errors = step_errors.map((error) => error && new StatementError(error));
      const isCommitted = results[commit] != null;
      const [beginning] = errors;
      if (beginning) throw beginning;
      const ending = errors[commit];
      if (ending && !COMMIT_CODE.test(ending.code)) throw new OutcomeUnknownError(ending);
      // The error that has ended the transaction, or the one of the commit.
      const fatal = errors.find((error) => error && ENDS_TRANSACTION.test(error.code)) ?? ending;
      const outcomes = batches.map((statements, index): Outcome => {
        const begin = positions[index] as number;
        const end = begin + statements.length;
        const own = errors.slice(begin, end).find((error) => error != null);
        if (own) return { error: own };
        const answers = results.slice(begin, end);
        if (!isCommitted || answers.some((answer) => answer == null))
          return { error: fatal ?? new Error('the server skipped a statement of a write') };
        return { results: answers.map((answer) => toResultSet(answer as NonNullable<typeof answer>)) };
      });
      return { isCommitted, outcomes };
    },
  };
}
