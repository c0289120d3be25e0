import { byteText, countInWords, isoTime } from '../base/in-words.ts';

/** Characters that move the cursor, change colours or end the line. */
const CONTROLS = /[\p{Cc}\p{Cf}\u2028\u2029]+/gu;

/** Formats files and their size: `10,000 files of 1.2 GB`. */
export function filesText(files: number, bytes: number): string {
  return `${countInWords(files, 'file')} of ${byteText(bytes)}`;
}

/** Formats a moment as the logs do, `2026-11-22 01:24:00Z`. */
export function timeText(seconds = 0): string {
  return isoTime(seconds).replace('T', ' ');
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
