import { eq, getTableColumns } from 'drizzle-orm';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { type FileRow, files } from '../../database/schema/files.ts';
import { users } from '../../database/schema/users.ts';
import { type Named, prepare } from '../../database/statement.ts';

/** A file with the UUID of its owner. */
export interface FileEntity {
  readonly row: FileRow;
  readonly ownerUuid: string;
}

export interface FindFile {
  byId(id: number): Promise<FileEntity | undefined>;
  byUuid(uuid: string): Promise<FileRow | undefined>;
}

const fileById = prepare(({ id }: Named<{ id: number }>) =>
  query
    .select({ ...getTableColumns(files), ownerUuid: users.uuid })
    .from(files)
    .leftJoin(users, eq(users.id, files.ownerId))
    .where(eq(files.id, id)),
);
const fileByUuid = prepare(({ uuid }: Named<{ uuid: string }>) =>
  query.select().from(files).where(eq(files.uuid, uuid)),
);

export function createFindFile(database: Database): FindFile {
  return {
    async byId(id) {
      const found = await database.get(fileById({ id }));
      if (found === undefined) return undefined;
      const { ownerUuid, ...row } = found;
      return { row, ownerUuid: ownerUuid ?? '' };
    },
    byUuid: (uuid) => database.get(fileByUuid({ uuid })),
  };
}
