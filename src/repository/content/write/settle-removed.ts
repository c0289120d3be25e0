import { and, eq, gt, sql } from 'drizzle-orm';
import { madeOnce } from '../../../base/made-once.ts';
import { query } from '../../../database/query-builder.ts';
import { media } from '../../../database/schema/content.ts';
import { references } from '../../../database/schema/references.ts';
import { isText } from '../../../database/sql.ts';
import { type Named, prepare, type Statement } from '../../../database/statement.ts';
import { isRemoved, lostTargets } from '../../removed-targets.ts';
import type { Content } from '../content.ts';
import type { ContentKind } from '../kinds.ts';
import { hasRemovedNode } from '../media-nodes.ts';

type Id = { readonly id: number };

const statementsOf = madeOnce(({ type, table }: ContentKind) => {
  const lost = lostTargets(type, table.id);
  return {
    mark: prepare(({ id }: Named<Id>) =>
      query
        .update(table)
        .set({ isDangling: true, version: sql`${table.version} + ${lost}` })
        .where(and(eq(table.id, id), gt(lost, 0))),
    ),
    removeReferences: prepare(({ id }: Named<Id>) =>
      query
        .delete(references)
        .where(and(isText(references.sourceType, type), eq(references.sourceId, id), isRemoved(references))),
    ),
  };
});
const hideMedia = prepare(({ id }: Named<Id>) =>
  query
    .update(media)
    .set({ hasLostNode: true })
    .where(and(eq(media.id, id), hasRemovedNode(media))),
);

/**
 * Returns the statements that remove the references of content to deleted entities, before the task that does so has reached
 * it. The row then has the version with which the content was read.
 */
export function settleRemoved({ kind, head: { id, isDangling } }: Content): Statement[] {
  if (!isDangling) return [];
  const { mark, removeReferences } = statementsOf(kind);
  return [...(kind.type === 'media' ? [hideMedia({ id })] : []), mark({ id }), removeReferences({ id })];
}
