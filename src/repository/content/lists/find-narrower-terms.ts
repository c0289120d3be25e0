import { sql } from 'drizzle-orm';
import { terms } from '../../../database/schema/content.ts';
import { references } from '../../../database/schema/references.ts';
import { isTextWithoutIndex } from '../../../database/sql.ts';
import { type Named, plain, prepare } from '../../../database/statement.ts';
import { termAccess } from '../../access.ts';
import type { Actor } from '../../actor.ts';
import type { BaseServices } from '../../base-services.ts';
import type { LinkedContent } from '../read/find-breadcrumbs.ts';
import { preparePerActor, type ViewerValues, viewerValues, visibleRows } from '../visible-rows.ts';

const TERM_KIND = { type: 'taxonomy_term', access: termAccess } as const;

/** The maximum number of narrower terms of a page. */
const MAX_TERMS = 500;

/** The terms below a term that the actor may view. */
export interface NarrowerTerms {
  readonly terms: readonly LinkedContent[];
  /** True if there are more than these. */
  readonly hasMore: boolean;
}

const FIELDS = { id: terms.id, label: terms.label, language: sql<string | null>`language` };

const below = preparePerActor([TERM_KIND], (actor) =>
  prepare((values: Named<{ readonly term: number } & ViewerValues>) =>
    plain(
      sql`SELECT ${terms.id}, ${terms.label}, ${terms.document} ->> '$.langcode[0].value'
        FROM (SELECT DISTINCT ${references.sourceId} AS id FROM ${references}
            WHERE ${references.targetType} = 'taxonomy_term' AND ${references.targetId} = ${values.term}
              AND ${isTextWithoutIndex(references.sourceType, 'taxonomy_term')} AND ${references.field} = 'parent') found
          CROSS JOIN ${terms} ON ${terms.id} = found.id
        WHERE ${visibleRows(TERM_KIND, actor, terms, values)}
        ORDER BY ${terms.document} ->> '$.weight[0].value', ${terms.sortLabel}, ${terms.id}
        LIMIT ${sql.raw(String(MAX_TERMS + 1))}`,
      FIELDS,
    ),
  ),
);

/** Returns the terms directly below a term, by weight and then by name. */
export async function findNarrowerTerms(
  { database, model }: Pick<BaseServices, 'database' | 'model'>,
  actor: Actor,
  term: number,
): Promise<NarrowerTerms> {
  const rows = await database.all(below(actor)({ term, ...viewerValues(actor) }));
  const narrower = rows.slice(0, MAX_TERMS).map((row) => ({ ...row, language: row.language ?? model.defaultLanguage }));
  return { terms: narrower, hasMore: rows.length > MAX_TERMS };
}
