import { Cache } from '../../base/cache.ts';
import type { FieldDefinition } from '../../model/content-model.ts';
import type { LoadContext } from '../table/table-options.ts';

/** What cells call terms. */
export interface TermCells {
  /** Makes these known: to be called before they are asked for. */
  load(ids: Iterable<number>): Promise<void>;
  /** What a cell of a field calls a term; `isById` where nothing else says which it is. Undefined for one that is gone. */
  cell(id: number, definition: FieldDefinition): TermCell | undefined;
}

export interface TermCell {
  readonly text: string;
  readonly isById: boolean;
}

interface KnownTerm {
  readonly vocabulary: string;
  readonly name: string;
  /** Whether its name, or its URI, leads to it and to no other. */
  readonly isNamed: boolean;
  readonly uri: string | undefined;
}

const MAX_BYTES = 16 * 1024 * 1024;
/** Estimated bytes of a term beside its texts. */
const TERM_BYTES = 60;
const LIKE_AN_ID = /^\d{1,15}$/;
const LIKE_A_URI = /^https?:\/\//i;

const TERMS = `SELECT t.id, t.bundle, t.label, t.status,
    (SELECT count(*) FROM taxonomy_term o WHERE o.bundle = t.bundle AND o.folded_label = t.folded_label AND o.status = 1),
    (SELECT u.uri FROM term_uri u WHERE u.term_id = t.id
      AND NOT EXISTS (SELECT 1 FROM term_uri x WHERE x.uri = u.uri AND x.term_id <> t.id) ORDER BY u.delta LIMIT 1)
  FROM taxonomy_term t WHERE t.id IN (SELECT value FROM json_each(?))`;

/** `subdelimiter` is what stands between the values of a cell: a name that holds it is told by its URI. */
export function createTermCells({ services }: LoadContext, subdelimiter: string): TermCells {
  const { vocabularies } = services.model;
  const known = new Cache<KnownTerm, number>({
    maxBytes: MAX_BYTES,
    bytesOf: ({ name, uri = '' }) => TERM_BYTES + name.length + uri.length,
  });

  async function load(ids: Iterable<number>): Promise<void> {
    const wanted = [...new Set(ids)].filter((id) => known.get(id) === undefined);
    if (wanted.length === 0) return;
    const { rows } = await services.database.client.execute({ sql: TERMS, args: [JSON.stringify(wanted)] });
    for (const [id, vocabulary, name, status, namesakes, uri] of rows.map((row) => Array.from(row))) {
      const isPublished = status === 1;
      known.set(Number(id), {
        vocabulary: String(vocabulary),
        name: String(name),
        // A name in a cell is read without the blanks around it.
        isNamed: isPublished && namesakes === 1 && String(name) === String(name).trim(),
        uri: isPublished && LIKE_A_URI.test(String(uri)) ? String(uri) : undefined,
      });
    }
  }

  function nameIn({ vocabulary, name }: KnownTerm, { targetBundles }: FieldDefinition): string {
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
