import { randomUUID } from 'node:crypto';
import type { S3Bucket } from '../storage/s3-bucket.ts';
import type { S3Listed } from '../storage/s3-list.ts';
import { BackupError } from './errors.ts';
import type { PlaceLock } from './place.ts';

const LOCKS = 'locks/';
/** A lock that has not been renewed for so long, by the clock of the server, is nobody's. */
const LEASE_MS = 10 * 60_000;
const RENEW_MS = 60_000;

/**
 * Keeps other machines from writing to a bucket. Each puts an object of its own first and looks then who else has one: of
 * two that begin at the same moment both may step back, and never does either go on beside the other. Throws BackupError
 * if someone else is at it.
 */
export async function lockBucket(bucket: S3Bucket, address: string, renewMs = RENEW_MS): Promise<PlaceLock> {
  const owner = randomUUID();
  const lost = new AbortController();
  let count = 0;
  let name = '';
  let renewedAt = 0;
  const renew = async () => {
    const before = name;
    const at = Date.now();
    name = `${LOCKS}${owner}-${++count}`;
    await bucket.upload(name, empty());
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

  let renewing: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    renewing = renewing.then(async () => {
      if (Date.now() - renewedAt > LEASE_MS) lost.abort(new BackupError(`${address} was out of reach for too long.`));
      else await renew().catch(() => undefined);
    });
  }, renewMs);
  return {
    lost: lost.signal,
    async release() {
      clearInterval(timer);
      await renewing;
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

async function* empty(): AsyncGenerator<Uint8Array> {}
