import { checkIntegrity } from '../../database/check-integrity.ts';
import { isDamaged, messageOfDamage } from '../../database/damage.ts';
import { createKinds } from '../../repository/content/kinds.ts';
import type { Services } from '../../repository/content/services.ts';
import { findIndexProblems } from '../../repository/search-index/find-index-problems.ts';
import type { DatabaseProblem } from './find-damaged-values.ts';
import { type DatabaseProgress, type DatabaseVerification, verifyDatabase } from './verify-database.ts';

interface RowCheckOptions {
  readonly onProgress: (progress: DatabaseProgress) => void;
  readonly onProblem: (problem: DatabaseProblem) => void;
  readonly signal: AbortSignal;
}

interface CheckOptions extends RowCheckOptions {
  /** Receives the problems of SQLite's integrity check; undefined if a server does not support it. */
  readonly onStructure: (problems: readonly string[] | undefined) => void;
}

/**
 * Checks the structure of a database and its rows, while servers may write. The problems of the result include those of
 * the structure. Rejects as `checkRows`.
 */
export async function checkDatabase(services: Services, options: CheckOptions): Promise<DatabaseVerification> {
  const structure = await checkIntegrity(services.database);
  options.onStructure(structure);
  const verification = await checkRows(services, options);
  return { ...verification, problems: verification.problems + (structure?.length ?? 0) };
}

/**
 * Checks the values and revisions of all rows, and the search index, while servers may write. Rejects with the reason of
 * the signal, and if the database is unusable.
 */
export async function checkRows(services: Services, options: RowCheckOptions): Promise<DatabaseVerification> {
  const { onProblem, signal } = options;
  signal.throwIfAborted();
  const verification = await verifyDatabase(services.database, createKinds(services.model), options);
  let problems = verification.problems;
  const report = (problem: DatabaseProblem) => {
    problems += 1;
    onProblem(problem);
  };
  try {
    for await (const problem of findIndexProblems(services, signal)) report(problem);
  } catch (error) {
    if (!isDamaged(error)) throw error;
    report({ subject: 'search index', detail: `it cannot be compared with the content: ${messageOfDamage(error)}` });
  }
  return { ...verification, problems };
}
