import type { InValue } from '@libsql/client';
import { STORE_OF_ROW } from './store-of-row.ts';

/** How many of the files are looked at, chosen by chance. */
export type Sample = { readonly percent: number } | { readonly files: number };

/** Which files a check is about. */
export interface VerifyScope {
  /** The scheme in whose storage they are; undefined: wherever they are. */
  readonly store?: string | undefined;
  /** Undefined: all of them. */
  readonly sample?: Sample | undefined;
  /** Whether servers do it by themselves: such checks and those that someone asks for do not go on with each other. */
  readonly isScheduled?: boolean | undefined;
}

/** A scope as the rows of runs have it: the same text for the same scope. */
export function scopeText({ store, sample, isScheduled }: VerifyScope): string {
  return JSON.stringify({ isScheduled: isScheduled ?? false, store: store ?? null, sample: sample ?? null });
}

/** The scope that a text of `scopeText` stands for. */
export function parseScope(text: string): VerifyScope {
  const { isScheduled, store, sample } = JSON.parse(text) as {
    isScheduled: boolean;
    store: string | null;
    sample: Sample | null;
  };
  return { isScheduled, store: store ?? undefined, sample: sample ?? undefined };
}

/** How many of so many files a sample is, at least one where there are any. */
export function sampleSize(sample: Sample | undefined, files: number): number {
  if (sample === undefined) return files;
  if ('files' in sample) return Math.min(sample.files, files);
  return Math.min(files, Math.max(1, Math.round((files * sample.percent) / 100)));
}

/** What a query says of the row of a file in this scope, with its arguments. */
export function scopeCondition({ store }: VerifyScope): { readonly sql: string; readonly args: InValue[] } {
  return store === undefined ? { sql: '', args: [] } : { sql: `AND ${STORE_OF_ROW} = ?`, args: [store] };
}
