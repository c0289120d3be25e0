import { randomBytes } from 'node:crypto';
import { folderNameOf, hasEnded, parseFolderName, thisProcess } from '../base/process-identity.ts';

/** The duration of a lease without renewal, by the clock of the database. */
export const LEASE_SECONDS = 60;
/** The number of renewals before a lease would expire. */
const RENEWALS = 4;
/** The interval between renewals, in milliseconds. */
export const RENEWAL_MS = (LEASE_SECONDS / RENEWALS) * 1_000;

/** Creates the text that identifies one lease of this process. */
export function newLease(): string {
  return `${folderNameOf(thisProcess())}/${randomBytes(8).toString('hex')}`;
}

/** Returns true if the holder of a lease is a process of this host that has ended. The lease is then free at once. */
export function isOrphaned(lease: string): boolean {
  const self = thisProcess();
  const owner = parseFolderName(lease.slice(0, lease.lastIndexOf('/')));
  return owner !== undefined && owner.host === self.host && hasEnded(owner, self);
}
