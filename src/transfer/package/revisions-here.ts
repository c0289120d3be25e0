import { query } from '../../database/query-builder.ts';
import { paragraphRevisions } from '../../database/schema/content.ts';
import { isAmong } from '../../database/sql.ts';
import { type Named, prepare } from '../../database/statement.ts';
import type { Services } from '../../repository/content/services.ts';
import { firstValue } from './document-members.ts';
import type { Here } from './known-here.ts';
import type { PackedEntity } from './read-package.ts';

const { id: revisionId, entityId } = paragraphRevisions;
const findRevisions = prepare(({ ids }: Named<{ ids: string }>) =>
  query
    .select({ entityId, id: revisionId })
    .from(paragraphRevisions)
    .where(isAmong(entityId, ids))
    .orderBy(entityId, revisionId),
);

/**
 * Notes which revisions of paragraphs here are those of a package, where there are as many: what refers to a paragraph
 * names one of them.
 */
export async function noteRevisions(
  { database }: Services,
  entities: readonly PackedEntity[],
  here: Here,
): Promise<void> {
  const paragraphs = entities.flatMap(({ type, uuid, revisions }) => {
    const known = type === 'paragraph' ? here.get(type, uuid) : undefined;
    return known === undefined ? [] : [{ id: known.id, uuid, revisions }];
  });
  if (paragraphs.length === 0) return;
  const found = await database.all(findRevisions({ ids: JSON.stringify(paragraphs.map(({ id }) => id)) }));
  const idsHere = Map.groupBy(found, ({ entityId }) => entityId);
  for (const { id, uuid, revisions } of paragraphs) {
    const ids = idsHere.get(id) ?? [];
    if (ids.length !== revisions.length) continue;
    for (const [index, document] of revisions.entries())
      here.setRevision(uuid, firstValue(document, 'revision_id'), Number(ids[index]?.id));
  }
}
