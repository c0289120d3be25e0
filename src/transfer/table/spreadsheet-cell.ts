/** The beginnings of cells that spreadsheets compute or misread (OWASP, CSV Injection). */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

/** Returns the text of a cell that no spreadsheet computes: with an apostrophe before a text that begins like a formula. */
export function spreadsheetCell(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}
