import { and, eq, exists, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { failedGuard } from '../database/errors.ts';
import { query } from '../database/query-builder.ts';
import { terms } from '../database/schema/content.ts';
import { termUris } from '../database/schema/references.ts';
import { failIf, isAmong } from '../database/sql.ts';
import { type Named, prepare } from '../database/statement.ts';
import type { Vocabulary } from '../model/content-model.ts';
import type { Actor } from '../repository/actor.ts';
import type { ContentKind } from '../repository/content/kinds.ts';
import type { Services } from '../repository/content/services.ts';
import { createContent } from '../repository/content/write/save-content.ts';
import type { AuthorityRecord } from './authority-record.ts';
import { termValues } from './term-values.ts';

const termsOfUris = ({ uris }: Named<{ readonly uris: string }>) =>
  query
    .select({
      ...{ id: terms.id, label: terms.label, bundle: terms.bundle, ownerId: terms.ownerId, status: terms.status },
      uri: termUris.uri,
      accessSet: sql<number>`0`,
    })
    .from(termUris)
    .innerJoin(terms, eq(terms.id, termUris.termId))
    .where(isAmong(termUris.uri, uris))
    .orderBy(terms.id);

const findTerms = prepare(termsOfUris);

const failIfKnown = prepare(({ uri, vocabulary }: Named<{ readonly uri: string; readonly vocabulary: string }>) =>
  failIf(
    'taken',
    exists(
      query
        .select({ one: sql`1` })
        .from(termUris)
        .innerJoin(terms, eq(terms.id, termUris.termId))
        .where(and(eq(termUris.uri, uri), eq(terms.bundle, vocabulary))),
    ),
  ),
);

/** Returns the terms that have some URIs, in the order of their ids. */
export function termsWithUris(database: Database, uris: readonly string[]) {
  return database.all(findTerms({ uris: JSON.stringify(uris) }));
}

/** The term of a record. */
interface TakenOver {
  readonly id: number;
  readonly label: string;
  readonly isNew: boolean;
}

/**
 * Creates the term of a record in a vocabulary: with its name, URI, other names and dates. Returns the term that has the URI
 * already, if there is one. Throws as `createContent` does.
 */
export async function takeOver(
  services: Services,
  actor: Actor,
  kind: ContentKind,
  {
    vocabulary,
    record,
    source,
  }: { readonly vocabulary: Vocabulary; readonly record: AuthorityRecord; readonly source: string },
): Promise<TakenOver> {
  const known = async () => {
    const terms = await termsWithUris(services.database, [record.uri]);
    return terms.find(({ bundle }) => bundle === vocabulary.name);
  };
  const term = await known();
  if (term !== undefined) return { id: term.id, label: term.label, isNew: false };
  const values = new Map(Object.entries(termValues(vocabulary, record, source)));
  const before = [failIfKnown({ uri: record.uri, vocabulary: vocabulary.name })];
  try {
    const { head } = await createContent(services, actor, kind, vocabulary, values, { before });
    return { id: head.id, label: record.label, isNew: true };
  } catch (error) {
    if (failedGuard(error) !== 'guard_taken') throw error;
    services.database.refresh();
    const made = await known();
    if (made === undefined) throw error;
    return { id: made.id, label: made.label, isNew: false };
  }
}
