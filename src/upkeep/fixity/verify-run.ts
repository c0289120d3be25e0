import { eq, type SQL } from 'drizzle-orm';
import { type fixityChecks, fixityRuns } from '../../database/schema/fixity.ts';
import { storeOfRow } from '../../repository/files/stored-files.ts';

/** The result of checking a file. */
export type FixityOutcome = (typeof fixityChecks.$inferSelect)['outcome'];

/** A random part of the files. */
export type Sample = { readonly percent: number } | { readonly files: number };

/** Which files a check covers. */
export interface VerifyScope {
  /** The scheme in whose storage they are; undefined: any. */
  readonly store?: string | undefined;
  /** Undefined: all of them. */
  readonly sample?: Sample | undefined;
  /** True if a server started it by its schedule. Such checks and those of users do not continue each other. */
  readonly isScheduled?: boolean | undefined;
}

/** The counts of a check. */
interface VerifyCounts {
  /** Number of files that were checked. */
  readonly checked: number;
  readonly bytes: number;
  readonly damaged: number;
  readonly missing: number;
  readonly unreadable: number;
}

const { id, scope, position, lastId, total, checked, checkedBytes, damaged, missing, unreadable } = fixityRuns;
const { startedAt, endedAt } = fixityRuns;
const counts = { checked, bytes: checkedBytes, damaged, missing, unreadable };

/** The columns that `toRun` requires. */
export const runColumns = { id, scope, position, lastId, total, ...counts, startedAt, endedAt };

type RunRow = Pick<typeof fixityRuns.$inferSelect, Exclude<keyof typeof runColumns, 'bytes'>> & VerifyCounts;

/** A check and its progress. Times are seconds since 1970, by the clock of the database. */
export interface VerifyRun extends Readonly<Omit<RunRow, 'scope' | 'endedAt'>> {
  readonly scope: VerifyScope;
  /** Undefined until the check is complete. */
  readonly endedAt: number | undefined;
}

/** A check whose lease this process holds. */
export interface HeldRun extends VerifyRun {
  readonly lease: string;
}

/** Returns a run from its row. */
export function toRun({ scope, endedAt, ...row }: RunRow): VerifyRun {
  return { ...row, scope: parseScope(scope), endedAt: endedAt ?? undefined };
}

/** Returns how many of the checked files are not intact. */
export function problemsOf({ damaged, missing, unreadable }: VerifyCounts): number {
  return damaged + missing + unreadable;
}

/** Returns a scope as rows of runs store it: the same text for the same scope. */
export function scopeText({ store, sample, isScheduled }: VerifyScope): string {
  return JSON.stringify({ isScheduled: isScheduled ?? false, store: store ?? null, sample: sample ?? null });
}

function parseScope(text: string): VerifyScope {
  const { isScheduled, store, sample } = JSON.parse(text) as {
    isScheduled: boolean;
    store: string | null;
    sample: Sample | null;
  };
  return { isScheduled, store: store ?? undefined, sample: sample ?? undefined };
}

/** Returns the number of files in a sample: at least one unless there are none. */
export function sampleSize(sample: Sample | undefined, files: number): number {
  if (sample === undefined) return files;
  if ('files' in sample) return Math.min(sample.files, files);
  return Math.min(files, Math.max(1, Math.round((files * sample.percent) / 100)));
}

/** Returns the condition that a row of `files` is in a scope, its sample excepted; undefined for all files. */
export function isInScope({ store }: VerifyScope): SQL | undefined {
  return store === undefined ? undefined : eq(storeOfRow, store);
}
