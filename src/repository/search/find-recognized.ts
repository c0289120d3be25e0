import { sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { media } from '../../database/schema/content.ts';
import { references, termUris } from '../../database/schema/references.ts';
import { searchTexts } from '../../database/schema/search.ts';
import { type Named, plain, prepare } from '../../database/statement.ts';
import { MEDIA_USE_URI } from '../../model/media-use.ts';
import { mediaAccess } from '../access.ts';
import type { Actor } from '../actor.ts';
import type { Services } from '../content/services.ts';
import { preparePerVisibility, type VisibleKind } from '../content/visible-rows.ts';
import { isMediaOf } from '../relations.ts';

const MEDIA = { type: 'media', access: mediaAccess } as const;

interface RecognizedQuery {
  /** The condition on the extracted text, in the language of FTS5. */
  readonly condition: string;
  /** The first and the last of the nodes, which narrow the search of the index. */
  readonly first: number;
  readonly last: number;
  /** A JSON list. */
  readonly ids: string;
  readonly actorId: number;
}

const [link, use] = [alias(references, 'r'), alias(references, 'u')];

/** Prepares the query of nodes whose text has words, and which have recognized text that the actor may view. */
const recognizedNodes = preparePerVisibility((_: VisibleKind, visible) =>
  prepare(({ condition, first, last, ids, actorId }: Named<RecognizedQuery>) =>
    plain(
      sql`SELECT ${searchTexts.rowid} FROM ${searchTexts}
        WHERE search_text MATCH ${condition} AND ${searchTexts.rowid} BETWEEN ${first} AND ${last}
          AND +${searchTexts.rowid} IN (SELECT value FROM json_each(${ids}))
          AND EXISTS (SELECT 1 FROM ${references} ${link} CROSS JOIN ${media} ON ${media.id} = ${link.sourceId}
            CROSS JOIN ${references} ${use} ON ${use.sourceType} = 'media' AND ${use.sourceId} = ${media.id}
              AND ${use.field} = 'field_media_use'
            CROSS JOIN ${termUris} ON ${termUris.termId} = ${use.targetId} AND ${termUris.field} = 'field_external_uri'
              AND ${termUris.delta} = 0 AND ${termUris.uri} = ${sql.raw(`'${MEDIA_USE_URI.hocr}'`)}
            WHERE ${isMediaOf(link, searchTexts.rowid)} AND ${visible(media, actorId)})`,
      { id: searchTexts.rowid },
    ),
  ),
);

/**
 * Returns those of some nodes, in their order, whose extracted text has the words of conditions in the language of FTS5,
 * and whose recognized text the actor may view.
 */
export async function findRecognized(
  { database }: Pick<Services, 'database'>,
  actor: Actor,
  ids: readonly number[],
  conditions: readonly string[],
): Promise<number[]> {
  if (ids.length === 0 || conditions.length === 0) return [];
  const rows = await database.all(
    recognizedNodes(
      MEDIA,
      actor,
    )({
      condition: `fulltext : (${conditions.join(' AND ')})`,
      first: ids.reduce((least, id) => Math.min(least, id)),
      last: ids.reduce((greatest, id) => Math.max(greatest, id)),
      ids: JSON.stringify(ids),
      actorId: actor.id,
    }),
  );
  const recognized = new Set(rows.map(({ id }) => id));
  return ids.filter((id) => recognized.has(id));
}
