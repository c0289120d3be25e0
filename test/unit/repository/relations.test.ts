import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import type { SQL } from 'drizzle-orm';
import type { Database } from '../../../src/database/database.ts';
import { openLocalDatabase } from '../../../src/database/local/open-local-database.ts';
import { migrate } from '../../../src/database/migrate.ts';
import { query } from '../../../src/database/query-builder.ts';
import { references } from '../../../src/database/schema/references.ts';
import { type Named, prepare, statementOf } from '../../../src/database/statement.ts';
import {
  isMediaOf,
  isMemberOf,
  isNodeOf,
  isParentOf,
  MEDIA_OF,
  MEMBER_OF,
  nodesOfMedia,
  refersTo,
} from '../../../src/repository/relations.ts';
import { emptyFolder } from '../../support/empty-folder.ts';

type Values = { readonly id: number };

const find = (conditionOf: (values: Named<Values>) => SQL) =>
  prepare((values: Named<Values>) =>
    query
      .select({ source: references.sourceId, target: references.targetId })
      .from(references)
      .where(conditionOf(values))
      .orderBy(references.weight, references.sourceId),
  );

const QUERIES = {
  members: find(({ id }) => isMemberOf(references, id)),
  media: find(({ id }) => isMediaOf(references, id)),
  parents: find(({ id }) => isParentOf(references, id)),
  nodes: find(({ id }) => isNodeOf(references, id)),
  usesOfFile: find(({ id }) => refersTo(references, 'file', id)),
};

let database: Database;
beforeAll(async () => {
  database = openLocalDatabase(join(await emptyFolder(), 'test.db'));
  await migrate(database.client, 0);
  const row = (sourceType: string, sourceId: number, field: string, targetType: string, targetId: number) => ({
    ...{ sourceType, sourceId, field, delta: targetId, targetType, targetId },
  });
  await database.write({
    rows: statementOf(
      query
        .insert(references)
        .values([
          row('node', 2, MEMBER_OF, 'node', 1),
          row('node', 3, MEMBER_OF, 'node', 1),
          row('node', 3, MEMBER_OF, 'node', 2),
          row('node', 4, 'field_related', 'node', 1),
          row('media', 7, MEDIA_OF, 'node', 1),
          row('media', 7, MEDIA_OF, 'node', 3),
          row('media', 7, 'field_media_file', 'file', 1),
          row('user', 1, 'user_picture', 'file', 1),
        ]),
    ),
  });
});
afterAll(async () => {
  await database.close();
});

async function pairs(name: keyof typeof QUERIES, id: number): Promise<string[]> {
  const rows = await database.all(QUERIES[name]({ id }));
  return rows.map(({ source, target }) => `${source} ${target}`).sort();
}

describe('relations', () => {
  it('find the members, media and parents of a node, and the nodes of a media', async () => {
    expect(await pairs('members', 1)).toEqual(['2 1', '3 1']);
    expect(await pairs('media', 1)).toEqual(['7 1']);
    expect(await pairs('parents', 3)).toEqual(['3 1', '3 2']);
    expect(await pairs('nodes', 7)).toEqual(['7 1', '7 3']);
  });

  it('find all that uses a file', async () => {
    expect(await pairs('usesOfFile', 1)).toEqual(['1 1', '7 1']);
  });

  it.each([
    ['members', 'reference_target (target_type=? AND target_id=? AND source_type=? AND field=?)'],
    ['media', 'reference_target (target_type=? AND target_id=? AND source_type=? AND field=?)'],
    ['parents', 'PRIMARY KEY (source_type=? AND source_id=? AND field=?)'],
    ['nodes', 'PRIMARY KEY (source_type=? AND source_id=? AND field=?)'],
    ['usesOfFile', 'reference_target (target_type=? AND target_id=?)'],
  ] as const)('look up %s in an index', async (name, index) => {
    const { sql, args } = QUERIES[name]({ id: 1 });
    const { rows } = await database.client.execute({ sql: `EXPLAIN QUERY PLAN ${sql}`, args });
    expect(rows.map((row) => String(row[3])).join('; ')).toContain(index);
  });

  it('are in the values of a media', () => {
    expect(nodesOfMedia({ [MEDIA_OF]: [{ target_id: 1 }, { target_id: 3 }] })).toEqual([1, 3]);
    expect(nodesOfMedia({})).toEqual([]);
  });
});
