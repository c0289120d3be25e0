import type { InStatement } from '@libsql/client';
import { and, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { query } from '../database/query-builder.ts';
import { references } from '../database/schema/references.ts';
import { type Named, prepare } from '../database/statement.ts';
import type { Access } from '../repository/access-rule.ts';
import type { Actor } from '../repository/actor.ts';
import type { Content } from '../repository/content/content.ts';
import { removeContent } from '../repository/content/write/remove-content.ts';
import { removeWithFiles } from '../repository/media/remove-with-files.ts';
import { isMediaOf, isNodeOf } from '../repository/relations.ts';
import type { BulkParts } from './bulk-parts.ts';
import { ItemSkipped } from './item-skipped.ts';

type Parts = Pick<BulkParts, 'services' | 'findContent'>;

interface RemoveOptions {
  readonly content: Content;
  readonly read: () => Promise<Content>;
  readonly check: (content: Content) => void;
  readonly withMedia: boolean;
  /** True to remove the files of removed media, too. */
  readonly withFiles?: boolean;
  readonly settle: (content: Content) => readonly InStatement[];
}

/** Removes an item as a DELETE does, with `withMedia` after the media that belong to no other node. */
export async function removeItem(parts: Parts, actor: Actor, options: RemoveOptions): Promise<void> {
  const { content, read, check, settle } = options;
  const { services, findContent } = parts;
  if (options.withMedia && content.kind.type === 'node') {
    const rows = await services.database.all(ownMedia({ nodeId: content.head.id }));
    // A media may name the node twice.
    const mediaIds = new Set(rows.map(({ id }) => id));
    const media = await Promise.all(Array.from(mediaIds, (id) => findContent('media', id)));
    const mayRemove = (each: Content) => each.kind.access.remove(actor, each.head).isAllowed;
    // Before anything is deleted: an item is deleted with all of its media or not at all.
    if (media.some((each) => each !== undefined && !mayRemove(each)))
      throw new ItemSkipped('You may not delete all of its media.');
    for (const id of mediaIds)
      await removeMedia(parts, actor, id, { mayRemove, withFiles: options.withFiles === true });
  }
  if (options.withFiles && content.kind.type === 'media')
    await removeWithFiles(services, actor, {
      read,
      check: (current, ofFiles) => {
        check(current);
        requireFiles(ofFiles);
      },
      after: settle,
    });
  else await removeContent(services, read, check, settle);
}

function requireFiles(ofFiles: readonly Access[]): void {
  const denied = ofFiles.find(({ isAllowed }) => !isAllowed);
  if (denied !== undefined) throw new ItemSkipped('You may not delete all of its files.');
}

interface RemoveMedia {
  readonly mayRemove: (content: Content) => boolean;
  readonly withFiles: boolean;
}

async function removeMedia(
  { services, findContent }: Parts,
  actor: Actor,
  id: number,
  { mayRemove, withFiles }: RemoveMedia,
): Promise<void> {
  const read = async () => {
    const content = await findContent('media', id);
    if (content === undefined) throw new MediaGone();
    return content;
  };
  try {
    const check = (content: Content) => {
      if (!mayRemove(content)) throw new ItemSkipped('You may not delete all of its media.');
    };
    if (!withFiles) return await removeContent(services, read, check);
    await removeWithFiles(services, actor, {
      read,
      check: (content, ofFiles) => {
        check(content);
        requireFiles(ofFiles);
      },
    });
  } catch (error) {
    // Another request was faster.
    if (!(error instanceof MediaGone)) throw error;
  }
}

class MediaGone extends Error {}

const other = alias(references, 'other');

const ownMedia = prepare(({ nodeId }: Named<{ nodeId: number }>) =>
  query
    .select({ id: references.sourceId })
    .from(references)
    .where(
      and(
        isMediaOf(references, nodeId),
        sql`NOT EXISTS (SELECT 1 FROM ${references} ${other}
          WHERE ${isNodeOf(other, references.sourceId)} AND ${other.targetId} <> ${nodeId})`,
      ),
    ),
);
