import { basename } from 'node:path';
import type { ImportRun } from '../transfer/import/import-run.ts';
import type { ImportSummary } from '../transfer/import/import-table.ts';
import type { PreparedImport } from '../transfer/import/prepare-import.ts';
import type { TableProblem } from '../transfer/table/row-plan.ts';
import { counted, filesText, numberText, plainLine, timeText } from './text.ts';

/** Formats a problem: `nodes.csv:12 (row 11), field_edtf_date_issued: "1999-13" is not …`. */
export function problemLine(file: string, { row, line, column, message }: TableProblem): string {
  const where = `${basename(file)}${line === undefined ? '' : `:${line}`}${row === undefined ? '' : ` (row ${row})`}`;
  return plainLine(`${where}${column === undefined ? '' : `, ${column}`}: ${message}`);
}

/** Formats what the import of a valid table would create. */
export function planLine(file: string, { check, found }: PreparedImport): string {
  const { rows, files, newTerms } = check;
  const vocabularies = [...newTerms].map(([name, count]) => `${numberText(count)} in ${name}`);
  const terms = sum(newTerms.values());
  const named = terms === 0 ? '' : ` (${vocabularies.join(', ')})`;
  const isBegun = found.kind === 'unfinished' ? ' Some of it is loaded already; the import goes on from there.' : '';
  const what = list([
    counted(rows, 'row'),
    filesText(files.count, files.bytes),
    `${counted(terms, 'new term')}${named}`,
  ]);
  return `${basename(file)} can be imported: ${what}.${isBegun}`;
}

/** Lists the terms that a table without problems would create, each with the line that names it first. */
export function newTermLines({ check: { newTerms, listedTerms } }: PreparedImport): string[] {
  const lines = listedTerms.map(({ vocabulary, name, line }) =>
    plainLine(`New term in ${vocabulary}: "${name}" (line ${line})`),
  );
  const more = sum(newTerms.values()) - listedTerms.length;
  return more === 0 ? lines : [...lines, `… and ${counted(more, 'more new term')}`];
}

/** Formats the import of an earlier table with the same path. */
export function formerLine(file: string, { rows, startedAt }: ImportRun): string {
  const name = basename(file);
  return `${name} was imported on ${timeText(startedAt)} as another table, of ${counted(rows, 'row')}: all rows of this one are new.`;
}

/** Formats the result of an import: `Imported 10,000 nodes, 10,000 files of 1.2 GB, and 312 new terms in 3 min 2 s.` */
export function summaryLine({ rows, nodes, files, bytes, terms }: ImportSummary, seconds: number): string {
  const what = list([counted(nodes, 'node'), filesText(files, bytes), counted(terms, 'new term')]);
  const earlier = rows > nodes ? ` ${counted(rows, 'row')} ${rows === 1 ? 'is' : 'are'} there in all.` : '';
  return `Imported ${what} in ${durationText(seconds)}.${earlier}`;
}

/** Formats a duration: `0.4 s`, `42 s`, `3 min 2 s`, `2 h 5 min`. */
export function durationText(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3_600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3_600)} h ${Math.floor((whole % 3_600) / 60)} min`;
}

function list(parts: readonly string[]): string {
  const [last, ...others] = parts.filter((part) => !part.startsWith('0 ')).reverse();
  if (last === undefined) return 'nothing';
  if (others.length === 0) return last;
  return `${others.reverse().join(', ')}${others.length > 1 ? ',' : ''} and ${last}`;
}

function sum(counts: Iterable<number>): number {
  let total = 0;
  for (const count of counts) total += count;
  return total;
}
