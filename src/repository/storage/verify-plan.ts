import { ServiceError } from '../../base/errors.ts';
import type { Database } from '../../database/database.ts';
import type { Sample } from './verify-scope.ts';

const SETTING = 'storage.verify';

/** What servers are to check by themselves. */
export interface VerifyPlan {
  /** Each file once in so many seconds. */
  readonly everySeconds: number;
  readonly bytesPerSecond: number;
  readonly store?: string | undefined;
  readonly sample?: Sample | undefined;
}

/** The plan that is in force, if there is one. Throws `misconfigured` for a stored one that cannot be read. */
export async function findPlan(database: Database): Promise<VerifyPlan | undefined> {
  const row = await database.first(`SELECT value FROM setting WHERE name = '${SETTING}'`, []);
  if (row === undefined) return undefined;
  const text = String(row[0]);
  try {
    return JSON.parse(text) as VerifyPlan;
  } catch (cause) {
    throw new ServiceError(
      'misconfigured',
      'The database has a schedule of checks that cannot be read. Set it again with: repo storage verify --schedule 30d',
      { cause },
    );
  }
}

/** Sets another plan, or with undefined none. A check of the former plan that is under way ends without a result. */
export async function changePlan({ write }: Database, plan: VerifyPlan | undefined): Promise<void> {
  const change =
    plan === undefined
      ? { sql: 'DELETE FROM setting WHERE name = ?', args: [SETTING] }
      : {
          sql: 'INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
          args: [SETTING, JSON.stringify(plan)],
        };
  const forget = "DELETE FROM fixity_run WHERE ended_at IS NULL AND scope ->> 'isScheduled'";
  await write([change, { sql: forget, args: [] }]);
}
