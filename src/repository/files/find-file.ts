import { eq, sql } from 'drizzle-orm';
import type { Database } from '../../database/database.ts';
import { prepareFindRow } from '../../database/find-one.ts';
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
}

/** Prepares the queries of files once. */
export function createFindFile(database: Database): FindFile {
  const byId = database.query
    .select({ row: files, ownerUuid: users.uuid })
    .from(files)
    .leftJoin(users, eq(users.id, files.ownerId))
    .where(eq(files.id, sql.placeholder('id')))
    .prepare();
  return {
    async byId(id) {
      const found = await byId.get({ id });
      return found && { row: found.row, ownerUuid: found.ownerUuid ?? '' };
    },
    byUuid: prepareFindRow(database, files, eq(files.uuid, sql.placeholder('uuid'))),
  };
}
