import { countInWords, secondsInWords } from '../../base/in-words.ts';
import { readableSize } from '../../field-types/readable.tsx';
import type { ImportProgressData, ImportReportData, ImportState } from './table-import-data.ts';

/** The states of uploaded tables in words. */
export const STATE_WORDS: Readonly<Record<ImportState, string>> = {
  checking: 'Being checked',
  checked: 'Checked',
  importing: 'Being imported',
  stopped: 'Stopped',
  failed: 'Stopped by a problem',
  done: 'Imported',
  interrupted: 'Interrupted',
};

/** Returns how far work is, as a sentence. `import.client.js` writes the same. */
export function progressInWords({ rows, totalRows, secondsLeft }: ImportProgressData): string {
  const of = totalRows === undefined ? '' : ` of ${totalRows.toLocaleString('en-GB')}`;
  const left = secondsLeft === undefined ? '' : `, about ${secondsInWords(Math.max(1, secondsLeft))} left`;
  return `${rows.toLocaleString('en-GB')}${of} rows${left}`;
}

/** Returns what an import has created, as a sentence. */
export function createdInWords({ nodes, files, bytes, terms }: ImportProgressData): string {
  return `${amounts(nodes, files, bytes, terms)}.`;
}

/** Returns what an import of a checked table would create, as a sentence. */
export function planInWords({ rows, files, newTerms }: ImportReportData): string {
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
