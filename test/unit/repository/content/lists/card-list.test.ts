import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import type { Database } from '../../../../../src/database/database.ts';
import { openLocalDatabase } from '../../../../../src/database/local/open-local-database.ts';
import { migrate } from '../../../../../src/database/migrate.ts';
import type { ContentModel } from '../../../../../src/model/content-model.ts';
import type { Actor } from '../../../../../src/repository/actor.ts';
import { type CardSort, createCardList, type ListName } from '../../../../../src/repository/content/lists/card-list.ts';
import { emptyFolder } from '../../../../support/empty-folder.ts';
import { UNRESTRICTED } from '../../../../support/unrestricted.ts';
import { parseUserModel } from '../../../model/parse-user-model.ts';

const MODEL = {
  models: parseUserModel('').models,
  nodeTypes: new Map([['a', { fields: [], fieldNamed: new Map([['field_model', { targetBundles: ['models'] }]]) }]]),
} as unknown as ContentModel;
const READER: Actor = {
  ...{ id: 0, uuid: '', name: '', roles: [], isAuthenticated: false },
  ...UNRESTRICTED,
  may: (permission) => permission === 'access content',
};

let database: Database;
beforeAll(async () => {
  database = openLocalDatabase(join(await emptyFolder(), 'test.db'));
  await migrate(database.client, 0);
});
afterAll(async () => {
  await database.close();
});

/** Returns the steps of a query plan that read tables. */
async function stepsOf(list: ListName, sort: CardSort): Promise<string[]> {
  const values = {
    target: 1,
    verdicts: new Uint8Array(),
    thumbnails: new Uint8Array(),
    drafts: new Uint8Array(),
    openUses: '{}',
    actorId: 0,
    limit: 48,
    offset: 0,
  };
  const { sql, args } = createCardList(MODEL, list, sort)(READER)(values);
  const { rows } = await database.client.execute({ sql: `EXPLAIN QUERY PLAN ${sql}`, args });
  return rows.map((row) => String(row[3])).filter((step) => /^(SCAN|SEARCH) [a-z_]+ USING|^SCAN recent/.test(step));
}

describe('the query for a list of cards', () => {
  it.each<ListName>(['members', 'term', 'owner', 'collections', 'top collections'])(
    'for %s reads only indexes',
    async (list) => {
      const steps = await stepsOf(list, list === 'members' ? 'weight' : 'newest');
      expect(steps.length).toBeGreaterThan(0);
      for (const step of steps)
        expect(step).toMatch(/^SEARCH \w+ USING (COVERING INDEX|PRIMARY KEY \(source_type=\? AND source_id)/);
    },
  );

  it('for the newest starts at the last row', async () => {
    const [first, ...others] = await stepsOf('newest', 'newest');
    expect(first).toBe('SCAN recent');
    for (const step of others) expect(step).toStartWith('SEARCH');
  });

  it('looks up rows by id to sort them', async () => {
    const steps = await stepsOf('members', 'title');
    expect(steps).toContain('SEARCH sorted USING INTEGER PRIMARY KEY (rowid=?)');
  });
});
