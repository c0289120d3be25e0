import { randomBytes } from 'node:crypto';
import { folderNameOf, hasEnded, parseFolderName, thisProcess } from '../base/process-identity.ts';

/** How long a process that says nothing counts as being at it; by the clock of the database. */
export const LEASE_SECONDS = 60;
/** How often a lease is renewed before it would run out. */
const RENEWALS = 4;
/** How often that is. */
export const RENEWAL_MS = (LEASE_SECONDS / RENEWALS) * 1_000;

/** The mark by which one piece of work of this process is known. */
export function newLease(): string {
  return `${folderNameOf(thisProcess())}/${randomBytes(8).toString('hex')}`;
}

/** Whether whoever holds a lease is a process of this host that has ended: nobody need wait until it runs out. */
export function isOrphaned(lease: string): boolean {
  const self = thisProcess();
  const owner = parseFolderName(lease.slice(0, lease.lastIndexOf('/')));
  return owner !== undefined && owner.host === self.host && hasEnded(owner, self);
}
