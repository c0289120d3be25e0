import type { Database } from '../../src/database/database.ts';
import type { runs } from '../../src/database/schema/runs.ts';

type Row = typeof runs.$inferInsert;

/** A run as a process leaves it in the database. */
interface LeftRun extends Partial<Pick<Row, 'id' | 'state' | 'userId' | 'createdAt' | 'endedAt' | 'lease'>> {
  readonly kind: Row['kind'];
  readonly about: object;
  readonly progress?: object | number;
}

/** The about of a check of all files. */
export const ALL_FILES = { isScheduled: false, store: null, sample: null };

/** Adds a run, which user 1 has just started, and returns its id. A lease is valid for an hour. */
export async function addRun({ write }: Pick<Database, 'write'>, run: LeftRun): Promise<number> {
  const {
    id = null,
    kind,
    state = 'running',
    userId = 1,
    createdAt = Date.now() / 1_000,
    endedAt = null,
    lease = null,
  } = run;
  const [added] = await write([
    {
      sql: `INSERT INTO run (id, kind, state, user_id, about, progress, created_at, ended_at, lease, lease_until)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, iif(? IS NULL, NULL, unixepoch() + 3600)) RETURNING id`,
      args: [
        ...[id, kind, state, userId, JSON.stringify(run.about), run.progress ? JSON.stringify(run.progress) : null],
        ...[createdAt, endedAt, lease, lease],
      ],
    },
  ]);
  return Number(added?.rows[0]?.[0]);
}

/** Adds a check of ten files, with other counts. */
export function addCheck(
  database: Pick<Database, 'write'>,
  counts: object,
  run: Partial<LeftRun> = {},
): Promise<number> {
  const none = { position: 0, lastId: 9, total: 10, checked: 0, bytes: 0, damaged: 0, missing: 0, unreadable: 0 };
  return addRun(database, { kind: 'fixity', about: ALL_FILES, progress: { ...none, ...counts }, ...run });
}

/** Adds a change of nodes, without its items. */
export function addBulkRun(
  database: Pick<Database, 'write'>,
  action: string,
  { parameters = {}, ...run }: Partial<LeftRun> & { readonly parameters?: object } = {},
): Promise<number> {
  return addRun(database, { kind: 'bulk', about: { type: 'node', action, parameters }, ...run });
}

/** The statements that leave the state of the index as that of a database without one. */
export const FORGET_INDEX = [
  'UPDATE search_index SET version = NULL',
  "UPDATE run SET state = 'done', lease = NULL WHERE kind = 'index'",
];
