import type { Database } from '../../database/database.ts';
import { GenerationMemory } from '../../database/generation-memory.ts';

/** A term as far as file names and addresses need it. */
export interface NamedTerm {
  readonly id: number;
  readonly name: string;
}

/** What terms stand for. */
export interface TermUris {
  /** Every URI of these terms, be it their own or an authority's. */
  of(ids: readonly number[]): Promise<ReadonlySet<string>>;
  /** The oldest term with a URI. */
  first(uri: string): Promise<NamedTerm | undefined>;
}

const MAX_REMEMBERED = 10_000;

/** Terms of a database, remembered while none of them changes. */
export function createTermUris(database: Database): TermUris {
  const uris = new GenerationMemory<number, readonly string[]>(database, MAX_REMEMBERED);
  const terms = new GenerationMemory<string, NamedTerm>(database, MAX_REMEMBERED);

  async function readUris(id: number): Promise<readonly string[]> {
    const row = await database.first('SELECT json_group_array(uri) FROM term_uri WHERE term_id = ?', [id]);
    return JSON.parse(String(row?.[0] ?? '[]')) as string[];
  }

  async function readFirst(uri: string): Promise<NamedTerm | undefined> {
    const row = await database.first(
      'SELECT t.id, t.label FROM term_uri u JOIN taxonomy_term t ON t.id = u.term_id WHERE u.uri = ? ORDER BY t.id LIMIT 1',
      [uri],
    );
    return row === undefined ? undefined : { id: Number(row[0]), name: String(row[1]) };
  }

  return {
    async of(ids) {
      const found = new Set<string>();
      for (const id of ids) for (const uri of (await uris.get(id, readUris)) ?? []) found.add(uri);
      return found;
    },
    first: (uri) => terms.get(uri, readFirst),
  };
}
