import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { S3SchemeConfig } from '../../src/config/schemes.ts';
import { DEFAULT_SERVER_CONFIG, type RepositoryConfig } from '../../src/config/server-config.ts';
import { keyOfName } from '../../src/storage/key.ts';
import { createS3Bucket } from '../../src/storage/s3/bucket.ts';
import type { S3Config } from '../../src/storage/s3/config.ts';
import { type S3Server, startS3Server } from './s3-server.ts';
import { namedBucket } from './s3-store.ts';
import { createTestRepository, type EntityJson, type TestRepository } from './test-repository.ts';

/** A private scheme `s3` in a bucket, whose downloads are streamed. */
export function s3Scheme(s3: S3Config, more: Partial<S3SchemeConfig> = {}): S3SchemeConfig {
  return { name: 's3', storeIn: undefined, driver: 's3', s3, delivery: 'stream', ...more };
}

/** The usual schemes, with others that take their place or come after them. */
export function schemesAnd(...others: RepositoryConfig['schemes']): RepositoryConfig['schemes'] {
  const names = new Set(others.map(({ name }) => name));
  return [...DEFAULT_SERVER_CONFIG.schemes.filter(({ name }) => !names.has(name)), ...others];
}

/** A bucket for one file of tests: that which the environment names, or one of a server of its own. */
export interface TestBucket {
  readonly config: S3Config;
  /** The keys of what is in it, and the uploads that were begun and not ended. */
  holdings(): Promise<string[]>;
  close(): Promise<void>;
}

/** Keys begin with a prefix of this bucket's own. */
export async function openTestBucket(): Promise<TestBucket> {
  const named = namedBucket();
  const server = named === undefined ? await startS3Server() : undefined;
  const base = named ?? (server as S3Server).config;
  const config = { ...base, prefix: `${base.prefix}site-${Bun.randomUUIDv7()}/` };
  return {
    config,
    holdings: () => holdingsOf(config),
    async close() {
      const bucket = createS3Bucket(config, { readEnv: (name) => process.env[name] });
      for await (const { name } of bucket.list()) await bucket.remove(name);
      await server?.close();
    },
  };
}

/** The names of all that a bucket holds below its prefix. */
export async function holdingsOf(config: S3Config): Promise<string[]> {
  const bucket = createS3Bucket(config, { readEnv: (name) => process.env[name] });
  const objects = await Array.fromAsync(bucket.list());
  const uploads = await Array.fromAsync(bucket.listUploads());
  return [...objects.map(({ name }) => name), ...uploads.map(({ name }) => `upload of ${name}`)].toSorted();
}

/** A repository whose scheme `s3` is in a bucket. */
export function createS3Repository(
  s3: S3Config,
  more: Partial<S3SchemeConfig> = {},
  overrides: Partial<RepositoryConfig> = {},
): Promise<TestRepository> {
  return createTestRepository({ schemes: schemesAnd(s3Scheme(s3, more)), ...overrides });
}

/** A stream URI as it is sent in a header: bytes of UTF-8. */
export function headerText(uri: string): string {
  return Buffer.from(uri).toString('latin1');
}

/** The keys under which the rows of a scheme's store name objects, in order. */
export async function keysInRows({ running }: TestRepository, store = 's3'): Promise<string[]> {
  const { rows } = await running.services.database.client.execute({
    sql: `SELECT storage_key FROM file WHERE coalesce(stored_in, substr(uri, 1, instr(uri, ':') - 1)) = ? ORDER BY 1`,
    args: [store],
  });
  return rows.map((row) => String(row[0]));
}

/** The first file of a media, as its field shows it. */
export function fileIn(media: EntityJson, field: string): { id: number; path: string } {
  const [{ target_id: id, url }] = media[field] as [{ target_id: number; url: string }];
  return { id, path: new URL(url).pathname };
}

/** The keys of uploads that are noted as under way, in order. */
export async function notesOf({ dataFolder }: TestRepository, store = 's3'): Promise<string[]> {
  const folder = join(dataFolder, 'staging', store);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.flatMap((entry) => (entry.isFile() ? [keyOfName(entry.name)] : [])).toSorted();
}
