import type { Database } from '../../database/database.ts';
import { foldLabel } from '../../repository/content/fold-label.ts';
import { Lookup } from './lookup.ts';

/** A term as a table finds it. */
export interface FoundTerm {
  readonly id: number;
  readonly vocabulary: string;
}

/** Published terms by what a table calls them. */
export interface FindTerms {
  /** Whatever the case of the name; the oldest if there are several. */
  byName(vocabulary: string, name: string): FoundTerm | undefined | Promise<FoundTerm | undefined>;
  /** Those that stand for a URI, the oldest first. */
  byUri(uri: string): readonly FoundTerm[] | undefined | Promise<readonly FoundTerm[] | undefined>;
}

/** Separates what a vocabulary's name cannot hold from what a term's may. */
const SEPARATOR = '\n';

/** Makes the look-ups of terms for one table. They do not see what is made meanwhile. */
export function createFindTerms({ client }: Database): FindTerms {
  const names = new Lookup<string, FoundTerm>(async (keys) => {
    const wanted = keys.map((key) => {
      const at = key.indexOf(SEPARATOR);
      return [key.slice(0, at), key.slice(at + 1)];
    });
    const { rows } = await client.execute({
      sql: `SELECT t.bundle, t.folded_label, min(t.id) FROM json_each(?) w
        CROSS JOIN taxonomy_term t ON t.bundle = w.value ->> 0 AND t.folded_label = w.value ->> 1
        WHERE t.status = 1 GROUP BY 1, 2`,
      args: [JSON.stringify(wanted)],
    });
    return new Map(
      rows.map((row) => [
        `${row[0]}${SEPARATOR}${row[1]}`,
        { id: Number(row[2]), vocabulary: String(row[0]) } satisfies FoundTerm,
      ]),
    );
  });
  const uris = new Lookup<string, FoundTerm[]>(async (keys) => {
    const { rows } = await client.execute({
      sql: `SELECT DISTINCT u.uri, t.id, t.bundle FROM term_uri u JOIN taxonomy_term t ON t.id = u.term_id
        WHERE u.uri IN (SELECT value FROM json_each(?)) AND t.status = 1 ORDER BY t.id`,
      args: [JSON.stringify(keys)],
    });
    const found = new Map<string, FoundTerm[]>();
    for (const row of rows) {
      const terms = found.get(String(row[0])) ?? [];
      found.set(String(row[0]), [...terms, { id: Number(row[1]), vocabulary: String(row[2]) }]);
    }
    return found;
  });
  return {
    byName: (vocabulary, name) => names.get(`${vocabulary}${SEPARATOR}${foldLabel(name)}`),
    byUri: (uri) => uris.get(uri),
  };
}
