import { describe, expect, it } from 'bun:test';
import { isBusy, OutcomeUnknownError } from '../../../../src/database/errors.ts';
import type { BatchResult, HranaError, StepResult } from '../../../../src/database/remote/hrana.ts';
import { toHranaStatement } from '../../../../src/database/remote/hrana.ts';
import { groupWrites, type Outcome } from '../../../../src/database/remote/write-group.ts';

const DONE: StepResult = { cols: [], rows: [], affected_row_count: 1, last_insert_rowid: '1' };
const statements = (count: number) => Array.from({ length: count }, (_, at) => toHranaStatement(`INSERT ${at}`));

/** The answer of a server where some steps fail, by their SQL, and others are left out. */
function answer(
  steps: ReadonlyArray<{ stmt: { sql: string } }>,
  failing: Record<string, HranaError>,
  leftOut: readonly string[] = [],
): BatchResult {
  const isDone = (sql: string) => failing[sql] === undefined && !leftOut.includes(sql);
  return {
    step_results: steps.map(({ stmt }) => (isDone(stmt.sql) ? DONE : null)),
    step_errors: steps.map(({ stmt }) => failing[stmt.sql] ?? null),
  };
}

const messages = (outcomes: readonly Outcome[]) =>
  outcomes.map((outcome) => ('error' in outcome ? (outcome.error as Error).message : outcome.results.length));

describe('writes that share a request', () => {
  it('need no savepoint for a single batch', () => {
    const { steps } = groupWrites([statements(2)]);
    expect(steps.map(({ stmt }) => stmt.sql)).toEqual([
      'BEGIN IMMEDIATE',
      'INSERT 0',
      'INSERT 1',
      'select "value" from "generation"',
      'COMMIT',
      'ROLLBACK',
    ]);
  });

  it('go to the primary of a replica even if they change nothing', () => {
    const sqlOf = (...texts: string[]) =>
      groupWrites(texts.map((text) => [toHranaStatement(text)])).steps.map(({ stmt }) => stmt.sql);
    expect(sqlOf('SELECT 1')).toContain('delete from "guard" where FALSE');
    expect(sqlOf('SELECT 1', 'SELECT 2')).toContain('delete from "guard" where FALSE');
    expect(sqlOf('SELECT 1', 'DELETE FROM a')).not.toContain('delete from "guard" where FALSE');
  });

  it('fail together with the error that ended the transaction', () => {
    const { steps, outcomes } = groupWrites([statements(1), [toHranaStatement('FULL')], statements(1)]);
    const result = answer(steps, {
      FULL: { message: 'database or disk is full', code: 'SQLITE_FULL' },
      COMMIT: { message: 'cannot commit - no transaction is active', code: 'SQLITE_ERROR' },
    });
    const found = outcomes(result);
    expect(found.isCommitted).toBe(false);
    expect(messages(found.outcomes)).toEqual(Array(3).fill('database or disk is full'));
  });

  it('fail individually for a violated constraint', () => {
    const { steps, outcomes } = groupWrites([statements(1), [toHranaStatement('TAKEN')], statements(2)]);
    const result = answer(steps, { TAKEN: { message: 'UNIQUE constraint failed: a.b', code: 'SQLITE_CONSTRAINT' } });
    const found = outcomes(result);
    expect(found.isCommitted).toBe(true);
    expect(messages(found.outcomes)).toEqual([1, 'UNIQUE constraint failed: a.b', 2]);
  });

  it('are busy while another process writes', () => {
    for (const begin of [
      { message: 'database is locked', code: 'SQLITE_BUSY' },
      { message: 'error executing a request on the primary: database is locked', code: 'PROXY_ERROR' },
      { message: 'the transaction was rejected', code: 'TRANSACTION_BUSY' },
    ]) {
      const { steps, outcomes } = groupWrites([statements(1)]);
      const result = answer(steps, { 'BEGIN IMMEDIATE': begin }, ['INSERT 0', 'COMMIT', 'ROLLBACK']);
      const busy = (() => {
        try {
          return outcomes(result);
        } catch (error) {
          return error;
        }
      })();
      expect(isBusy(busy)).toBe(true);
    }
  });

  it('have an unknown outcome if a replica loses its primary during the commit', () => {
    const { steps, outcomes } = groupWrites([statements(1)]);
    const result = answer(steps, { COMMIT: { message: 'transport error', code: 'PROXY_ERROR' } });
    expect(() => outcomes(result)).toThrow(OutcomeUnknownError);
  });

  it('fail if the server skips a statement', () => {
    const { steps, outcomes } = groupWrites([statements(1), [toHranaStatement('LOST')]]);
    const found = outcomes(answer(steps, {}, ['LOST']));
    expect(messages(found.outcomes)).toEqual([1, 'the server skipped a statement of a write']);
  });
});
