import type { ResultSet } from '@libsql/client';
import type { DamageLog } from '../damaged-text.ts';
import { createDecoder } from '../decode-texts.ts';
import { textsAsBytes } from '../texts-as-bytes.ts';
import { type HranaStatement, StatementError, type Step, toHranaStatement, toResultSet } from './hrana.ts';
import type { RemoteConnection } from './remote-connection.ts';

/**
 * Runs statements on one snapshot with their texts as bytes: a server sends no result with a text that is not UTF-8. The
 * columns are described first, so that this takes further requests. Throws StatementError and RemoteFailure.
 */
export async function readAsBytes(
  connection: RemoteConnection,
  statements: readonly HranaStatement[],
  damages: DamageLog,
): Promise<ResultSet[]> {
  const described = await Promise.all(statements.map(({ sql }) => connection.describe(sql)));
  const columns = described.map((each) =>
    each.map(({ name, decltype }) => ({ name, column: name, table: null, type: decltype ?? null })),
  );
  const converted = statements.map(({ sql }, index) => textsAsBytes(sql, columns[index] ?? []));
  const steps: Step[] = statements.map((stmt, index) => ({
    stmt: { ...stmt, sql: converted[index] ?? stmt.sql },
    condition: { type: 'ok', step: 0 },
  }));
  const { step_results: results, step_errors: errors } = await connection.read([
    { stmt: toHranaStatement('BEGIN TRANSACTION READONLY') },
    ...steps,
    { stmt: toHranaStatement('COMMIT'), condition: { type: 'ok', step: 0 } },
  ]);
  return statements.map((_, index) => {
    const result = results[index + 1];
    if (!result)
      throw new StatementError(errors[index + 1] ?? errors[0] ?? { message: 'the server skipped a statement' });
    const set = toResultSet(result);
    if (converted[index] === undefined) return set;
    const decode = createDecoder(columns[index] ?? [], damages);
    for (const row of set.rows) decode(row);
    return { ...set, columns: (columns[index] ?? []).map(({ name }) => name) };
  });
}
