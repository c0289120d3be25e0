import { expect, it } from 'bun:test';
import { summaryLine } from '../../../src/cli/import-table.ts';

const NOTHING = { rows: 0, nodes: 0, files: 0, bytes: 0, terms: 0, failure: undefined, isInterrupted: false };

it.each([
  [{ rows: 1 }, 'Imported nothing in 2.0 s. 1 row is loaded in total.'],
  [{ rows: 5, nodes: 3 }, 'Imported 3 nodes in 2.0 s. 5 rows are loaded in total.'],
  [{ rows: 3, nodes: 3, terms: 1 }, 'Imported 3 nodes and 1 new term in 2.0 s.'],
])('summaryLine reports the rows that an import created and the total: %j', (counts, said) => {
  expect(summaryLine({ ...NOTHING, ...counts }, 2)).toBe(said);
});
