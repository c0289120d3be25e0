import { sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { nodes, terms } from '../../database/schema/content.ts';
import { references, termUris } from '../../database/schema/references.ts';
import { facetValues } from '../../database/schema/search.ts';
import { isAmong, nested } from '../../database/sql.ts';
import { type Named, prepare } from '../../database/statement.ts';
import type { SearchSetup } from '../setup.ts';

interface Label {
  readonly id: number;
  readonly label: string;
  readonly status: boolean;
  readonly ownerId: number;
}

/** The names of facet values, by their ids. */
export interface Labels {
  readonly terms: ReadonlyMap<number, Label>;
  readonly nodes: ReadonlyMap<number, Label & { readonly isCollection: boolean }>;
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

/** Returns the labels of terms and nodes. `collectionUris` are those of the models of collections. */
export async function findLabels(
  database: Database,
  { collectionUris }: Pick<SearchSetup, 'collectionUris'>,
  ids: { readonly terms: readonly number[]; readonly nodes: readonly number[] },
): Promise<Labels> {
  const rows = await database.read({
    terms: labelsOfTerms({ ids: JSON.stringify(ids.terms) }),
    nodes: labelsOfNodes({ ids: JSON.stringify(ids.nodes), uris: JSON.stringify(collectionUris) }),
  });
  const withFlag = rows.nodes.map((node) => ({ ...node, isCollection: node.isCollection === 1 }));
  return {
    terms: new Map(rows.terms.map((row) => [row.id, row])),
    nodes: new Map(withFlag.map((row) => [row.id, row])),
  };
}

/** Returns the texts of facet values by their ids. */
export async function findTexts(database: Database, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  if (ids.length === 0) return new Map();
  const rows = await database.all(textsOfValues({ ids: JSON.stringify(ids) }));
  return new Map(rows.map(({ id, text }) => [id, text]));
}

/** Returns the ids of facet values by their texts. */
export async function findValues(database: Database, texts: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (texts.length === 0) return new Map();
  const rows = await database.all(valuesOfTexts({ texts: JSON.stringify(texts) }));
  return new Map(rows.map(({ id, text }) => [text, id]));
}
