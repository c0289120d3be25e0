import { byteText } from '../base/in-words.ts';

/** Formats of numbers, sizes, times and text of other programs. */

/** Characters that move the cursor, change colours or end the line. */
const CONTROLS = /[\p{Cc}\p{Cf}\u2028\u2029]+/gu;

/** Formats a whole number: `10,000`. */
export function numberText(count: number): string {
  return count.toLocaleString('en-US');
}

/** Formats a count: `10,000 nodes`, `1 node`. */
export function counted(count: number, what: string): string {
  return `${numberText(count)} ${what}${count === 1 ? '' : 's'}`;
}

/** Formats files and their size: `10,000 files of 1.2 GB`. */
export function filesText(files: number, bytes: number): string {
  return `${counted(files, 'file')} of ${byteText(bytes)}`;
}

/** Formats a moment as the logs do, `2026-11-22 01:24:00Z`. */
export function timeText(seconds = 0): string {
  return new Date(seconds * 1_000).toISOString().replace('T', ' ').replace('.000Z', 'Z');
}

/** Returns a text of another program as one line that a terminal shows and does not obey. */
export function plainLine(text: string): string {
  return text.replaceAll(CONTROLS, ' ').trim();
}

/** Shortens a line to a number of columns; `…` marks the cut. */
export function cut(line: string, columns: number): string {
  if (Bun.stringWidth(line) <= columns) return line;
  let shown = '';
  for (const character of line) {
    if (Bun.stringWidth(`${shown}${character}…`) > columns) break;
    shown += character;
  }
  return `${shown.trimEnd()}…`;
}
