import { countInWords, numberText, secondsInWords } from '../../base/in-words.ts';
import { readableSize } from '../../field-types/readable.tsx';
import type { CreatingImport } from '../../transfer/import/find-imports.ts';
import type {
  TableUploadProgress,
  TableUploadReport,
  TableUploadState,
} from '../../transfer/table-uploads/table-upload.ts';

/** The states of uploaded tables in words. */
export const STATE_WORDS: Readonly<Record<TableUploadState, string>> = {
  checking: 'Being checked',
  checked: 'Checked',
  importing: 'Being imported',
  stopped: 'Stopped',
  failed: 'Stopped by a problem',
  done: 'Imported',
  interrupted: 'Interrupted',
};

/** Returns the state of an import as a sentence. */
export function importStateInWords({ isUnderWay, nodes, rows, endedAt, deletedBy }: CreatingImport): string {
  if (deletedBy !== undefined) return 'Deleted.';
  const amount = `${numberText(nodes)} of ${countInWords(rows, 'row')}`;
  if (isUnderWay) return `Running: ${amount}.`;
  return endedAt === undefined ? `Interrupted at ${amount}.` : 'Finished.';
}

/** A part of work after which the rest is estimated. */
const MIN_PART = 0.02;

/** Returns the estimated seconds until work ends. Undefined while they are not known. */
export function secondsLeftOf({ part, firstPart, startedAt }: TableUploadProgress, now: number): number | undefined {
  const [done, elapsed] = [part - firstPart, now - startedAt];
  return done >= MIN_PART ? Math.round((elapsed / done) * (1 - part)) : undefined;
}

/** Returns how far work is, as a sentence. */
export function progressInWords(progress: TableUploadProgress, now: number): string {
  const { rows, totalRows } = progress;
  const secondsLeft = secondsLeftOf(progress, now);
  const of = totalRows === undefined ? '' : ` of ${numberText(totalRows)}`;
  const left = secondsLeft === undefined ? '' : `, about ${secondsInWords(Math.max(1, secondsLeft))} left`;
  return `${numberText(rows)}${of} rows${left}`;
}

/** Returns what an import has created, as a sentence. */
export function createdInWords({ nodes, files, bytes, terms }: TableUploadProgress): string {
  return `${amounts(nodes, files, bytes, terms)}.`;
}

/** Returns what an import of a checked table would create, as a sentence. */
export function planInWords({ rows, files, newTerms }: TableUploadReport): string {
  const terms = newTerms.reduce((sum, [, count]) => sum + count, 0);
  return `${amounts(rows, files.count, files.bytes, terms)}.`;
}

function amounts(items: number, files: number, bytes: number, terms: number): string {
  const size = files === 0 ? '' : ` of ${readableSize(bytes, 'en')}`;
  const parts = [
    countInWords(items, 'item'),
    `${countInWords(files, 'file')}${size}`,
    ...(terms === 0 ? [] : [countInWords(terms, 'new term')]),
  ];
  return parts.length === 2 ? parts.join(' and ') : `${parts[0]}, ${parts[1]} and ${parts[2]}`;
}
