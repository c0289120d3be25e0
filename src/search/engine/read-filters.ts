import type { Database } from '../../database/database.ts';
import type { SearchQuery } from '../search-types.ts';
import type { FacetSetup } from '../setup.ts';
import type { FacetDictionary } from './facet-dictionary.ts';
import { findValues } from './labels.ts';
import { MAX_VALUES } from './select-nodes.ts';

/** A value that nodes must have. */
export interface Filter {
  readonly facet: number;
  /** As `FacetCount.value`. */
  readonly text: string;
  /** Its number in the dictionary; undefined if no node has had it. */
  readonly number: number | undefined;
}

interface ReadFilters {
  readonly filters: readonly Filter[];
  /** Sentences about filters that were left out. */
  readonly ignored: readonly string[];
}

const MAX_SHOWN_CHARACTERS = 30;

/** The kinds whose values are texts with an id in `facet_value`. */
const TEXT_KINDS: ReadonlySet<string> = new Set(['agent', 'file_type', 'bundle', 'rights']);

/** True if the values of a facet are texts. */
export function hasTexts({ kind }: FacetSetup): boolean {
  return TEXT_KINDS.has(kind);
}

/** Finds the values of the filters of a query. */
export async function readFilters(
  database: Database,
  facets: readonly FacetSetup[],
  dictionary: FacetDictionary,
  { filters: given = {} }: SearchQuery,
): Promise<ReadFilters> {
  const ignored: string[] = [];
  const wanted: { facet: number; setup: FacetSetup; text: string }[] = [];
  for (const [name, texts] of Object.entries(given)) {
    const facet = facets.findIndex((each) => each.name === name);
    const setup = facets[facet];
    if (setup === undefined) ignored.push(`There is no facet "${name.slice(0, MAX_SHOWN_CHARACTERS)}".`);
    else for (const text of new Set(texts)) wanted.push({ facet, setup, text });
  }
  if (wanted.length > MAX_VALUES) ignored.push(`Only the first ${MAX_VALUES} filters were used.`);
  const used = wanted.slice(0, MAX_VALUES);
  const texts = used.filter(({ setup, text }) => hasTexts(setup) && !text.includes('\0')).map(({ text }) => text);
  const values = await findValues(database, texts);
  const filters = used.map(({ facet, setup, text }) => {
    const value = hasTexts(setup) ? values.get(text) : numberOf(text);
    return { facet, text, number: value === undefined ? undefined : dictionary.find(facet, value) };
  });
  return { filters, ignored };
}

/** Returns a number as the index has it: 32 bits without sign. */
function numberOf(text: string): number | undefined {
  return /^-?\d{1,10}$/.test(text) ? Number(text) >>> 0 : undefined;
}
