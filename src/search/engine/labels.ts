import { sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { Cache } from '../../base/cache.ts';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { nodes, terms } from '../../database/schema/content.ts';
import { references, termUris } from '../../database/schema/references.ts';
import { facetValues } from '../../database/schema/search.ts';
import { isAmong, nested } from '../../database/sql.ts';
import { type Named, prepare } from '../../database/statement.ts';
import { accessSetOf } from '../../repository/access/set-columns.ts';
import type { SearchSetup } from '../setup.ts';
import type { ViewedNode } from '../visible-to.ts';

interface Label {
  readonly id: number;
  readonly label: string;
  readonly status: boolean;
  readonly ownerId: number;
}

/** The names of facet values, by their ids. */
export interface Labels {
  readonly terms: ReadonlyMap<number, Label>;
  readonly nodes: ReadonlyMap<number, Label & ViewedNode & { readonly isCollection: boolean }>;
}

const model = alias(references, 'model');

const labelsOfTerms = prepare(({ ids }: Named<{ ids: string }>) =>
  query
    .select({ id: terms.id, label: terms.label, status: terms.status, ownerId: terms.ownerId })
    .from(terms)
    .where(isAmong(terms.id, ids)),
);
const labelsOfNodes = prepare(({ ids, uris }: Named<{ ids: string; uris: string }>) =>
  query
    .select({
      id: nodes.id,
      label: nodes.label,
      status: nodes.status,
      ownerId: nodes.ownerId,
      bundle: nodes.bundle,
      accessSet: accessSetOf(nodes.id),
      isCollection: nested(sql<number>`EXISTS (SELECT 1 FROM ${references} ${model} JOIN ${termUris}
        ON ${termUris.termId} = ${model.targetId} AND ${isAmong(termUris.uri, uris)}
        WHERE ${model.sourceType} = 'node' AND ${model.sourceId} = ${nodes.id} AND ${model.field} = 'field_model'
          AND ${model.targetType} = 'taxonomy_term')`),
    })
    .from(nodes)
    .where(isAmong(nodes.id, ids)),
);
const textsOfValues = prepare(({ ids }: Named<{ ids: string }>) =>
  query.select().from(facetValues).where(isAmong(facetValues.id, ids)),
);
const valuesOfTexts = prepare(({ texts }: Named<{ texts: string }>) =>
  query.select().from(facetValues).where(isAmong(facetValues.text, texts)),
);

/** `collectionUris` are those of the models of collections. */
type CollectionUris = Pick<SearchSetup, 'collectionUris'>;

/** Returns the labels of nodes. */
export async function findNodeLabels(
  database: Database,
  { collectionUris }: CollectionUris,
  ids: readonly number[],
): Promise<Labels['nodes']> {
  if (ids.length === 0) return new Map();
  const [nids, uris] = [JSON.stringify(ids), JSON.stringify(collectionUris)];
  const rows = await database.all(labelsOfNodes({ ids: nids, uris }));
  return new Map(rows.map((row) => [row.id, { ...row, isCollection: row.isCollection === 1 }]));
}

const MAX_BYTES_OF_TERMS = 4 * 1024 * 1024;
const MAX_BYTES_OF_TEXTS = 1024 * 1024;

/** Reads the names of facet values. Those of terms and texts are cached. */
export class LabelReader {
  readonly #database: Database;
  readonly #setup: CollectionUris;
  readonly #terms: Cache<Label, number>;
  readonly #texts = new Cache<string, number>({ maxBytes: MAX_BYTES_OF_TEXTS, bytesOf: (text) => text.length });

  /** `generation` returns the last known one (`Database.generation`). */
  constructor(database: Database, setup: CollectionUris, generation: () => number) {
    this.#database = database;
    this.#setup = setup;
    this.#terms = new Cache({
      maxBytes: MAX_BYTES_OF_TERMS,
      bytesOf: ({ label }) => label.length,
      state: generation,
    });
  }

  /** Returns the texts of facet values by their ids. */
  async texts(ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
    return this.#read(this.#texts, ids, async (missing) => {
      const rows = await this.#database.all(textsOfValues({ ids: missing }));
      return rows.map(({ id, text }) => [id, text]);
    });
  }

  /** Returns the labels of terms and nodes. */
  async labels(ids: { readonly terms: readonly number[]; readonly nodes: readonly number[] }): Promise<Labels> {
    const terms = await this.#read(this.#terms, ids.terms, async (missing) => {
      const rows = await this.#database.all(labelsOfTerms({ ids: missing }));
      return rows.map((row) => [row.id, row]);
    });
    return { terms, nodes: await findNodeLabels(this.#database, this.#setup, ids.nodes) };
  }

  async #read<Value>(
    cache: Cache<Value, number>,
    ids: readonly number[],
    read: (missing: string) => Promise<[number, Value][]>,
  ): Promise<ReadonlyMap<number, Value>> {
    const state = cache.state();
    const values = new Map<number, Value>();
    const missing: number[] = [];
    for (const id of ids) {
      const known = cache.get(id);
      if (known === undefined) missing.push(id);
      else values.set(id, known);
    }
    if (missing.length === 0) return values;
    for (const [id, value] of await read(JSON.stringify(missing))) {
      cache.set(id, value, { state });
      values.set(id, value);
    }
    return values;
  }
}

/** Returns the ids of facet values by their texts. */
export async function findValues(database: Database, texts: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (texts.length === 0) return new Map();
  const rows = await database.all(valuesOfTexts({ texts: JSON.stringify(texts) }));
  return new Map(rows.map(({ id, text }) => [text, id]));
}
