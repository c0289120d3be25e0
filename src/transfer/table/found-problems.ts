import type { TableProblem } from './row-plan.ts';

const MAX_PROBLEMS = 1_000;

interface Kept {
  readonly problem: TableProblem;
  /** The last row with the problem, and the number of rows with it after the first. */
  lastRow: number | undefined;
  moreRows: number;
}

/** Collects the first thousand problems and their total number. The problems of one group count as one. */
export class FoundProblems {
  readonly #kept: Kept[] = [];
  readonly #groups = new Map<string, Kept>();
  count = 0;

  add(problems: Iterable<TableProblem>): void {
    for (const problem of problems) {
      const { row, column, group } = problem;
      const key = group === undefined ? undefined : `${column}\n${group}`;
      const same = key === undefined ? undefined : this.#groups.get(key);
      if (same) {
        if (same.lastRow !== row) same.moreRows += 1;
        same.lastRow = row;
        continue;
      }
      this.count += 1;
      if (this.#kept.length >= MAX_PROBLEMS) continue;
      const kept = { problem, lastRow: row, moreRows: 0 };
      this.#kept.push(kept);
      if (key !== undefined) this.#groups.set(key, kept);
    }
  }

  sorted(): TableProblem[] {
    const place = ({ row, line }: TableProblem) => row ?? line ?? 0;
    return this.#kept.map(withCount).sort((a, b) => place(a) - place(b));
  }
}

function withCount({ problem: { group: _group, ...problem }, moreRows }: Kept): TableProblem {
  if (moreRows === 0) return problem;
  const rows = moreRows === 1 ? '1 more row' : `${moreRows.toLocaleString('en')} more rows`;
  return { ...problem, message: `${problem.message} The same value is in ${rows}.` };
}
