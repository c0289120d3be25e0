import type { ResultSet } from '@libsql/client';
import { sql } from 'drizzle-orm';
import { OutcomeUnknownError } from '../errors.ts';
import { query } from '../query-builder.ts';
import { guard } from '../schema/system.ts';
import { statementOf } from '../statement.ts';
import type { BatchResult, Condition, HranaStatement, Step } from './hrana.ts';
import { StatementError, toHranaStatement, toResultSet } from './hrana-values.ts';
import { generationStep } from './remote-generation.ts';

export type Outcome = { results: ResultSet[] } | { error: unknown };

/** Batches that share one transaction, as the steps of one request. */
export interface WriteGroup {
  readonly steps: readonly Step[];
  /** The step that tells the generation that the group makes. */
  readonly generation: number;
  /**
   * What became of each batch. Throws the StatementError of a transaction that could not be begun, and
   * OutcomeUnknownError.
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

/** Changes nothing. A replica answers by itself what has no such statement, whatever the transaction is begun as. */
const GO_TO_PRIMARY = toHranaStatement(statementOf(query.delete(guard).where(sql`FALSE`)));

const ok = (step: number): Condition => ({ type: 'ok', step });
const not = (cond: Condition): Condition => ({ type: 'not', cond });
const and = (...conds: Condition[]): Condition => ({ type: 'and', conds });
/** A full disk, for one, ends the transaction: a savepoint would then begin one of its own, and be committed alone. */
const isInTransaction = not({ type: 'is_autocommit' });

/** Codes of a commit that failed; any other came up on the way between a replica and its primary. */
const OWN_CODE = /^(SQLITE_|SQL_|TRANSACTION_|ARGS_INVALID)/;

const READ = /^\s*(select|explain|pragma)\b/i;

const ENDS_TRANSACTION = /^(SQLITE_(FULL|IOERR|NOMEM|INTERRUPT|ABORT|CORRUPT)|TRANSACTION_)/;

/** Makes one transaction of batches; where there are several, one that fails takes no other with it. */
export function groupWrites(batches: ReadonlyArray<readonly HranaStatement[]>): WriteGroup {
  const hasCompany = batches.length > 1;
  const steps: Step[] = [{ stmt: BEGIN }];
  const add = (stmt: HranaStatement, condition: Condition) => steps.push({ stmt, condition }) - 1;
  const positions: number[] = [];
  let last = 0;
  // Before there are tables it fails, and nothing hangs on it.
  if (batches.flat().every(({ sql }) => READ.test(sql))) add(GO_TO_PRIMARY, ok(0));
  for (const statements of batches) {
    const savepoint = hasCompany ? add(SAVEPOINT, and(ok(0), isInTransaction)) : 0;
    last = savepoint;
    positions.push(steps.length);
    for (const statement of statements) last = add(statement, ok(last));
    if (!hasCompany) continue;
    add(ROLLBACK_TO, and(ok(savepoint), not(ok(last)), isInTransaction));
    add(RELEASE, and(ok(savepoint), isInTransaction));
  }
  const isFit = hasCompany ? ok(0) : ok(last);
  const generation = steps.push(generationStep(isFit)) - 1;
  const commit = add(COMMIT, isFit);
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
      if (ending && !OWN_CODE.test(ending.code)) throw new OutcomeUnknownError(ending);
      // What has ended the transaction, or else what the commit says.
      const wreck = errors.find((error) => error && ENDS_TRANSACTION.test(error.code)) ?? ending;
      const outcomes = batches.map((statements, index): Outcome => {
        const begin = positions[index] as number;
        const end = begin + statements.length;
        const own = errors.slice(begin, end).find((error) => error != null);
        if (own) return { error: own };
        const answers = results.slice(begin, end);
        if (!isCommitted || answers.some((answer) => answer == null))
          return { error: wreck ?? new Error('the server left out a statement of a write') };
        return { results: answers.map((answer) => toResultSet(answer as NonNullable<typeof answer>)) };
      });
      return { isCommitted, outcomes };
    },
  };
}
