import { sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { media } from '../../database/schema/content.ts';
import { files } from '../../database/schema/files.ts';
import { references, termUris } from '../../database/schema/references.ts';
import { literal } from '../../database/sql.ts';
import { type Named, plain, prepare } from '../../database/statement.ts';
import { MEDIA_USE_URI } from '../../model/media-use.ts';
import { mediaAccess } from '../access.ts';
import type { Actor } from '../actor.ts';
import type { Services } from '../content/services.ts';
import { preparePerVisibility, type ViewerValues, type VisibleKind, viewerValues } from '../content/visible-rows.ts';
import { isMediaOf } from '../relations.ts';

const MEDIA = { type: 'media', access: mediaAccess } as const;

/** `ids` is a JSON list. */
type RecognizedQuery = { readonly ids: string } & ViewerValues;

const [link, use, source] = [alias(references, 'r'), alias(references, 'u'), alias(references, 's')];

const TEXTS = sql.join([literal(MEDIA_USE_URI.extractedText), literal(MEDIA_USE_URI.transcript)], sql`, `);
/** The file of the media is XML or hOCR, which may have the places of words. */
const HAS_PLACES = sql`EXISTS (SELECT 1 FROM ${references} ${source}
  CROSS JOIN ${files} ON ${files.id} = ${source.targetId}
  WHERE ${source.sourceType} = 'media' AND ${source.sourceId} = ${media.id} AND ${source.targetType} = 'file'
    AND (${files.filemime} LIKE '%/xml' OR ${files.filemime} LIKE '%+xml' OR ${files.filemime} = 'text/vnd.hocr+html'))`;

/** Prepares the query of nodes which have recognized text that the actor may view. */
const recognizedNodes = preparePerVisibility((_: VisibleKind, visible) =>
  prepare((values: Named<RecognizedQuery>) =>
    plain(
      sql`SELECT node.value FROM json_each(${values.ids}) node
        WHERE EXISTS (SELECT 1 FROM ${references} ${link} CROSS JOIN ${media} ON ${media.id} = ${link.sourceId}
            CROSS JOIN ${references} ${use} ON ${use.sourceType} = 'media' AND ${use.sourceId} = ${media.id}
              AND ${use.field} = 'field_media_use'
            CROSS JOIN ${termUris} ON ${termUris.termId} = ${use.targetId} AND ${termUris.field} = 'field_external_uri'
              AND ${termUris.delta} = 0
              AND (${termUris.uri} = ${literal(MEDIA_USE_URI.hocr)} OR (${termUris.uri} IN (${TEXTS}) AND ${HAS_PLACES}))
            WHERE ${isMediaOf(link, sql`node.value`)} AND ${visible(media, values)})`,
      { id: sql<number>`node.value` },
    ),
  ),
);

/** Returns those of some nodes, in their order, whose recognized text the actor may view. */
export async function findRecognized(
  { database }: Pick<Services, 'database'>,
  actor: Actor,
  ids: readonly number[],
): Promise<number[]> {
  if (ids.length === 0) return [];
  const rows = await database.all(recognizedNodes(MEDIA, actor)({ ids: JSON.stringify(ids), ...viewerValues(actor) }));
  const recognized = new Set(rows.map(({ id }) => id));
  return ids.filter((id) => recognized.has(id));
}
