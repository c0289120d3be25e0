import { setImmediate } from 'node:timers/promises';
import { and, asc, eq, exists, lt, not, or, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { madeOnce } from '../../../base/made-once.ts';
import { query } from '../../../database/query-builder.ts';
import { terms } from '../../../database/schema/content.ts';
import { references, termUris } from '../../../database/schema/references.ts';
import { isText } from '../../../database/sql.ts';
import { type Named, plain, prepare } from '../../../database/statement.ts';
import type { EntityType } from '../../../model/content-model.ts';
import type { Actor } from '../../actor.ts';
import { type Content, foldLabel } from '../content.ts';
import type { ContentKind } from '../kinds.ts';
import { findAllContent } from '../read/find-content.ts';
import type { Services } from '../services.ts';
import { preparePerVisibility, type ViewerValues, viewerValues } from '../visible-rows.ts';

/** A page of a list, in entities. */
export interface Page {
  readonly limit: number;
  readonly offset: number;
}

/** Maximum number of entities per read, so that other requests proceed in between. */
const BATCH_SIZE = 100;
/** Maximum size of the documents of a batch of several: a libSQL server returns at most 10 MB. */
const MAX_BATCH_BYTES = 4_000_000;

interface ReferenceFilter {
  readonly targetType: EntityType;
  readonly targetId: number;
  readonly field: string;
}

/** The id of listed content, and the length of its document in bytes. */
interface ListedContent {
  readonly id: number;
  readonly bytes: number;
}

const earlier = alias(references, 'earlier');

const referrers = preparePerVisibility(({ type, table }: ContentKind, visible) =>
  prepare((values: Named<ReferenceFilter & PageOf>) =>
    query
      .select({ id: references.sourceId, bytes: sql<number>`octet_length(${table.document})` })
      .from(references)
      .innerJoin(table, eq(table.id, references.sourceId))
      .where(
        and(
          eq(references.targetType, values.targetType),
          eq(references.targetId, values.targetId),
          isText(references.sourceType, type),
          eq(references.field, values.field),
          // An entity may refer to its target twice; only the first item counts. Most items have delta 0.
          or(
            sql`${references.delta} = 0`,
            not(
              exists(
                query
                  .select({ delta: earlier.delta })
                  .from(earlier)
                  .where(
                    and(
                      eq(earlier.sourceType, references.sourceType),
                      eq(earlier.sourceId, references.sourceId),
                      eq(earlier.field, references.field),
                      lt(earlier.delta, references.delta),
                      eq(earlier.targetType, references.targetType),
                      eq(earlier.targetId, references.targetId),
                    ),
                  ),
              ),
            ),
          ),
          visible(table, values),
        ),
      )
      .orderBy(references.weight, references.sourceId)
      .limit(values.limit)
      .offset(values.offset),
  ),
);

/** The values of a page, for an actor. */
type PageOf = ViewerValues & Page;

const valuesOf = (actor: Actor, page: Page | undefined): PageOf => ({
  ...viewerValues(actor),
  limit: page?.limit ?? -1,
  offset: page?.offset ?? 0,
});

/** The content of a page, in batches. */
interface ContentBatches {
  readonly batches: AsyncGenerator<Content[]>;
  /** True if another page follows. */
  readonly hasMore: boolean;
}

/**
 * Finds the content that refers to an entity by a field and that the actor may see, by weight and then by id: the media of a
 * node, the members of a collection.
 */
export async function findReferrers(
  services: Services,
  kind: ContentKind,
  referring: ReferenceFilter,
  actor: Actor,
  page: Page | undefined,
): Promise<ContentBatches> {
  const oneMore = page && { ...page, limit: page.limit + 1 };
  const rows = await services.database.all(referrers(kind, actor)({ ...referring, ...valuesOf(actor, oneMore) }));
  const hasMore = page !== undefined && rows.length > page.limit;
  return { batches: inBatches(services, kind, hasMore ? rows.slice(0, page.limit) : rows), hasMore };
}

const termsOf = preparePerVisibility((_: ContentKind, visible) =>
  prepare((values: Named<{ vocabulary: string } & PageOf>) =>
    query
      .select({ id: terms.id, bytes: sql<number>`octet_length(${terms.document})` })
      .from(terms)
      .where(and(eq(terms.bundle, values.vocabulary), visible(terms, values)))
      .orderBy(sql`${terms.document} ->> '$.weight[0].value'`, terms.sortLabel, terms.id)
      .limit(values.limit)
      .offset(values.offset),
  ),
);

/** Yields the terms of a vocabulary that the actor may see, by weight and then by name. */
export async function* listTerms(
  services: Services,
  kind: ContentKind,
  vocabulary: string,
  actor: Actor,
  page: Page | undefined,
): AsyncGenerator<Content[]> {
  const find = termsOf(kind, actor)({ vocabulary, ...valuesOf(actor, page) });
  yield* inBatches(services, kind, await services.database.all(find));
}

const termsNamed = prepare(({ vocabulary, name }: Named<{ vocabulary: string; name: string }>) =>
  query
    .select({ id: terms.id })
    .from(terms)
    .where(and(eq(terms.bundle, vocabulary), eq(terms.foldedLabel, name), eq(terms.status, true)))
    .orderBy(asc(terms.id)),
);

/** Returns the published terms of a vocabulary with a name, in upper or lower case. */
export async function findTermsByName(
  services: Services,
  kind: ContentKind,
  vocabulary: string,
  name: string,
): Promise<Content[]> {
  const terms = await services.database.all(termsNamed({ vocabulary, name: foldLabel(name) }));
  return readAll(services, kind, terms);
}

const termsWithUri = prepare(({ uri, field }: Named<{ uri: string; field: string }>) =>
  query
    .selectDistinct({ id: terms.id })
    .from(termUris)
    .innerJoin(terms, eq(terms.id, termUris.termId))
    .where(and(eq(termUris.uri, uri), eq(termUris.field, field), eq(terms.status, true)))
    .orderBy(asc(terms.id)),
);

/** Returns the published terms with a URI in a field. */
export async function findTermsByUri(
  services: Services,
  kind: ContentKind,
  field: string,
  uri: string,
): Promise<Content[]> {
  return readAll(services, kind, await services.database.all(termsWithUri({ uri, field })));
}

const listed = madeOnce(({ table }: ContentKind) =>
  prepare(({ ids }: Named<{ ids: string }>) =>
    plain(
      sql`SELECT ${table.id}, octet_length(${table.document}) FROM json_each(${ids}) list
        JOIN ${table} ON ${table.id} = list.value ORDER BY list.key`,
      { id: table.id, bytes: sql<number>`bytes` },
    ),
  ),
);

/** Yields the content with the given ids, in their order, in batches, without content that was deleted meanwhile. */
export async function* readListed(
  services: Services,
  kind: ContentKind,
  ids: readonly number[],
): AsyncGenerator<Content[]> {
  for (let start = 0; start < ids.length; start += BATCH_SIZE) {
    const batch = JSON.stringify(ids.slice(start, start + BATCH_SIZE));
    yield* inBatches(services, kind, await services.database.all(listed(kind)({ ids: batch })));
  }
}

async function* inBatches(
  services: Services,
  kind: ContentKind,
  rows: readonly ListedContent[],
): AsyncGenerator<Content[]> {
  for (let start = 0; start < rows.length; ) {
    const end = endOfBatch(rows, start);
    const batch = rows.slice(start, end);
    start = end;
    yield await readAll(services, kind, batch);
    await setImmediate();
  }
}

function endOfBatch(rows: readonly ListedContent[], start: number): number {
  let end = start;
  for (let bytes = 0; end < rows.length && end < start + BATCH_SIZE; end++) {
    bytes += rows[end]?.bytes ?? 0;
    if (bytes > MAX_BATCH_BYTES && end > start) break;
  }
  return end;
}

/** Returns content in the order of the rows, without content that was deleted meanwhile. */
async function readAll(
  { database }: Services,
  kind: ContentKind,
  rows: readonly { readonly id: number }[],
): Promise<Content[]> {
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return [];
  const contents = new Map((await findAllContent(database, kind, ids)).map((content) => [content.head.id, content]));
  return ids.flatMap((id) => contents.get(id) ?? []);
}
