import type { InStatement } from '@libsql/client';
import { and, eq, ne, notExists, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { query } from '../../database/query-builder.ts';
import { files } from '../../database/schema/files.ts';
import { references } from '../../database/schema/references.ts';
import { discardedObjects } from '../../database/schema/system.ts';
import { isAmong, namesOf } from '../../database/sql.ts';
import { type Named, plain, prepare } from '../../database/statement.ts';
import { fileRemoveAccess } from '../access.ts';
import type { Access } from '../access-rule.ts';
import type { Actor } from '../actor.ts';
import type { Content } from '../content/content.ts';
import type { Services } from '../content/services.ts';
import { removeContent } from '../content/write/remove-content.ts';
import { GENERIC_ICON_URI } from '../files/generic-icon.ts';
import { storeOfRow } from '../files/stored-files.ts';
import { refersTo } from '../relations.ts';

/** A file of a media that no other content uses. */
interface OwnFile {
  readonly id: number;
  readonly ownerId: number;
  readonly storageKey: string;
  readonly store: string;
}

const own = alias(references, 'own');
const other = alias(references, 'other');

const findOwnFiles = prepare(({ mediaId }: Named<{ mediaId: number }>) =>
  query
    .selectDistinct({ id: files.id, ownerId: files.ownerId, storageKey: files.storageKey, store: storeOfRow })
    .from(own)
    .innerJoin(files, eq(files.id, own.targetId))
    .where(
      and(
        sql`${own.sourceType} = 'media' AND ${own.sourceId} = ${mediaId} AND +${own.targetType} = 'file'`,
        ne(files.uri, GENERIC_ICON_URI),
        notExists(
          query
            .select({ id: other.sourceId })
            .from(other)
            .where(
              and(
                refersTo(other, 'file', files.id),
                sql`NOT (${other.sourceType} = 'media' AND ${other.sourceId} = ${mediaId})`,
              ),
            ),
        ),
      ),
    ),
);

type Ids = Named<{ ids: string }>;
/** The condition that a listed file has no reference: another request may have added one. */
const isFree = ({ ids }: Ids) =>
  and(
    isAmong(files.id, ids),
    notExists(
      query
        .select({ id: references.sourceId })
        .from(references)
        .where(refersTo(references, 'file', files.id)),
    ),
  );
const discardObjects = prepare((named: Ids) =>
  plain(
    sql`INSERT INTO ${discardedObjects} (${namesOf(discardedObjects.storageKey, discardedObjects.scheme)})
      SELECT ${files.storageKey}, ${storeOfRow} FROM ${files} WHERE ${isFree(named)}`,
  ),
);
const removeRows = prepare((named: Ids) => query.delete(files).where(isFree(named)));
const findDiscarded = prepare(({ keys }: Named<{ keys: string }>) =>
  query
    .select({ store: discardedObjects.scheme, storageKey: discardedObjects.storageKey })
    .from(discardedObjects)
    .where(isAmong(discardedObjects.storageKey, keys)),
);

interface RemoveOptions {
  readonly read: () => Promise<Content>;
  /** Throws if the media, or with `ofFiles` one of its files, must not be removed. */
  readonly check: (content: Content, ofFiles: readonly Access[]) => void;
  /** Returns the last statements of the transaction. */
  readonly after?: (content: Content) => readonly InStatement[];
}

/** Removes a media together with its files that no other content uses, in one transaction; then their bytes. */
export async function removeWithFiles(
  services: Services,
  actor: Actor,
  { read, check, after = () => [] }: RemoveOptions,
): Promise<void> {
  const { database, discards } = services;
  let listed: readonly OwnFile[] = [];
  await removeContent(
    services,
    async () => {
      const content = await read();
      listed = await database.all(findOwnFiles({ mediaId: content.head.id }));
      return content;
    },
    (content) =>
      check(
        content,
        listed.map((file) => fileRemoveAccess(actor, file)),
      ),
    (content) => {
      const ids = JSON.stringify(listed.map(({ id }) => id));
      return [...after(content), discardObjects({ ids }), removeRows({ ids })];
    },
  );
  const keys = JSON.stringify(listed.map(({ storageKey }) => storageKey));
  database.refresh();
  for (const { store, storageKey } of await database.all(findDiscarded({ keys }))) discards.add(store, storageKey);
}
