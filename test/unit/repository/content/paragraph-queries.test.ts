import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import type { InStatement } from '@libsql/client';
import type { Database } from '../../../../src/database/database.ts';
import { openLocalDatabase } from '../../../../src/database/local/open-local-database.ts';
import { migrate } from '../../../../src/database/migrate.ts';
import { query } from '../../../../src/database/query-builder.ts';
import { paragraphs } from '../../../../src/database/schema/content.ts';
import { statementOf } from '../../../../src/database/statement.ts';
import { heightOf, hostsOf } from '../../../../src/repository/content/read/paragraph-hosts.ts';
import { removeParagraphsOf } from '../../../../src/repository/content/write/adopt-paragraphs.ts';
import { emptyFolder } from '../../../support/empty-folder.ts';

let database: Database;
beforeAll(async () => {
  database = openLocalDatabase(join(await emptyFolder(), 'test.db'));
  await migrate(database.client, 0);
});
afterAll(async () => {
  await database.close();
});

/** Returns the query plan of each search in the table of paragraphs. */
async function searches(statement: InStatement): Promise<string[]> {
  const { sql, args = [] } = typeof statement === 'string' ? { sql: statement } : statement;
  const { rows } = await database.client.execute({ sql: `EXPLAIN QUERY PLAN ${sql}`, args });
  return rows.map((row) => String(row[3])).filter((step) => /^(SCAN|SEARCH) p\b/.test(step));
}

describe('the database', () => {
  const BELOW = expect.stringContaining('paragraph_host (host_type=? AND host_id=?)');

  it('reads only the relevant paragraphs when content is removed', async () => {
    const statements = removeParagraphsOf('node', '[1]');
    expect(statements.length).toBeGreaterThan(0);
    for (const each of statements) expect((await searches(each)).slice(0, 2)).toEqual([BELOW, BELOW]);
  });

  it('reads only the relevant paragraphs when it finds nested ones and hosts', async () => {
    const heights = query.select({ height: heightOf(paragraphs) }).from(paragraphs);
    expect(await searches(statementOf(heights))).toContainEqual(BELOW);
    const hosts = query.select({ hosts: hostsOf(paragraphs) }).from(paragraphs);
    const above = (await searches(statementOf(hosts))).slice(-2);
    for (const each of above) expect(each).toStartWith('SEARCH p USING INTEGER PRIMARY KEY (rowid=?)');
  });
});
