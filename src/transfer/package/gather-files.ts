import { eq, getTableColumns } from 'drizzle-orm';
import { ServiceError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { query } from '../../database/query-builder.ts';
import { type FileRow, files } from '../../database/schema/files.ts';
import { users } from '../../database/schema/users.ts';
import { isAmong } from '../../database/sql.ts';
import { type Named, prepare } from '../../database/statement.ts';
import type { Services } from '../../repository/content/services.ts';
import { storageOf } from '../../repository/files/scheme.ts';
import { fileJson } from '../../representation/file-json.ts';
import type { PackageFile } from '../files/package.ts';
import { jsonFile } from '../files/package.ts';
import { bytesPath, documentPath } from './package-layout.ts';

/** The record and the bytes of a file, as files of a package. */
export interface PackedFile {
  readonly ownerId: number;
  /** By path. */
  readonly files: readonly (readonly [path: string, file: PackageFile])[];
}

const findFiles = prepare(({ ids }: Named<{ ids: string }>) =>
  query
    .select({ ...getTableColumns(files), ownerUuid: users.uuid })
    .from(files)
    .leftJoin(users, eq(users.id, files.ownerId))
    .where(isAmong(files.id, ids)),
);

/** Returns files by their ids. */
export async function gatherFiles(services: Services, ids: Iterable<number>): Promise<ReadonlyMap<number, PackedFile>> {
  const rows = await services.database.all(findFiles({ ids: JSON.stringify([...new Set(ids)]) }));
  return new Map(
    rows.map(({ ownerUuid, ...row }) => {
      const record = JSON.parse(fileJson({ row, ownerUuid: ownerUuid ?? '' })) as JsonObject;
      const whole = jsonFile({ ...record, sha256: [{ value: row.sha256 }] });
      return [
        row.id,
        {
          ownerId: row.ownerId,
          files: [
            [documentPath('file', row.uuid), whole],
            [bytesPath(row.uuid, row.filename), storedFile(services, row)],
          ],
        },
      ];
    }),
  );
}

function storedFile(services: Services, row: FileRow): PackageFile {
  return { bytes: row.filesize, sha256: row.sha256, open: () => readWhole(services, row) };
}

/** Reads the bytes of a file from its store. Throws `storage-failed` at the end if they do not have its SHA-256. */
async function* readWhole(services: Services, row: FileRow): AsyncGenerator<Uint8Array> {
  const body = await storageOf(services, row)
    .storage.read(row.storageKey)
    .catch((cause) => {
      // The error of a store has only a key.
      if (!(cause instanceof ServiceError)) throw cause;
      throw new ServiceError(cause.kind, `Cannot read the stored bytes of ${row.uri}.`, { cause });
    });
  const hash = new Bun.CryptoHasher('sha256');
  for await (const chunk of body instanceof Blob ? body.stream() : body) {
    hash.update(chunk);
    yield chunk;
  }
  if (hash.digest('hex') === row.sha256) return;
  throw new ServiceError('storage-failed', `The stored bytes of ${row.uri} do not have its SHA-256 ${row.sha256}.`, {
    cause: row.storageKey,
  });
}
