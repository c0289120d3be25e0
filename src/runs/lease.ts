import { randomBytes } from 'node:crypto';
import type { InStatement } from '@libsql/client';
import { isNull, lte, or, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { ServiceError } from '../base/errors.ts';
import { folderNameOf, hasEnded, parseFolderName, thisProcess } from '../base/process-identity.ts';
import type { Database } from '../database/database.ts';
import { CLOCK } from '../database/database-time.ts';
import { failedGuard } from '../database/errors.ts';
import { isAmong, requireOne } from '../database/sql.ts';
import type { Statement } from '../database/statement.ts';

/** The duration of a lease without renewal, by the clock of the database. */
const LEASE_SECONDS = 60;
/** The number of renewals before a lease would expire. */
const RENEWALS = 4;
/** The interval between renewals, in milliseconds. */
const RENEWAL_MS = (LEASE_SECONDS / RENEWALS) * 1_000;

/** The columns of a table whose rows one process at a time works on. */
interface LeasedTable {
  /** The lease of the process that works on the row, and when it expires. */
  readonly lease: SQLWrapper;
  readonly leaseUntil: SQLWrapper;
}

/** A row of such a table. */
interface LeasedRow {
  readonly lease: string | null;
}

/** What an update sets to take a row (with a `newLease`) or to extend the lease. */
export const RENEWED = { leaseUntil: sql<number>`${CLOCK} + ${sql.raw(String(LEASE_SECONDS))}` };
/** What an update sets so that another process may continue at once. */
export const RELEASED = { lease: null, leaseUntil: null };

/** Creates the text that identifies one lease of this process. */
export function newLease(): string {
  return `${folderNameOf(thisProcess())}/${randomBytes(8).toString('hex')}`;
}

/** Returns the condition that no process works on a row. `orphaned` is a list from `orphansAmong`. */
export function isFree({ lease, leaseUntil }: LeasedTable, orphaned: SQLWrapper | string): SQL | undefined {
  return or(isNull(lease), lte(leaseUntil, CLOCK), isAmong(lease, orphaned));
}

/** Returns the leases of rows whose processes are known to have ended, as a JSON list: such rows are free at once. */
export function orphansAmong(rows: readonly LeasedRow[]): string {
  return JSON.stringify(rows.flatMap(({ lease }) => (lease !== null && isOrphaned(lease) ? [lease] : [])));
}

/** Returns 1 for a row whose lease has not expired, otherwise 0. */
export function isLeased({ leaseUntil }: Pick<LeasedTable, 'leaseUntil'>): SQL<number> {
  return sql<number>`coalesce(${leaseUntil} > ${CLOCK}, 0)`;
}

/** Returns true if a process works on a row. */
export function isUnderWay({ lease, isLeased }: LeasedRow & { readonly isLeased: number }): boolean {
  return lease !== null && isLeased === 1 && !isOrphaned(lease);
}

/** Returns true if the holder of a lease is a process of this host that has ended. */
function isOrphaned(lease: string): boolean {
  const self = thisProcess();
  const owner = parseFolderName(lease.slice(0, lease.lastIndexOf('/')));
  return owner !== undefined && owner.host === self.host && hasEnded(owner, self);
}

/**
 * Changes a row whose lease this process holds, with `also` in the same transaction. The condition of `change` names the
 * lease. Throws `conflict` with the message if another process has taken the row over.
 */
export async function changeHeld(
  { write }: Database,
  takenOver: string,
  change: Statement,
  also: readonly InStatement[] = [],
): Promise<void> {
  try {
    await write([change, requireOne('lost'), ...also]);
  } catch (error) {
    if (failedGuard(error) !== 'guard_lost') throw error;
    throw new ServiceError('conflict', takenOver, { cause: error });
  }
}

/** Renews a lease until the returned function is called. `fail` is called with the failure of a renewal. */
export function keepRenewing(renew: () => Promise<void>, fail: (error: unknown) => void): () => void {
  const renewing = setInterval(() => void renew().catch(fail), RENEWAL_MS);
  return () => clearInterval(renewing);
}
