import { and, asc, eq, sql } from 'drizzle-orm';
import { query } from '../../../database/query-builder.ts';
import { nodes } from '../../../database/schema/content.ts';
import { isAmong } from '../../../database/sql.ts';
import { type Named, prepare } from '../../../database/statement.ts';
import type { Bundle, ContentModel } from '../../../model/content-model.ts';
import type { BaseServices } from '../../base-services.ts';

/** The maximum number of pages that are offered for a menu. */
const MAX_PAGES = 100;

/** A page of the site that is no item, such as "About". */
interface PlainPage {
  readonly id: number;
  readonly label: string;
}

const findPages = prepare(({ bundles }: Named<{ bundles: string }>) =>
  query
    .select({ id: nodes.id, label: nodes.label })
    .from(nodes)
    .where(and(eq(nodes.status, true), isAmong(nodes.bundle, bundles)))
    .orderBy(asc(sql`${nodes.label} COLLATE NOCASE`), asc(nodes.id))
    .limit(MAX_PAGES),
);

/**
 * Returns the node types whose nodes are pages of the site rather than items: they have no model. None in a content model without
 * models of items.
 */
export function plainPageTypes({ nodeTypes }: Pick<ContentModel, 'nodeTypes'>): string[] {
  const [items, pages] = [
    [...nodeTypes.values()].filter(hasModel),
    [...nodeTypes.values()].filter((type) => !hasModel(type)),
  ];
  return items.length === 0 ? [] : pages.map(({ name }) => name);
}

function hasModel({ fieldNamed }: Pick<Bundle, 'fieldNamed'>): boolean {
  return fieldNamed.has('field_model');
}

/** Finds the published pages of the site, at most 100, by title. */
export function findPlainPages({ database, model }: Pick<BaseServices, 'database' | 'model'>): Promise<PlainPage[]> {
  return database.all(findPages({ bundles: JSON.stringify(plainPageTypes(model)) }));
}
