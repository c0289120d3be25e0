import { Counter, type Registry } from 'prom-client';
import type { Expense, Refusal, WorkKind } from '../http/work-budget.ts';

/** The figures of expensive work in `/metrics`. */
export interface WorkFigures {
  /** Counts admitted work, and its time. Returns the same expense. */
  admitted(kind: WorkKind, expense: Expense): Expense;
  /** Counts work of a caller without a budget, and returns an expense for its time. */
  exempt(kind: WorkKind): Expense;
  refused(kind: WorkKind, limit: Refusal['limit']): void;
}

/** Adds the figures of expensive work to a registry. */
export function createWorkFigures(registry: Registry): WorkFigures {
  const registers = [registry];
  const requests = new Counter({
    name: 'repo_expensive_requests_total',
    help: 'Expensive requests by kind and outcome: admitted, exempt (signed in, or a verified robot), refused (the budget of all strangers), network refused.',
    labelNames: ['kind', 'outcome'],
    registers,
  });
  const seconds = new Counter({
    name: 'repo_expensive_seconds_total',
    help: 'Measured time of expensive requests, by kind.',
    labelNames: ['kind'],
    registers,
  });
  const timed = (kind: WorkKind, expense: Expense | undefined): Expense => ({
    add(milliseconds) {
      seconds.inc({ kind }, milliseconds / 1_000);
      expense?.add(milliseconds);
    },
    end: () => expense?.end(),
  });
  return {
    admitted(kind, expense) {
      requests.inc({ kind, outcome: 'admitted' });
      return timed(kind, expense);
    },
    exempt(kind) {
      requests.inc({ kind, outcome: 'exempt' });
      return timed(kind, undefined);
    },
    refused: (kind, limit) => requests.inc({ kind, outcome: limit === 'total' ? 'refused' : 'network refused' }),
  };
}
