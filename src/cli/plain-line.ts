/** What would move the cursor, change colours or end the line: some of the text is from programs elsewhere. */
const CONTROLS = /[\p{Cc}\p{Cf}\u2028\u2029]+/gu;

/** A text as one line that a terminal shows and does not obey. */
export function plainLine(text: string): string {
  return text.replaceAll(CONTROLS, ' ').trim();
}

/** A line with no more columns than these; `…` at its end says that there was more. */
export function cut(line: string, columns: number): string {
  if (Bun.stringWidth(line) <= columns) return line;
  let shown = '';
  for (const character of line) {
    if (Bun.stringWidth(`${shown}${character}…`) > columns) break;
    shown += character;
  }
  return `${shown.trimEnd()}…`;
}
