import type { InStatement } from '@libsql/client';
import { and, eq, sql } from 'drizzle-orm';
import { madeOnce } from '../../../base/made-once.ts';
import { query } from '../../../database/query-builder.ts';
import { derivativeJobs } from '../../../database/schema/derivatives.ts';
import { references, termUris } from '../../../database/schema/references.ts';
import { pathAliases } from '../../../database/schema/system.ts';
import { isAmong, isTextWithoutIndex, literal, requireOne } from '../../../database/sql.ts';
import { type Named, prepare, type Statement } from '../../../database/statement.ts';
import { forgetAccess } from '../../access/placement.ts';
import type { ContentType } from '../../access-rule.ts';
import { forgetIdentities } from '../../files/withdrawn-files.ts';
import { removeReferencesTo } from '../../remove-references-to.ts';
import { retrying } from '../../retrying.ts';
import { writePending } from '../../search-index/write-pending.ts';
import type { Content } from '../content.ts';
import type { ContentKind } from '../kinds.ts';
import type { Services } from '../services.ts';
import { tombstoneStatements } from '../tombstones.ts';
import { removeParagraphsOf } from './adopt-paragraphs.ts';
import { indexRemoved } from './index-content.ts';
import { forgetPlacesOfMedia, forgetPlacesOfMediaIn } from './media-places.ts';
import { forgetPlaces } from './member-places.ts';
import { settleRemoved } from './settle-removed.ts';
import { failIfMoved, withDescendants } from './terms-to-remove.ts';
import { pathPrefix } from './write-content.ts';

/** Maximum number of narrower terms that one transaction removes: other requests wait for it. */
const TERMS_AT_ONCE = 500;

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
 * returns the last statements of the transaction. Many narrower terms are removed in transactions of their own before.
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
    const ids = isTerm ? await withDescendants(database, head.id) : [head.id];
    const all = JSON.stringify(ids);
    const uris = isTerm ? await database.all(findUris({ ids: all })) : [];
    check(
      content,
      uris.map(({ uri }) => uri),
    );
    // The narrowest first, so that an interruption leaves no term without its broader ones.
    while (ids.length > TERMS_AT_ONCE)
      await database.write(removalOf(kind, head.id, JSON.stringify(ids.splice(0, TERMS_AT_ONCE)), all));
    await database.write([
      ...settleRemoved(content),
      statementsOf(kind).removeVersion({ id: head.id, version: head.version }),
      requireOne('stale'),
      ...(await indexRemoved(services, content)),
      ...(await tombstoneStatements(services, content)),
      ...removalOf(kind, head.id, JSON.stringify(ids), all),
      ...after(content),
    ]);
    services.removals.wake();
    if (kind.type !== 'media') await writePending(services);
  });
}

/** Returns the statements that remove a media, except for its index. It must have the same version as when it was read. */
export function removalOfMedia(content: Content): InStatement[] {
  const { kind, head } = content;
  const ids = JSON.stringify([head.id]);
  return [
    ...settleRemoved(content),
    statementsOf(kind).removeVersion({ id: head.id, version: head.version }),
    requireOne('stale'),
    ...removalOf(kind, head.id, ids, ids),
  ];
}

/** Returns the statements that remove the row of a merged term, to which nothing refers any more. */
export function removalOfMerged(kind: ContentKind, id: number): Statement[] {
  const ids = JSON.stringify([id]);
  const { remove, removeReferences } = statementsOf(kind);
  return [
    remove({ ids }),
    removeReferences({ ids }),
    ...removeReferencesTo(kind.type, ids),
    ...removeParagraphsOf(kind.type, ids),
  ];
}

/** Returns the statements that remove content, which for a term are a part of the terms to remove. Both lists are JSON. */
function removalOf(kind: ContentKind, id: number, ids: string, all: string): Statement[] {
  const { remove, removeReferences, removeAliases } = statementsOf(kind);
  const isTerm = kind.type === 'taxonomy_term';
  return [
    ...(isTerm ? [failIfMoved({ id, ids, all }), remove({ ids }), removeUris({ ids })] : []),
    ...forgetJobs(kind.type, ids),
    ...(kind.type === 'node' ? [forgetPlaces({ ids }), forgetPlacesOfMediaIn({ ids }), forgetAccess(ids)] : []),
    ...(kind.type === 'media' ? [forgetPlacesOfMedia({ ids })] : []),
    removeReferences({ ids }),
    removeAliases({ ids }),
    ...removeReferencesTo(kind.type, ids),
    ...removeParagraphsOf(kind.type, ids),
  ];
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

/**
 * Returns statements that remove the open jobs of removed content, and the identities of its withdrawn files. A running job
 * detects that at its end.
 */
function forgetJobs(type: ContentType, ids: string): Statement[] {
  if (type === 'node') return [forgetJobsOfNodes({ ids })];
  return type === 'media' ? [forgetJobsOfMedia({ ids }), forgetIdentities(ids)] : [];
}
