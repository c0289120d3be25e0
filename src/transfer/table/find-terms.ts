import { and, eq, sql } from 'drizzle-orm';
import { nearest } from '../../base/nearest.ts';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { terms } from '../../database/schema/content.ts';
import { termUris } from '../../database/schema/references.ts';
import { isAmong } from '../../database/sql.ts';
import { type Named, plain, prepare } from '../../database/statement.ts';
import { foldLabel } from '../../repository/content/content.ts';
import { Lookup } from './lookup.ts';

/** A term that a table refers to. */
export interface ReferredTerm {
  readonly id: number;
  readonly vocabulary: string;
}

/** Finds the published terms that a table refers to by name or URI. */
interface FindTerms {
  /** Ignores case. Returns the oldest of several terms. */
  byName(vocabulary: string, name: string): ReferredTerm | undefined | Promise<ReferredTerm | undefined>;
  /** Returns the terms of a URI, the oldest first. */
  byUri(uri: string): readonly ReferredTerm[] | undefined | Promise<readonly ReferredTerm[] | undefined>;
}

/** Separates vocabulary and name in a key. Names of vocabularies have no line feed. */
const SEPARATOR = '\n';

// CROSS JOIN fixes the order of the join: each name is one look-up in the index of names.
const findNamed = prepare(({ wanted }: Named<{ wanted: string }>) =>
  plain(
    sql`SELECT ${terms.bundle}, ${terms.foldedLabel}, min(${terms.id}) FROM json_each(${wanted}) w
      CROSS JOIN ${terms} ON ${terms.bundle} = w.value ->> 0 AND ${terms.foldedLabel} = w.value ->> 1
      WHERE ${terms.status} = 1 GROUP BY 1, 2`,
    { vocabulary: terms.bundle, folded: terms.foldedLabel, id: terms.id },
  ),
);
const findByUri = prepare(({ uris }: Named<{ uris: string }>) =>
  query
    .selectDistinct({ uri: termUris.uri, id: terms.id, vocabulary: terms.bundle })
    .from(termUris)
    .innerJoin(terms, eq(terms.id, termUris.termId))
    .where(and(isAmong(termUris.uri, uris), eq(terms.status, true)))
    .orderBy(terms.id),
);

/** Creates the look-ups of terms for one table. They cache their results, and miss later changes. */
export function createFindTerms(database: Database): FindTerms {
  const names = new Lookup<string, ReferredTerm>(async (keys) => {
    const wanted = keys.map((key) => {
      const at = key.indexOf(SEPARATOR);
      return [key.slice(0, at), key.slice(at + 1)];
    });
    const rows = await database.all(findNamed({ wanted: JSON.stringify(wanted) }));
    return new Map(
      rows.map(({ id, vocabulary, folded }) => [`${vocabulary}${SEPARATOR}${folded}`, { id, vocabulary }]),
    );
  });
  const uris = new Lookup<string, ReferredTerm[]>(async (keys) => {
    const rows = await database.all(findByUri({ uris: JSON.stringify(keys) }));
    return Map.groupBy(rows, ({ uri }) => uri);
  });
  return {
    byName: (vocabulary, name) => names.get(`${vocabulary}${SEPARATOR}${foldLabel(name)}`),
    byUri: (uri) => uris.get(uri),
  };
}

/** Finds the published term whose name is closest to one that does not exist. */
type NearestTerm = (vocabulary: string, name: string) => Promise<string | undefined>;

/** Maximum number of names that get a suggestion, because comparing names takes time. */
const MAX_NAMES = 100;
/** Maximum number of terms of a vocabulary that are compared, the oldest first. */
const MAX_TERMS = 20_000;

const findLabels = prepare(({ vocabulary }: Named<{ vocabulary: string }>) =>
  query
    .select({ label: terms.label })
    .from(terms)
    .where(and(eq(terms.bundle, vocabulary), eq(terms.status, true)))
    .orderBy(terms.id)
    .limit(MAX_TERMS),
);

/** Creates the look-up for one table. It reads the names of a vocabulary once, at its first missing term. */
export function createNearestTerm(database: Database): NearestTerm {
  const names = new Map<string, Promise<string[]>>();
  const nearestNames = new Map<string, Promise<string | undefined>>();

  async function readNames(vocabulary: string): Promise<string[]> {
    const labels = await database.all(findLabels({ vocabulary }));
    return labels.map(({ label }) => label);
  }

  function namesOf(vocabulary: string): Promise<string[]> {
    const known = names.get(vocabulary) ?? readNames(vocabulary);
    names.set(vocabulary, known);
    return known;
  }

  return async (vocabulary, name) => {
    const key = `${vocabulary}\n${foldLabel(name)}`;
    const known = nearestNames.get(key);
    if (known || nearestNames.size >= MAX_NAMES) return known;
    const finding = namesOf(vocabulary).then((all) => nearest(name, all));
    nearestNames.set(key, finding);
    return finding;
  };
}
