import { sql } from 'drizzle-orm';
import { Cache } from '../../base/cache.ts';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { facetValues } from '../../database/schema/search.ts';
import { isAmong, namesOf } from '../../database/sql.ts';
import { type Named, plain, prepare } from '../../database/statement.ts';
import type { Fields, FieldTypes } from '../../field-types/field-type.ts';
import type { ContentModel } from '../../model/content-model.ts';
import { createWaker, type Waker } from '../../runs/waker.ts';
import type { BaseServices } from '../base-services.ts';
import type { Schemes } from '../files/scheme.ts';
import { createIndexModel, type IndexModel } from './index-model.ts';
import { createTextUses, type TextUses } from './text-uses.ts';

/** The state of the index writer of a process. */
export interface SearchIndex extends Waker {
  readonly model: IndexModel;
  readonly facetValues: FacetValues;
  readonly uses: TextUses;
}

/** The services that writing the index needs. */
export interface SearchServices extends BaseServices, Schemes {
  readonly fields: Fields;
  readonly search: SearchIndex;
}

/** Creates the writer of the search index of a process. */
export function createSearchIndex(database: Database, model: ContentModel, types: FieldTypes): SearchIndex {
  return {
    model: createIndexModel(model, types),
    facetValues: createFacetValues(database),
    uses: createTextUses(database),
    ...createWaker(),
  };
}

/** The numbers that stand for texts in facets. A number never changes, and is never removed. */
interface FacetValues {
  /** Returns the numbers of texts; a promise only if one is not known yet. */
  numbersOf(texts: ReadonlySet<string>): ReadonlyMap<string, number> | Promise<ReadonlyMap<string, number>>;
}

const MAX_BYTES = 4 * 1024 * 1024;

const findNumbers = prepare(({ texts }: Named<{ texts: string }>) =>
  query
    .select({ id: facetValues.id, text: facetValues.text })
    .from(facetValues)
    .where(isAmong(facetValues.text, texts)),
);
const addTexts = prepare(({ texts }: Named<{ texts: string }>) =>
  plain(sql`INSERT OR IGNORE INTO ${facetValues} (${namesOf(facetValues.text)}) SELECT value FROM json_each(${texts})`),
);

function createFacetValues(database: Database): FacetValues {
  const known = new Cache<number>({ maxBytes: MAX_BYTES, bytesOf: () => 0 });

  async function add(numbers: Map<string, number>, missing: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const texts = JSON.stringify(missing);
    let rows = await database.all(findNumbers({ texts }));
    if (rows.length < missing.length)
      ({ rows } = await database.write({ added: addTexts({ texts }), rows: findNumbers({ texts }) }));
    for (const { id, text } of rows) {
      known.set(text, id);
      numbers.set(text, id);
    }
    return numbers;
  }

  return {
    numbersOf(texts) {
      const numbers = new Map<string, number>();
      const missing: string[] = [];
      for (const text of texts) {
        const number = known.get(text);
        if (number === undefined) missing.push(text);
        else numbers.set(text, number);
      }
      return missing.length === 0 ? numbers : add(numbers, missing);
    },
  };
}
