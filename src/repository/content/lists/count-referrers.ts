import { and, count, eq, sql } from 'drizzle-orm';
import type { Database } from '../../../database/database.ts';
import { query } from '../../../database/query-builder.ts';
import { references } from '../../../database/schema/references.ts';
import { type Named, prepare } from '../../../database/statement.ts';
import type { LinkedType } from '../../access-rule.ts';

/** The number of entities of a type that refer to an entity by one field. */
export interface ReferrerCount {
  readonly type: string;
  readonly field: string;
  readonly count: number;
}

const referrers = prepare(({ type, id }: Named<{ type: string; id: number }>) =>
  query
    .select({
      type: references.sourceType,
      field: references.field,
      count: count(sql`DISTINCT ${references.sourceId}`).as('referrers'),
    })
    .from(references)
    .where(and(eq(references.targetType, type), eq(references.targetId, id)))
    .groupBy(references.sourceType, references.field),
);

/** Returns how many entities refer to an entity, by their type and the field. */
export function countReferrers(database: Database, type: LinkedType, id: number): Promise<ReferrerCount[]> {
  return database.all(referrers({ type, id }));
}
