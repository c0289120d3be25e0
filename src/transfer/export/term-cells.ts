import { and, count, eq, ne, notExists, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { Cache } from '../../base/cache.ts';
import { query } from '../../database/query-builder.ts';
import { terms } from '../../database/schema/content.ts';
import { termUris } from '../../database/schema/references.ts';
import { isAmong, nested } from '../../database/sql.ts';
import { type Named, prepare } from '../../database/statement.ts';
import type { FieldDefinition } from '../../model/content-model.ts';
import type { LoadContext } from '../table/table-options.ts';

/** The texts of terms in cells. */
export interface TermCells {
  /** Loads terms. Call it before `cell`. */
  load(ids: Iterable<number>): Promise<void>;
  /** Returns the text of a term in a cell of a field; undefined for a deleted term. */
  cell(id: number, definition: FieldDefinition): TermCell | undefined;
}

interface TermCell {
  readonly text: string;
  /** True if neither its name nor a URI identifies the term, so that the text is its id. */
  readonly isById: boolean;
}

interface TermEntry {
  readonly vocabulary: string;
  readonly name: string;
  /** True if its name is unique in its vocabulary. */
  readonly isNamed: boolean;
  readonly uri: string | undefined;
}

const MAX_BYTES = 16 * 1024 * 1024;
/** Estimated bytes of a term without its texts. */
const TERM_BYTES = 60;
const LIKE_AN_ID = /^\d{1,15}$/;
const LIKE_A_URI = /^https?:\/\//i;

const [namesake, uri, sameUri] = [alias(terms, 'o'), alias(termUris, 'u'), alias(termUris, 'x')];

const findTerms = prepare(({ ids }: Named<{ ids: string }>) => {
  const isNamesake = and(eq(namesake.bundle, terms.bundle), eq(namesake.foldedLabel, terms.foldedLabel));
  const namesakes = query
    .select({ count: count() })
    .from(namesake)
    .where(and(isNamesake, sql`${namesake.status} = 1`));
  const isShared = and(eq(sameUri.uri, uri.uri), ne(sameUri.termId, uri.termId));
  const ownUri = query
    .select({ uri: uri.uri })
    .from(uri)
    .where(and(eq(uri.termId, terms.id), notExists(query.select({ id: sameUri.termId }).from(sameUri).where(isShared))))
    .orderBy(uri.delta)
    .limit(1);
  return query
    .select({
      id: terms.id,
      vocabulary: terms.bundle,
      name: terms.label,
      isPublished: terms.status,
      namesakes: nested(sql<number>`${namesakes}`),
      uri: nested(sql<string | null>`${ownUri}`),
    })
    .from(terms)
    .where(isAmong(terms.id, ids));
});

/** Creates the texts of terms. A name that contains the subdelimiter is replaced by a URI. */
export function createTermCells({ services }: LoadContext, subdelimiter: string): TermCells {
  const { vocabularies } = services.model;
  const known = new Cache<TermEntry, number>({
    maxBytes: MAX_BYTES,
    bytesOf: ({ name, uri = '' }) => TERM_BYTES + name.length + uri.length,
  });

  async function load(ids: Iterable<number>): Promise<void> {
    const wanted = [...new Set(ids)].filter((id) => known.get(id) === undefined);
    if (wanted.length === 0) return;
    const rows = await services.database.all(findTerms({ ids: JSON.stringify(wanted) }));
    for (const { id, vocabulary, name, isPublished, namesakes, uri } of rows)
      known.set(id, {
        vocabulary,
        name,
        // An import trims the name in a cell.
        isNamed: isPublished && namesakes === 1 && name === name.trim(),
        uri: isPublished && uri !== null && LIKE_A_URI.test(uri) ? uri : undefined,
      });
  }

  function nameIn({ vocabulary, name }: TermEntry, { targetBundles }: FieldDefinition): string {
    const isAlone = (targetBundles?.length ?? vocabularies.size) === 1;
    const prefix = name.slice(0, Math.max(name.indexOf(':'), 0)).trim();
    const isTakenElse = LIKE_AN_ID.test(name) || LIKE_A_URI.test(name) || vocabularies.has(prefix);
    return isAlone && !isTakenElse ? name : `${vocabulary}:${name}`;
  }

  return {
    load,
    cell(id, definition) {
      const term = known.get(id);
      if (term === undefined) return undefined;
      const name = nameIn(term, definition);
      if (term.isNamed && !name.includes(subdelimiter)) return { text: name, isById: false };
      if (term.uri !== undefined && !term.uri.includes(subdelimiter)) return { text: term.uri, isById: false };
      return { text: String(id), isById: true };
    },
  };
}
