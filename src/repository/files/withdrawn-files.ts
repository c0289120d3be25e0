import { eq } from 'drizzle-orm';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { type FileRow, withdrawnFiles } from '../../database/schema/files.ts';
import { isAmong } from '../../database/sql.ts';
import { type Named, prepare, type Statement } from '../../database/statement.ts';
import type { NewFile } from './file-rows.ts';

type Row = typeof withdrawnFiles.$inferInsert;

const insert = prepare((row: Named<Row>) => {
  const { mediaId, fileId, uuid, ownerId, langcode, uri, created } = row;
  return query
    .insert(withdrawnFiles)
    .values({ mediaId, fileId, uuid, ownerId, langcode, uri, created })
    .onConflictDoUpdate({ target: withdrawnFiles.mediaId, set: { fileId, uuid, ownerId, langcode, uri, created } });
});
const remove = prepare(({ ids }: Named<{ ids: string }>) =>
  query.delete(withdrawnFiles).where(isAmong(withdrawnFiles.mediaId, ids)),
);
const find = prepare(({ mediaId }: Named<{ mediaId: number }>) =>
  query.select().from(withdrawnFiles).where(eq(withdrawnFiles.mediaId, mediaId)),
);

/** Returns the statement that keeps the identity of a file that is removed from a media, for the next one. */
export function keepIdentity(mediaId: number, file: FileRow): Statement {
  const { id: fileId, uuid, ownerId, langcode, uri, created } = file;
  return insert({ mediaId, fileId, uuid, ownerId, langcode, uri, created });
}

/** Returns the statement that forgets the identities of the files of media. `ids` is a JSON list. */
export function forgetIdentities(ids: string): Statement {
  return remove({ ids });
}

/** Returns the identity of the file that was withdrawn from a media; undefined for none. */
export async function findIdentity(
  database: Database,
  mediaId: number,
): Promise<(Pick<NewFile, 'id' | 'uuid' | 'uri'> & Partial<NewFile>) | undefined> {
  const row = await database.get(find({ mediaId }));
  if (row === undefined) return undefined;
  const { fileId: id, mediaId: _media, ...identity } = row;
  return { id, ...identity };
}
