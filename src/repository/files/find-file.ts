import { eq, getTableColumns } from 'drizzle-orm';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { type FileRow, files } from '../../database/schema/files.ts';
import { users } from '../../database/schema/users.ts';
import { isAmong } from '../../database/sql.ts';
import { type Named, prepare } from '../../database/statement.ts';

/** A file with the UUID of its owner. */
export interface FileEntity {
  readonly row: FileRow;
  readonly ownerUuid: string;
}

export interface FindFile {
  byId(id: number): Promise<FileEntity | undefined>;
  /** Returns existing files in the order of the ids. */
  byIds(ids: readonly number[]): Promise<FileEntity[]>;
  byUuid(uuid: string): Promise<FileRow | undefined>;
}

const withOwner = () =>
  query
    .select({ ...getTableColumns(files), ownerUuid: users.uuid })
    .from(files)
    .leftJoin(users, eq(users.id, files.ownerId));
const fileById = prepare(({ id }: Named<{ id: number }>) => withOwner().where(eq(files.id, id)));
const filesById = prepare(({ ids }: Named<{ ids: string }>) => withOwner().where(isAmong(files.id, ids)));
const fileByUuid = prepare(({ uuid }: Named<{ uuid: string }>) =>
  query.select().from(files).where(eq(files.uuid, uuid)),
);

export function createFindFile(database: Database): FindFile {
  return {
    async byId(id) {
      const row = await database.get(fileById({ id }));
      return row && toEntity(row);
    },
    async byIds(ids) {
      const rows = await database.all(filesById({ ids: JSON.stringify(ids) }));
      const files = new Map(rows.map((row) => [row.id, toEntity(row)]));
      return ids.flatMap((id) => files.get(id) ?? []);
    },
    byUuid: (uuid) => database.get(fileByUuid({ uuid })),
  };
}

function toEntity({ ownerUuid, ...row }: FileRow & { readonly ownerUuid: string | null }): FileEntity {
  return { row, ownerUuid: ownerUuid ?? '' };
}
