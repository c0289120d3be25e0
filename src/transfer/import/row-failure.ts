import { ServiceError } from '../../base/errors.ts';
import type { RowPlan, TableProblem } from '../table/row-plan.ts';

/** A row that could not be loaded although there was nothing wrong with it when the table was checked. */
export class RowFailure extends Error {
  override readonly name = 'RowFailure';
  readonly problem: TableProblem;

  constructor(problem: TableProblem, cause?: unknown) {
    super(problem.message, { cause });
    this.problem = problem;
  }

  /** What went wrong with a row, in words for its reader; what nobody foresaw is thrown on as it is. */
  static of(plan: Pick<RowPlan, 'number' | 'line'>, column: string | undefined, error: unknown): unknown {
    if (!(error instanceof ServiceError)) return error;
    const message = error.publicMessage.replace(/^Unprocessable Entity: validation failed\.\n/, '').trim();
    const lines = message.split('\n').join('; ');
    return new RowFailure({ row: plan.number, line: plan.line, column, message: lines }, error);
  }
}
