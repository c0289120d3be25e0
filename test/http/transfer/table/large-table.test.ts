import { expect, it } from 'bun:test';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readTable } from '../../../../src/transfer/table/read-table.ts';
import { TableError } from '../../../../src/transfer/table/row-plan.ts';
import { emptyFolder } from '../../../support/empty-folder.ts';

const MIB = 1024 * 1024;

it('gives up on a row of a large table whose quote is never closed, long before its end', async () => {
  const folder = await emptyFolder();
  try {
    const file = join(folder, 'nodes.csv');
    await writeFile(file, `id,title\n1,fine\n2,"${'a line of text\n'.repeat(8 * MIB)}`);
    let bytes = 0;
    const reading = { onBytes: (chunk: Uint8Array) => (bytes += chunk.length) };
    const read = async () => {
      for await (const _ of readTable(file, { delimiter: ',' }, reading));
    };
    const error = await read().catch((caught) => caught);
    expect(error).toBeInstanceOf(TableError);
    expect((error as TableError).problem).toMatchObject({ row: 2, line: 3 });
    expect(bytes).toBeLessThan(34 * MIB);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}, 30_000);
