import { type SQLWrapper, sql } from 'drizzle-orm';
import type { Database } from '../../../database/database.ts';
import { terms } from '../../../database/schema/content.ts';
import { references, termUris } from '../../../database/schema/references.ts';
import { isAmong, nested } from '../../../database/sql.ts';
import { type Named, plain, prepare } from '../../../database/statement.ts';
import { refersTo } from '../../relations.ts';

/** The number of terms that one request looks at: a vocabulary may have hundreds of thousands with uses. */
const EXAMINED = 5_000;

/** Returns the number of references to a term, apart from those of narrower terms. */
export function usesOfTerm(id: SQLWrapper): ReturnType<typeof sql<number>> {
  return nested(sql<number>`(SELECT count(*) FROM ${references}
    WHERE ${refersTo(references, 'taxonomy_term', id)} AND ${references.field} <> 'parent')`);
}

/** A term to which nothing refers. */
export interface UnusedTerm {
  readonly id: number;
  readonly label: string;
  readonly status: boolean;
  readonly ownerId: number;
  readonly bundle: string;
}

interface Window {
  readonly vocabulary: string;
  /** The place by name and the id after which the terms begin. */
  readonly after: string;
  readonly afterId: number;
}

const beyond = ({ vocabulary, after, afterId }: Named<Window>) =>
  sql`${terms.bundle} = ${vocabulary} AND (${terms.sortLabel}, ${terms.id}) > (${after}, ${afterId})`;
const limit = sql.raw(String(EXAMINED));

const lastExamined = prepare((window: Named<Window>) =>
  plain(
    sql`SELECT ${terms.sortLabel}, ${terms.id} FROM ${terms} WHERE ${beyond(window)}
      ORDER BY ${terms.sortLabel}, ${terms.id} LIMIT 1 OFFSET ${limit} - 1`,
    { after: terms.sortLabel, afterId: terms.id },
  ),
);
const unused = prepare((window: Named<Window & { configured: string }>) =>
  plain(
    sql`SELECT ${terms.id}, ${terms.label}, ${terms.status}, ${terms.ownerId}, ${terms.bundle}
      FROM (SELECT ${terms.id} AS candidate FROM ${terms} WHERE ${beyond(window)}
        ORDER BY ${terms.sortLabel}, ${terms.id} LIMIT ${limit})
      CROSS JOIN ${terms} ON ${terms.id} = candidate
      WHERE NOT EXISTS (SELECT 1 FROM ${references} WHERE ${refersTo(references, 'taxonomy_term', terms.id)})
        AND NOT EXISTS (SELECT 1 FROM ${termUris} WHERE ${termUris.termId} = ${terms.id}
          AND ${isAmong(termUris.uri, window.configured)})
      ORDER BY ${terms.sortLabel}, ${terms.id}`,
    { id: terms.id, label: terms.label, status: terms.status, ownerId: terms.ownerId, bundle: terms.bundle },
  ),
);

/**
 * Returns the terms of a vocabulary to which nothing refers, by name, except for those of the configuration: among the next 5,000 after
 * a place. `next` is the place after these; undefined at the end.
 */
export async function findUnusedTerms(
  database: Database,
  window: Window,
  configuredUris: ReadonlySet<string>,
): Promise<{ readonly terms: readonly UnusedTerm[]; readonly next: Pick<Window, 'after' | 'afterId'> | undefined }> {
  const { ...place } = window;
  const configured = JSON.stringify([...configuredUris]);
  const result = await database.read({ unused: unused({ ...place, configured }), last: lastExamined(place) });
  const [last] = result.last;
  return { terms: result.unused, next: last && { after: last.after ?? '', afterId: last.afterId } };
}
