import { and, eq } from 'drizzle-orm';
import { nearest } from '../../base/nearest.ts';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { terms } from '../../database/schema/content.ts';
import { type Named, prepare } from '../../database/statement.ts';
import { foldLabel } from '../../repository/content/content-rows.ts';

/** Finds the published term whose name is closest to one that does not exist. */
export type NearestTerm = (vocabulary: string, name: string) => Promise<string | undefined>;

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
  const found = new Map<string, Promise<string | undefined>>();

  async function readNames(vocabulary: string): Promise<string[]> {
    const found = await database.all(findLabels({ vocabulary }));
    return found.map(({ label }) => label);
  }

  function namesOf(vocabulary: string): Promise<string[]> {
    const known = names.get(vocabulary) ?? readNames(vocabulary);
    names.set(vocabulary, known);
    return known;
  }

  return async (vocabulary, name) => {
    const key = `${vocabulary}\n${foldLabel(name)}`;
    const known = found.get(key);
    if (known || found.size >= MAX_NAMES) return known;
    const finding = namesOf(vocabulary).then((all) => nearest(name, all));
    found.set(key, finding);
    return finding;
  };
}
