import { eq, sql } from 'drizzle-orm';
import type { Database } from '../../database/database.ts';
import { type FileRow, files } from '../../database/schema/files.ts';
import { users } from '../../database/schema/users.ts';

/** A file and who owns it. */
export interface FileEntity {
  readonly row: FileRow;
  readonly ownerUuid: string;
}

export interface FindFile {
  byId(id: number): Promise<FileEntity | undefined>;
  byUuid(uuid: string): Promise<FileRow | undefined>;
  /** By stream URI, as `public://a.png`. */
  byUri(uri: string): Promise<FileRow | undefined>;
}

/** Prepares the reading of files once. */
export function createFindFile({ query }: Database): FindFile {
  const byId = query
    .select({ row: files, ownerUuid: users.uuid })
    .from(files)
    .leftJoin(users, eq(users.id, files.ownerId))
    .where(eq(files.id, sql.placeholder('id')))
    .prepare();
  const byUuid = query
    .select()
    .from(files)
    .where(eq(files.uuid, sql.placeholder('uuid')))
    .prepare();
  const byUri = query
    .select()
    .from(files)
    .where(eq(files.uri, sql.placeholder('uri')))
    .prepare();
  return {
    async byId(id) {
      const found = await byId.get({ id });
      return found && { row: found.row, ownerUuid: found.ownerUuid ?? '' };
    },
    byUuid: (uuid) => byUuid.get({ uuid }),
    byUri: (uri) => byUri.get({ uri }),
  };
}
