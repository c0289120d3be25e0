import { randomBytes } from 'node:crypto';
import { isNull, lte, or, type SQL, sql } from 'drizzle-orm';
import { folderNameOf, hasEnded, parseFolderName, thisProcess } from '../base/process-identity.ts';
import { CLOCK } from '../database/database-time.ts';
import { runs } from '../database/schema/runs.ts';
import { isAmong } from '../database/sql.ts';

/** The duration of a lease without renewal, by the clock of the database. */
const LEASE_SECONDS = 60;
/** The number of renewals before a lease would expire. */
const RENEWALS = 4;
/** The interval between renewals, in milliseconds. */
export const RENEWAL_MS = (LEASE_SECONDS / RENEWALS) * 1_000;

/** What an update sets to take a run (with a `newLease`) or to extend the lease. */
export const RENEWED = { leaseUntil: sql<number>`${CLOCK} + ${sql.raw(String(LEASE_SECONDS))}` };
/** What an update sets so that another process may continue at once. */
export const RELEASED = { lease: null, leaseUntil: null };

/** Creates the text that identifies one lease of this process. */
export function newLease(): string {
  return `${folderNameOf(thisProcess())}/${randomBytes(8).toString('hex')}`;
}

/** Returns the condition that no process works on a run, given the leases of runs that processes may hold. */
export function isFree(leases: readonly { readonly lease: string | null }[]): SQL | undefined {
  // Those of processes that are known to have ended are free at once.
  const orphaned = leases.flatMap(({ lease }) => (lease !== null && isOrphaned(lease) ? [lease] : []));
  return or(isNull(runs.lease), lte(runs.leaseUntil, CLOCK), isAmong(runs.lease, JSON.stringify(orphaned)));
}

/** 1 for a run whose lease has not expired, otherwise 0. */
export const isLeased = sql<number>`coalesce(${runs.leaseUntil} > ${CLOCK}, 0)`;

/** Returns true if a process works on a run. */
export function isUnderWay(row: { readonly lease: string | null; readonly isLeased: number }): boolean {
  return row.lease !== null && row.isLeased === 1 && !isOrphaned(row.lease);
}

/** Returns true if the holder of a lease is a process of this host that has ended. */
function isOrphaned(lease: string): boolean {
  const self = thisProcess();
  const owner = parseFolderName(lease.slice(0, lease.lastIndexOf('/')));
  return owner !== undefined && owner.host === self.host && hasEnded(owner, self);
}
