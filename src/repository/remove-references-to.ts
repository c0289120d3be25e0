import { and, eq, inArray, sql } from 'drizzle-orm';
import { query } from '../database/query-builder.ts';
import { media, nodes, paragraphs, terms } from '../database/schema/content.ts';
import { references } from '../database/schema/references.ts';
import { isAmong } from '../database/sql.ts';
import { type Named, prepare, type Statement } from '../database/statement.ts';
import { nodesOfFiles, nodesOfTargets } from './pending-nodes.ts';
import { isMediaOf } from './relations.ts';

type RemovedEntities = { readonly type: string; readonly ids: string };

const markDangling = Object.entries({ node: nodes, media, taxonomy_term: terms, paragraph: paragraphs }).map(
  ([source, table]) =>
    prepare(({ type, ids }: Named<RemovedEntities>) => {
      const sources = query
        .select({ id: references.sourceId })
        .from(references)
        .where(and(referTo(type, ids), eq(references.sourceType, source)));
      return query
        .update(table)
        .set({ isDangling: true, version: sql`${table.version} + 1` })
        .where(inArray(table.id, sources));
    }),
);

/** Marks the media of removed nodes: they count as unpublished until they have another node. */
const hideMedia = prepare(({ ids }: Named<{ ids: string }>) => {
  const sources = query
    .select({ id: references.sourceId })
    .from(references)
    .where(and(isMediaOf(references), isAmong(references.targetId, ids)));
  return query.update(media).set({ hasLostNode: true }).where(inArray(media.id, sources));
});

const removeReferences = prepare(({ type, ids }: Named<RemovedEntities>) =>
  query.delete(references).where(referTo(type, ids)),
);

function referTo(type: Named<RemovedEntities>['type'], ids: Named<RemovedEntities>['ids']) {
  return and(eq(references.targetType, type), isAmong(references.targetId, ids));
}

/** Returns statements that remove all references to removed entities. `ids` is a JSON list. */
export function removeReferencesTo(
  type: 'node' | 'media' | 'taxonomy_term' | 'paragraph' | 'file',
  ids: string,
): Statement[] {
  return [
    ...(type === 'node' ? [hideMedia({ ids })] : []),
    ...indexOf(type, ids),
    ...markDangling.map((mark) => mark({ type, ids })),
    removeReferences({ type, ids }),
  ];
}

/** Returns the statements that make nodes pending whose index has the removed entities. */
function indexOf(type: string, ids: string): Statement[] {
  if (type === 'taxonomy_term' || type === 'node') return [nodesOfTargets(type, ids)];
  return type === 'file' ? [nodesOfFiles(ids)] : [];
}
