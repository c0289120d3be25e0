import { eq } from 'drizzle-orm';
import { Cache } from '../base/cache.ts';
import type { Database } from '../database/database.ts';
import { query } from '../database/query-builder.ts';
import { terms } from '../database/schema/content.ts';
import { termUris } from '../database/schema/references.ts';
import { type Named, prepare } from '../database/statement.ts';
import type { FieldValues, MediaType } from '../model/content-model.ts';

/** A term with the facts for file names and addresses. */
export interface NamedTerm {
  readonly id: number;
  readonly name: string;
}

/** The URIs of terms. */
export interface TermUris {
  /** Returns every URI of these terms, their own and those of authorities. */
  of(ids: readonly number[]): Promise<ReadonlySet<string>>;
  /** Returns the oldest term with a URI. */
  first(uri: string): Promise<NamedTerm | undefined>;
}

const MAX_BYTES = 2 * 1024 * 1024;

const urisOf = prepare(({ id }: Named<{ id: number }>) =>
  query.select({ uri: termUris.uri }).from(termUris).where(eq(termUris.termId, id)),
);
const firstWith = prepare(({ uri }: Named<{ uri: string }>) =>
  query
    .select({ id: terms.id, name: terms.label })
    .from(termUris)
    .innerJoin(terms, eq(terms.id, termUris.termId))
    .where(eq(termUris.uri, uri))
    .orderBy(terms.id)
    .limit(1),
);

/** Reads terms of a database, which are cached until any term changes. */
export function createTermUris(database: Database): TermUris {
  const options = { maxBytes: MAX_BYTES, state: database.knownGeneration };
  const uris = new Cache<readonly string[], number>({ ...options, bytesOf: (uris) => uris.join('').length });
  const named = new Cache<NamedTerm>({ ...options, bytesOf: ({ name }) => name.length });

  async function readUris(id: number): Promise<readonly string[]> {
    return (await database.all(urisOf({ id }))).map(({ uri }) => uri);
  }

  const readFirst = (uri: string): Promise<NamedTerm | undefined> => database.get(firstWith({ uri }));

  return {
    async of(ids) {
      const collected = new Set<string>();
      for (const id of ids) for (const uri of (await uris.read(id, () => readUris(id))) ?? []) collected.add(uri);
      return collected;
    },
    first: (uri) => named.read(uri, () => readFirst(uri)),
  };
}

/** Returns the ids of all terms to which a media refers in any field. */
export function referredTerms({ fields }: MediaType, values: FieldValues): number[] {
  return fields
    .filter(({ targetType }) => targetType === 'taxonomy_term')
    .flatMap(({ name }) => (values[name] ?? []).map(({ target_id }) => Number(target_id)));
}
