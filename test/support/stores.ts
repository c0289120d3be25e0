import { join } from 'node:path';
import type { SchemeConfig } from '../../src/config/schemes.ts';
import type { Services } from '../../src/repository/content/services.ts';
import { createLocalStorage } from '../../src/storage/local/local.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { type MoveOptions, type MoveProgress, type MoveSummary, moveFiles } from '../../src/upkeep/move/move.ts';
import type { TestRepository } from './test-repository.ts';

/** The usual schemes and one more, `archive`; `storeIn` says where new files of which are kept. */
export function schemesWith(storeIn: Record<string, string> = {}): SchemeConfig[] {
  return ['public', 'private', 'fedora', 'archive'].map((name) => ({
    name,
    storeIn: storeIn[name],
    driver: 'local',
    folder: `files/${name}`,
  }));
}

/** The keys of all objects of a local store, in order. */
export async function keysIn({ dataFolder }: Pick<TestRepository, 'dataFolder'>, store: string): Promise<string[]> {
  const storage = await createLocalStorage(join(dataFolder, 'files', store));
  return (await Array.fromAsync(storage.list())).map(({ key }) => key).sort();
}

/** Objects that no row names, and rows whose object is not where they say, of a repository with `schemesWith`. */
export async function looseEnds(repository: TestRepository): Promise<string[]> {
  const { rows } = await repository.running.services.database.client.execute(
    'SELECT uri, stored_in, storage_key FROM file',
  );
  const wanted = rows.map((row) => `${row[1] ?? String(row[0]).split(':')[0]} ${row[2]}`);
  const stores = schemesWith().map(async ({ name }) => (await keysIn(repository, name)).map((key) => `${name} ${key}`));
  const found = (await Promise.all(stores)).flat();
  return [
    ...wanted.filter((each) => !found.includes(each)).map((each) => `missing: ${each}`),
    ...found.filter((each) => !wanted.includes(each)).map((each) => `too much: ${each}`),
  ];
}

/** Returns the columns of a file that name its bytes. */
export async function rowOf({ running }: TestRepository, uri: string) {
  const { rows } = await running.services.database.client.execute({
    sql: 'SELECT id, storage_key, stored_in, version, changed FROM file WHERE uri = ?',
    args: [uri],
  });
  const [id, key, storedIn, version, changed] = (rows[0] ?? []) as unknown as [
    number,
    string,
    string | null,
    number,
    number,
  ];
  return { id, key, storedIn, version, changed };
}

/** The services of a repository with a store in the place of one of its own. */
export function withStore<S extends Services>(services: S, name: string, change: (storage: Storage) => Storage): S {
  const schemes = new Map(services.schemes);
  const scheme = schemes.get(name);
  if (scheme === undefined) throw new Error(`there is no scheme ${name}`);
  schemes.set(name, { ...scheme, storage: change(scheme.storage) });
  return { ...services, schemes };
}

/** Moves within this process and returns what came of it, and what could not be moved. */
export async function move(
  services: Services,
  from: string,
  to: string,
  options: Partial<Pick<MoveOptions, 'limit' | 'concurrency'>> & { signal?: AbortSignal } = {},
): Promise<MoveSummary & { faults: { uri: string; kind: string }[]; progress: MoveProgress[] }> {
  const find = (name: string) => {
    const scheme = services.schemes.get(name);
    if (scheme === undefined) throw new Error(`there is no scheme ${name}`);
    return scheme;
  };
  const { signal = new AbortController().signal, limit, concurrency = 4 } = options;
  const faults: { uri: string; kind: string }[] = [];
  const progress: MoveProgress[] = [];
  const summary = await moveFiles(
    services,
    { from: find(from), to: find(to), limit, bytesPerSecond: undefined, concurrency },
    {
      signal,
      onProgress: (each) => void progress.push({ ...each }),
      onFailed: ({ file, fault }) => void faults.push({ uri: file.uri, kind: fault.kind }),
    },
  );
  return { ...summary, faults, progress };
}
