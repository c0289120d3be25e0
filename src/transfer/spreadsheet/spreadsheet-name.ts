/** Returns true for the name of a spreadsheet. Messages name its rows by their numbers in the sheet. */
export function isSpreadsheetName(file: string): boolean {
  return /\.(xlsx|ods)$/i.test(file);
}
