import { asc, inArray, sql } from 'drizzle-orm';
import { madeOnce } from '../../base/made-once.ts';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { nodes, terms } from '../../database/schema/content.ts';
import { references, termUris } from '../../database/schema/references.ts';
import { type Named, plain, prepare, statementOf } from '../../database/statement.ts';
import type { Actor } from '../actor.ts';
import type { BaseServices } from '../base-services.ts';
import { isViewableNode, NODE_KIND } from '../content/hidden-nodes.ts';
import { hasStructure } from '../content/lists/card-list.ts';
import { preparePerActor, type ViewerValues, viewerValues } from '../content/visible-rows.ts';

/** An entity that a form offers. */
export interface EntityChoice {
  readonly id: number;
  readonly label: string;
}

/** Maximum number of offered entities. With more, a form asks for the number of one. */
export const MAX_CHOICES = 500;

const collectionsOf = madeOnce((model: BaseServices['model']) =>
  preparePerActor([NODE_KIND], (actor) =>
    prepare((values: Named<{ limit: number } & ViewerValues>) =>
      plain(
        sql`SELECT DISTINCT ${nodes.id}, ${nodes.label} FROM ${termUris}
        CROSS JOIN ${references} ON ${references.targetId} = ${termUris.termId}
        CROSS JOIN ${nodes} ON ${nodes.id} = ${references.sourceId}
        WHERE ${hasStructure(termUris.uri, model, 'collection')} AND ${references.targetType} = 'taxonomy_term'
          AND ${references.sourceType} = 'node' AND ${references.field} = 'field_model'
          AND ${isViewableNode(actor, sql`${references.sourceId}`, values)}
        ORDER BY ${nodes.label} COLLATE NOCASE, ${nodes.id} LIMIT ${values.limit}`,
        { id: nodes.id, label: nodes.label },
      ),
    ),
  ),
);

/** Returns the collections that the actor may view, by title. Undefined if they are too many to offer. */
export async function findCollectionChoices(
  { database, model }: Pick<BaseServices, 'database' | 'model'>,
  actor: Actor,
): Promise<EntityChoice[] | undefined> {
  const values = { ...viewerValues(actor), limit: MAX_CHOICES + 1 };
  const nodes = await database.all(collectionsOf(model)(actor)(values));
  return nodes.length > MAX_CHOICES ? undefined : nodes;
}

/** Returns the terms of vocabularies, by name. Undefined if they are too many to offer. */
export async function findTermChoices(
  database: Database,
  vocabularies: readonly string[],
): Promise<EntityChoice[] | undefined> {
  if (vocabularies.length === 0) return [];
  const choices = await database.all(
    statementOf(
      query
        .select({ id: terms.id, label: terms.label })
        .from(terms)
        .where(inArray(terms.bundle, [...vocabularies]))
        .orderBy(asc(terms.sortLabel), asc(terms.id))
        .limit(MAX_CHOICES + 1),
    ),
  );
  return choices.length > MAX_CHOICES ? undefined : choices;
}
