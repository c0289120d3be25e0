import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceError } from '../../base/errors.ts';
import type { S3Bucket } from '../../storage/s3/bucket.ts';
import { isStatus } from '../../storage/s3/failure.ts';
import type { S3Listed } from '../../storage/s3/list.ts';
import type { StoredBytes } from '../../storage/storage.ts';
import { BackupError, reading, UnexpectedBytes, withReason } from './errors.ts';
import { type BackupPlace, isOwnName, isSame, type PlacedBytes, type PlaceLock, renewEvery } from './place.ts';

/** Creates a place in a bucket. `address` names it in messages. Its work folder is in the system's temporary folder. */
export function createS3Place(bucket: S3Bucket, address: string): BackupPlace {
  let work: string | undefined;
  const inBucket = <T>(what: string, task: () => Promise<T>) => withReason(`${address} ${what}`, task);
  const send = async (name: string, source: AsyncIterable<Uint8Array>) => {
    // A bucket accepts a name once. An existing object is damaged, since intact ones are not sent again.
    if ((await bucket.stat(name)) !== undefined) await bucket.remove(name);
    return bucket.upload(name, source);
  };
  return {
    address,
    put: (name, source, expected) =>
      inBucket('cannot be written to', () => send(name, expected === undefined ? source : checked(source, expected))),
    putFile: (name, file) =>
      inBucket('cannot be written to', async () => {
        // The name is the checksum of the file.
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

/** Throws UnexpectedBytes at the end of other bytes, before the object is complete. */
async function* checked(source: AsyncIterable<Uint8Array>, expected: StoredBytes): AsyncGenerator<Uint8Array> {
  const hasher = new Bun.CryptoHasher('sha256');
  let bytes = 0;
  for await (const chunk of source) {
    hasher.update(chunk);
    bytes += chunk.byteLength;
    yield chunk;
  }
  const actual = { bytes, sha256: hasher.digest('hex') };
  if (!isSame(expected, actual)) throw new UnexpectedBytes(expected, actual);
}

async function* list(bucket: S3Bucket, folder: string): AsyncGenerator<PlacedBytes> {
  for await (const { name, bytes } of bucket.list(`${folder}/`)) yield { name, bytes };
}

/** Aborts uploads of a backup that was killed: no other backup runs now. */
async function abortUploads(bucket: S3Bucket): Promise<void> {
  try {
    for await (const { name, uploadId } of bucket.listUploads())
      if (isOwnName(name)) await bucket.abortUpload(name, uploadId);
  } catch (error) {
    // A server without this request keeps them or has a rule for them.
    if (!(error instanceof ServiceError) || !isStatus(error.cause, 400, 405, 501)) throw error;
  }
}

const LOCKS = 'locks/';
/** The duration of a lock after its last renewal, by the clock of the server. */
const LEASE_MS = 10 * 60_000;
const RENEW_MS = 60_000;

/**
 * Locks a bucket for this process. Each process first puts an object of its own, then lists those of others: of two that
 * start at the same moment both may fail, and never do both continue. Throws BackupError if another process holds the
 * lock.
 */
async function lockBucket(bucket: S3Bucket, address: string): Promise<PlaceLock> {
  const owner = randomUUID();
  const lost = new AbortController();
  let count = 0;
  let name = '';
  let renewedAt = 0;
  const renew = async () => {
    const before = name;
    const at = Date.now();
    name = `${LOCKS}${owner}-${++count}`;
    await bucket.upload(name, new Blob([]).stream());
    renewedAt = at;
    if (before !== '') await bucket.remove(before);
  };
  await renew();
  const others = await findOthers(bucket, owner);
  if (others.living.length > 0) {
    await bucket.remove(name);
    throw new BackupError(`Another backup to ${address} is under way, or was killed less than ten minutes ago.`);
  }
  for (const { name: stale } of others.stale) await bucket.remove(stale);

  const stop = renewEvery(RENEW_MS, async () => {
    if (Date.now() - renewedAt > LEASE_MS) lost.abort(new BackupError(`${address} was out of reach for too long.`));
    else await renew().catch(() => undefined);
  });
  return {
    lost: lost.signal,
    async release() {
      await stop();
      for await (const { name: own } of bucket.list(`${LOCKS}${owner}`)) await bucket.remove(own);
    },
  };
}

async function findOthers(bucket: S3Bucket, owner: string): Promise<{ living: S3Listed[]; stale: S3Listed[] }> {
  const all: S3Listed[] = [];
  for await (const listed of bucket.list(LOCKS)) all.push(listed);
  const isOwn = ({ name }: S3Listed) => name.startsWith(`${LOCKS}${owner}`);
  const now = all.find(isOwn)?.modified.getTime() ?? Date.now();
  const others = all.filter((listed) => !isOwn(listed));
  return {
    living: others.filter(({ modified }) => now - modified.getTime() < LEASE_MS),
    stale: others.filter(({ modified }) => now - modified.getTime() >= LEASE_MS),
  };
}
