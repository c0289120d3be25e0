import type { Services } from '../../repository/services.ts';
import { firstValue } from './document-members.ts';
import type { Here } from './known-here.ts';
import type { PackedEntity } from './read-package.ts';

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
  const { rows } = await database.client.execute({
    sql: `SELECT entity_id, id FROM paragraph_revision WHERE entity_id IN (SELECT value FROM json_each(?))
      ORDER BY entity_id, id`,
    args: [JSON.stringify(paragraphs.map(({ id }) => id))],
  });
  const idsHere = Map.groupBy(rows as unknown as [number, number][], ([paragraph]) => paragraph);
  for (const { id, uuid, revisions } of paragraphs) {
    const ids = idsHere.get(id) ?? [];
    if (ids.length !== revisions.length) continue;
    for (const [index, document] of revisions.entries())
      here.setRevision(uuid, firstValue(document, 'revision_id'), Number(ids[index]?.[1]));
  }
}
