import { and, eq, not, type SQL } from 'drizzle-orm';
import type { fixityChecks } from '../../database/schema/fixity.ts';
import { runs } from '../../database/schema/runs.ts';
import { isText } from '../../database/sql.ts';
import { storeOfRow } from '../../repository/files/stored-files.ts';
import { type Run, runsOf } from '../../runs/runs.ts';

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

/** The progress of a check, as rows store it. */
export interface StoredProgress extends VerifyCounts {
  /** The last checked file, and the last file when the check began. */
  readonly position: number;
  readonly lastId: number;
  /** The number of files in the scope, or in the sample. */
  readonly total: number;
}

/** A scope as rows store it: the same text for the same scope. */
interface StoredScope {
  readonly isScheduled: boolean;
  readonly store: string | null;
  readonly sample: Sample | null;
}

/** The runs of checks. The next check of the same scope continues one that is not done. */
export const verifyRuns = runsOf<StoredScope, StoredProgress>('fixity', 'check');

/** A check and its progress. Times are seconds since 1970, by the clock of the database. */
export interface VerifyRun extends StoredProgress {
  readonly id: number;
  readonly scope: VerifyScope;
  readonly startedAt: number;
  /** Undefined until the check is complete. */
  readonly endedAt: number | undefined;
  /** True while a process runs it. */
  readonly isUnderWay: boolean;
}

/** A check whose lease this process holds. */
export interface HeldRun extends VerifyRun {
  readonly lease: string;
}

/** The condition that a check is complete. */
export const IS_COMPLETE = and(verifyRuns.isOfKind, isText(runs.state, 'done'));

/** The condition that a check is incomplete: it runs, was interrupted or stopped. */
export const IS_INCOMPLETE = and(verifyRuns.isOfKind, not(isText(runs.state, 'done')));

/** Returns the condition that a check has a scope. */
export const isOfScope = (scope: VerifyScope): SQL => eq(runs.about, JSON.stringify(storedScope(scope)));

/** Returns a check from its row. */
export function toVerifyRun(run: Run<StoredScope, StoredProgress, never>): VerifyRun {
  const { id, about, progress, state, createdAt, endedAt, isUnderWay } = run;
  const { isScheduled, store, sample } = about;
  return {
    ...{ id, ...(progress as StoredProgress), startedAt: Math.floor(createdAt), isUnderWay },
    scope: { isScheduled, store: store ?? undefined, sample: sample ?? undefined },
    endedAt: state === 'done' && endedAt !== null ? Math.floor(endedAt) : undefined,
  };
}

/** Returns how many of the checked files are not intact. */
export function problemsOf({ damaged, missing, unreadable }: VerifyCounts): number {
  return damaged + missing + unreadable;
}

/** Returns a scope as rows store it. */
export function storedScope({ store, sample, isScheduled }: VerifyScope): StoredScope {
  return { isScheduled: isScheduled ?? false, store: store ?? null, sample: sample ?? null };
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
