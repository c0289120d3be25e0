import { expect, it } from 'bun:test';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createTableSite } from '../../../support/table-site.ts';
import { createTestRepository } from '../../../support/test-repository.ts';

const FILE_NAME = /[\w/]+\.(?:tif|txt|jp2)/g;

it('the tables of docs/import.md have no problems', async () => {
  const repository = await createTestRepository();
  const site = await createTableSite(repository);
  try {
    const guide = await readFile(join(import.meta.dir, '../../../../docs/import.md'), 'utf8');
    const tables = [...guide.matchAll(/```csv\n(id,[\s\S]*?)```/g)].map(([, text = '']) => text);
    expect(tables.length).toBeGreaterThanOrEqual(2);
    const files = join(site.folder, 'files');
    for (const name of tables.join().match(FILE_NAME) ?? []) {
      await mkdir(dirname(join(files, name)), { recursive: true });
      await writeFile(join(files, name), 'bytes');
    }
    for (const table of tables)
      expect(await site.problems(table, { files, createTerms: ['person', 'corporate_body'] })).toEqual([]);
  } finally {
    await site.remove();
    await repository.stop();
  }
}, 30_000);
