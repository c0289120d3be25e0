import type { TableProblem } from './row-plan.ts';

/** A file that cannot be read as a table any further. */
export class TableError extends Error {
  override readonly name = 'TableError';
  readonly problem: TableProblem;

  constructor(problem: TableProblem) {
    super(problem.message);
    this.problem = problem;
  }
}

/** A problem of the table as a whole, or of one of its columns. */
export function tableProblem(message: string, column?: string): TableProblem {
  return { row: undefined, line: undefined, column, message };
}
