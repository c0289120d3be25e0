import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { stringify } from 'csv-stringify/sync';

const COLUMNS = [
  ...['id', 'title', 'field_model', 'field_identifier', 'field_description', 'field_extent'],
  ...['field_edtf_date_issued', 'field_subject', 'field_linked_agent', 'file'],
];
/** As in collections: the same subjects and people come again and again. */
const SUBJECTS = 1_000;
const PEOPLE = 2_000;
const ROWS_AT_A_TIME = 5_000;

/** Writes a table of `rows` rows for `repo import`; `fileOf` returns the name of the file of a row. */
export async function writeTable(
  path: string,
  rows: number,
  fileOf: (row: number) => string = () => '',
): Promise<void> {
  const stream = createWriteStream(path);
  stream.write(stringify([COLUMNS]));
  for (let from = 1; from <= rows; from += ROWS_AT_A_TIME) {
    const count = Math.min(ROWS_AT_A_TIME, rows - from + 1);
    const text = stringify(Array.from({ length: count }, (_, index) => cells(from + index, fileOf(from + index))));
    if (!stream.write(text)) await new Promise((resolve) => stream.once('drain', resolve));
  }
  stream.end();
  await finished(stream);
}

function cells(row: number, file: string): string[] {
  const person = `relators:aut:person:Doe, Jane ${row % PEOPLE}`;
  const subjects = `subject:Bridges ${row % SUBJECTS}|subject:Rivers ${(row * 7) % SUBJECTS}`;
  const description = `Letter no. ${row}, with a "quotation", a comma, and all that a sentence of some length needs.`;
  const date = `${1700 + (row % 300)}-0${1 + (row % 9)}~`;
  return [
    ...[`r${row}`, `Letter ${row} to the editor`, 'Digital Document', `archive-${row}`, description],
    ...[`${1 + (row % 12)} leaves`, date, subjects, person, file],
  ];
}

/** Writes `count` files of `bytes` different bytes and returns their names. */
export async function writeFiles(folder: string, count: number, bytes: number): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const content = new Uint8Array(bytes);
  // As much at once as there may be.
  for (let at = 0; at < bytes; at += 65_536) crypto.getRandomValues(content.subarray(at, Math.min(at + 65_536, bytes)));
  const names = Array.from({ length: count }, (_, index) => `letter-${index + 1}.pdf`);
  for (const [index, name] of names.entries()) {
    new DataView(content.buffer).setUint32(0, index);
    await Bun.write(join(folder, name), content);
  }
  return names;
}
