import type { InStatement, ResultSet } from '@libsql/client';
import { NOW } from '../database/database-time.ts';
import { BackupError } from './errors.ts';

/** So long objects stay after the backup that reads them has said for the last time that it lives. */
const HOLD_S = 600;
const RENEW_MS = 30_000;

type Write = (statements: InStatement[]) => Promise<ResultSet[]>;

/** Discarded objects stay while it is in force. */
export interface ObjectHold {
  /** Aborts if it has run out, as when the machine slept: objects may be gone that the snapshot names. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

/** Holds what a snapshot that is taken afterwards names, by the clock of the database. `name` is this backup's own. */
export async function holdObjects(write: Write, name: string, renewMs = RENEW_MS): Promise<ObjectHold> {
  const lost = new AbortController();
  await write([
    { sql: `DELETE FROM object_hold WHERE until <= ${NOW}`, args: [] },
    { sql: `INSERT INTO object_hold (name, until) VALUES (?, ${NOW} + ${HOLD_S})`, args: [name] },
  ]);
  let renewing: Promise<void> = Promise.resolve();
  const renew = async () => {
    try {
      const [result] = await write([
        { sql: `UPDATE object_hold SET until = ${NOW} + ${HOLD_S} WHERE name = ? AND until > ${NOW}`, args: [name] },
      ]);
      if (result?.rowsAffected === 0) lost.abort(new BackupError(HOLD_LOST));
    } catch {
      // The next renewal tells: as long as the hold has not run out, nothing is lost.
    }
  };
  const timer = setInterval(() => {
    renewing = renewing.then(renew);
  }, renewMs);
  return {
    lost: lost.signal,
    async release() {
      clearInterval(timer);
      await renewing;
      await write([{ sql: 'DELETE FROM object_hold WHERE name = ?', args: [name] }]);
    },
  };
}

const HOLD_LOST =
  'The database did not hear of this backup for ten minutes and more, so that files may be gone that it needs. Run it again: what is there already is not copied again.';
