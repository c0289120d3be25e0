import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceError } from '../base/errors.ts';
import type { S3Bucket } from '../storage/s3-bucket.ts';
import { isStatus } from '../storage/s3-failure.ts';
import type { StoredBytes } from '../storage/storage.ts';
import { BackupError, reading, UnexpectedBytes, withReason } from './errors.ts';
import { type BackupPlace, isOwnName, isSame, type PlacedBytes } from './place.ts';
import { lockBucket } from './s3-lock.ts';

/** A place for backups in a bucket; `address` is what people call it. The database is prepared in the system's folder for temporary files. */
export function createS3Place(bucket: S3Bucket, address: string): BackupPlace {
  let work: string | undefined;
  const inBucket = <T>(what: string, task: () => Promise<T>) => withReason(`${address} ${what}`, task);
  const send = async (name: string, source: AsyncIterable<Uint8Array>) => {
    // A bucket takes no other object of the same name. What is there is damaged, or it would not be sent again.
    if ((await bucket.stat(name)) !== undefined) await bucket.remove(name);
    return bucket.upload(name, source);
  };
  return {
    address,
    put: (name, source, expected) =>
      inBucket('cannot be written to', () => send(name, expected === undefined ? source : checked(source, expected))),
    putFile: (name, file) =>
      inBucket('cannot be written to', async () => {
        // It goes by its own checksum.
        if ((await bucket.stat(name))?.bytes !== Bun.file(file).size) await send(name, Bun.file(file).stream());
        await rm(file);
      }),
    get: (name) =>
      inBucket('cannot be read', async () => {
        if ((await bucket.stat(name)) === undefined) throw new BackupError(`${name} is not in ${address}.`);
        return reading(`${address} cannot be read`, await bucket.read(name));
      }),
    list: (folder) => reading(`${address} cannot be read`, list(bucket, folder)),
    requireExisting: () =>
      inBucket('cannot be read', async () => {
        for await (const _ of bucket.list('')) return;
        throw new BackupError(`There is no backup in ${address}: nothing is stored there.`);
      }),
    remove: (name) => inBucket('cannot be written to', () => bucket.remove(name)),
    async workFolder() {
      work ??= await mkdtemp(join(tmpdir(), 'repo-backup-'));
      return work;
    },
    lock: () =>
      inBucket('cannot be used', async () => {
        const lock = await lockBucket(bucket, address);
        try {
          await abortUploads(bucket);
        } catch (error) {
          await lock.release();
          throw error;
        }
        return {
          lost: lock.lost,
          async release() {
            if (work !== undefined) await rm(work, { recursive: true, force: true });
            work = undefined;
            await inBucket('cannot be written to', lock.release);
          },
        };
      }),
  };
}

/** Fails at the end of other bytes than those: before the object is one. */
async function* checked(source: AsyncIterable<Uint8Array>, expected: StoredBytes): AsyncGenerator<Uint8Array> {
  const hasher = new Bun.CryptoHasher('sha256');
  let bytes = 0;
  for await (const chunk of source) {
    hasher.update(chunk);
    bytes += chunk.byteLength;
    yield chunk;
  }
  const found = { bytes, sha256: hasher.digest('hex') };
  if (!isSame(expected, found)) throw new UnexpectedBytes(expected, found);
}

async function* list(bucket: S3Bucket, folder: string): AsyncGenerator<PlacedBytes> {
  for await (const { name, bytes } of bucket.list(`${folder}/`)) yield { name, bytes };
}

/** What a backup left that was killed: nobody else is at it now. */
async function abortUploads(bucket: S3Bucket): Promise<void> {
  try {
    for await (const { name, uploadId } of bucket.listUploads())
      if (isOwnName(name)) await bucket.abortUpload(name, uploadId);
  } catch (error) {
    // A server that does not know the request keeps them, or has a rule for them.
    if (!(error instanceof ServiceError) || !isStatus(error.cause, 400, 405, 501)) throw error;
  }
}
