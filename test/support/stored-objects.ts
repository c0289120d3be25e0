import { readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newKey } from '../../src/storage/key.ts';
import { createMedia } from './binaries.ts';
import type { TestRepository } from './test-repository.ts';

const DAY_MS = 86_400_000;

/** A file of a repository, with the place of its bytes on the disk. */
export interface StoredObject {
  readonly id: number;
  readonly uri: string;
  readonly key: string;
  readonly path: string;
}

/** Uploads `count` files with different bytes and returns them ordered by id. */
export async function storeFiles(
  repository: TestRepository,
  count: number,
  { scheme = 'public', prefix = 'f' } = {},
): Promise<StoredObject[]> {
  for (let index = 0; index < count; index++)
    await createMedia(repository, {
      node: await repository.node(),
      type: 'file',
      uri: `${scheme}://${prefix}${index}.txt`,
      body: `${prefix} ${index}`.repeat(100),
      contentType: 'text/plain',
    });
  return findObjects(repository, `${scheme}://${prefix}`);
}

/** The files whose URIs begin so. */
export async function findObjects({ running, dataFolder }: TestRepository, uri: string): Promise<StoredObject[]> {
  const { rows } = await running.services.database.client.execute({
    sql: 'SELECT id, uri, storage_key FROM file WHERE uri LIKE ? ORDER BY id',
    args: [`${uri}%`],
  });
  return rows.map((row) => {
    const [id, found, key] = row as unknown as [number, string, string];
    return { id, uri: found, key, path: pathOf(dataFolder, found.slice(0, found.indexOf(':')), key) };
  });
}

/** Turns a bit of a stored object. */
export async function damage({ path }: StoredObject): Promise<void> {
  const bytes = await readFile(path);
  bytes[0] = (bytes[0] as number) ^ 1;
  await writeFile(path, bytes);
}

/** Puts an object without a row into a store, `days` days old, and returns its key. */
export async function putStray({ running, dataFolder }: TestRepository, scheme: string, days: number): Promise<string> {
  const store = running.services.schemes.get(scheme);
  if (store === undefined) throw new Error(`there is no scheme ${scheme}`);
  const staged = await store.storage.put(newKey(), new Blob(['stray']).stream());
  await staged.keep();
  await age(pathOf(dataFolder, scheme, staged.key), days);
  return staged.key;
}

/** Makes something look as old as that. */
export async function age(path: string, days: number): Promise<void> {
  const then = new Date(Date.now() - days * DAY_MS);
  await utimes(path, then, then);
}

/** Returns the path of an object in the local stores of the default configuration. */
export function pathOf(dataFolder: string, scheme: string, key: string): string {
  return join(dataFolder, 'files', scheme, key);
}
