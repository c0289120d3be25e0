import type { InStatement } from '@libsql/client';
import { and, eq, type SQLWrapper, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { madeOnce } from '../../../base/made-once.ts';
import type { Database } from '../../../database/database.ts';
import { query } from '../../../database/query-builder.ts';
import { derivativeJobs } from '../../../database/schema/derivatives.ts';
import { references, termUris } from '../../../database/schema/references.ts';
import { pathAliases } from '../../../database/schema/system.ts';
import { failIf, isAmong, isText, isTextWithoutIndex, literal, requireOne } from '../../../database/sql.ts';
import { type Named, plain, prepare, type Statement } from '../../../database/statement.ts';
import type { ContentType } from '../../access-rule.ts';
import { removeReferencesTo } from '../../remove-references-to.ts';
import { retrying } from '../../retrying.ts';
import { writePending } from '../../search-index/write-pending.ts';
import type { Content } from '../content.ts';
import type { ContentKind } from '../kinds.ts';
import type { Services } from '../services.ts';
import { removeParagraphsOf } from './adopt-paragraphs.ts';
import { indexRemoved } from './index-content.ts';
import { settleRemoved } from './settle-removed.ts';
import { pathPrefix } from './write-content.ts';

/** Maximum number of descendants of a term: more are a cycle or an attack. */
const MAX_DESCENDANTS = 100_000;

/** A JSON list of ids. */
type Ids = { readonly ids: string };

const statementsOf = madeOnce(({ type, table }: ContentKind) => ({
  removeVersion: prepare(({ id, version }: Named<{ id: number; version: number }>) =>
    query.delete(table).where(and(eq(table.id, id), eq(table.version, version))),
  ),
  remove: prepare(({ ids }: Named<Ids>) => query.delete(table).where(isAmong(table.id, ids))),
  removeReferences: prepare(({ ids }: Named<Ids>) =>
    query.delete(references).where(and(eq(references.sourceType, type), isAmong(references.sourceId, ids))),
  ),
  removeAliases: prepare(({ ids }: Named<Ids>) => {
    const paths = sql`(SELECT ${literal(pathPrefix(type))} || value FROM json_each(${ids}))`;
    return query.delete(pathAliases).where(sql`${pathAliases.path} IN ${paths}`);
  }),
}));

const findUris = prepare(({ ids }: Named<Ids>) =>
  query.select({ uri: termUris.uri }).from(termUris).where(isAmong(termUris.termId, ids)),
);
const removeUris = prepare(({ ids }: Named<Ids>) => query.delete(termUris).where(isAmong(termUris.termId, ids)));

/**
 * Removes a node, media, term or paragraph with its revisions and paragraphs. Media of a node and files of a media
 * stay; referring entities lose the reference, behind the removal if they are many (`removal-task.ts`). Removes descendants of a term without another parent too (spec:
 * rest-behaviour, 4). `check` throws if the content must not be removed; `uris` are those of the terms to remove. `after`
 * returns the last statements of the transaction.
 */
export function removeContent(
  services: Services,
  read: () => Promise<Content>,
  check: (content: Content, uris: readonly string[]) => void,
  after: (content: Content) => readonly InStatement[] = () => [],
): Promise<void> {
  const { database } = services;
  return retrying(undefined, async () => {
    const content = await read();
    const { kind, head } = content;
    const isTerm = kind.type === 'taxonomy_term';
    const ids = JSON.stringify(isTerm ? await withDescendants(database, head.id) : [head.id]);
    const uris = isTerm ? await database.all(findUris({ ids })) : [];
    check(
      content,
      uris.map(({ uri }) => uri),
    );
    const { removeVersion, remove, removeReferences, removeAliases } = statementsOf(kind);
    await database.write([
      ...settleRemoved(content),
      removeVersion({ id: head.id, version: head.version }),
      requireOne('stale'),
      ...(isTerm ? [failIfMoved({ id: head.id, ids }), remove({ ids }), removeUris({ ids })] : []),
      ...(await indexRemoved(services, content)),
      ...forgetJobs(kind.type, ids),
      removeReferences({ ids }),
      removeAliases({ ids }),
      ...removeReferencesTo(kind.type, ids),
      ...removeParagraphsOf(kind.type, ids),
      ...after(content),
    ]);
    services.removals.wake();
    if (kind.type !== 'media') await writePending(services);
  });
}

const isOpen = sql`${derivativeJobs.endedAt} IS NULL`;
const forgetJobsOfNodes = prepare(({ ids }: Named<Ids>) =>
  query.delete(derivativeJobs).where(and(isOpen, isAmong(derivativeJobs.nodeId, ids))),
);
const forgetJobsOfMedia = prepare(({ ids }: Named<Ids>) => {
  const isReference = and(eq(references.sourceType, 'media'), isAmong(references.sourceId, ids));
  const hosts = query
    .select({ id: references.targetId })
    .from(references)
    .where(and(isReference, isTextWithoutIndex(references.targetType, 'node')));
  const isOfMedia = isAmong(derivativeJobs.mediaId, ids);
  return query.delete(derivativeJobs).where(and(isOpen, sql`${derivativeJobs.nodeId} IN ${hosts}`, isOfMedia));
});

/** Returns statements that remove the open jobs of removed content. A running job detects that at its end. */
function forgetJobs(type: ContentType, ids: string): Statement[] {
  if (type === 'node') return [forgetJobsOfNodes({ ids })];
  return type === 'media' ? [forgetJobsOfMedia({ ids })] : [];
}

const link = alias(references, 'link');
const child = alias(references, 'child');

/** Returns the condition that a row of references is one of a term to its parent. */
const isLink = ({ sourceType, targetType, field }: typeof link | typeof child) =>
  sql`${sourceType} = 'taxonomy_term' AND ${targetType} = 'taxonomy_term' AND ${field} = 'parent'`;

const findBelow = prepare(({ id }: Named<{ id: number }>) =>
  plain(
    sql`WITH RECURSIVE below (id) AS (
        SELECT ${link.sourceId} FROM ${references} ${link} WHERE ${link.targetId} = ${id} AND ${isLink(link)}
        UNION
        SELECT ${link.sourceId} FROM below b CROSS JOIN ${references} ${link} ON ${link.targetId} = b.id AND ${isLink(link)}
        LIMIT ${sql.raw(String(MAX_DESCENDANTS))})
      SELECT id FROM below WHERE id <> ${id}`,
    { id: link.sourceId },
  ),
);
const findLinks = prepare(({ ids }: Named<Ids>) =>
  query
    .select({ child: link.sourceId, parent: link.targetId })
    .from(link)
    .where(
      and(
        isText(link.sourceType, 'taxonomy_term'),
        isAmong(link.sourceId, ids),
        isText(link.field, 'parent'),
        isTextWithoutIndex(link.targetType, 'taxonomy_term'),
      ),
    ),
);

/** Returns a term and the terms below it that have no parent elsewhere. */
async function withDescendants(database: Database, id: number): Promise<number[]> {
  const below = await database.all(findBelow({ id }));
  const removed = new Set([id, ...below.map((term) => term.id)]);
  const links = await database.all(findLinks({ ids: JSON.stringify([...removed]) }));
  // A term with another parent stays, and so do its own descendants.
  for (let before = -1; before !== removed.size; ) {
    before = removed.size;
    for (const { child: term, parent } of links) if (term !== id && !removed.has(parent)) removed.delete(term);
  }
  return [...removed];
}

/**
 * Fails a batch if terms were moved since `withDescendants` read them: one of `ids` has another parent now, or none, or
 * another term has only removed parents.
 */
const failIfMoved = prepare(({ id, ids }: Named<{ id: number; ids: string }>) => {
  const gone = sql`(SELECT value FROM json_each(${ids}))`;
  const hasLink = (term: SQLWrapper, more = sql``) =>
    sql`EXISTS (SELECT 1 FROM ${references} ${link} WHERE ${isLink(link)} AND ${link.sourceId} = ${term}${more})`;
  const elsewhere = sql` AND ${link.targetId} NOT IN ${gone}`;
  const term = sql`j.value`;
  return failIf(
    'stale',
    sql`EXISTS (SELECT 1 FROM json_each(${ids}) j WHERE ${term} <> ${id}
        AND (NOT ${hasLink(term)} OR ${hasLink(term, elsewhere)}))
      OR EXISTS (SELECT 1 FROM ${references} ${child} WHERE ${isLink(child)} AND ${child.targetId} IN ${gone}
        AND ${child.sourceId} NOT IN ${gone} AND NOT ${hasLink(child.sourceId, elsewhere)})`,
  );
});
