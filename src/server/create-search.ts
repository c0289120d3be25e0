import { join } from 'node:path';
import type { RepositoryConfig } from '../config/server-config.ts';
import type { Services } from '../repository/content/services.ts';
import { storeSnapshot } from '../repository/search-index/index-state.ts';
import { createSetup } from '../search/setup.ts';
import { SearchThreads } from '../search/thread/search-threads.ts';
import { placeOfReader } from './open-database.ts';

/** The file with the facts of all nodes in the data folder. */
const SNAPSHOT_FILE = 'search-nodes.cache';

/** Creates the threads of searches of a process. */
export function createSearch({ database, model, warn }: Services, config: RepositoryConfig): SearchThreads {
  const snapshots = { file: join(config.dataFolder, SNAPSHOT_FILE), isWritten: true };
  return new SearchThreads({ place: placeOfReader(config), setup: createSetup(model), snapshots }, warn, {
    threads: config.search.threads,
    onSaved(token) {
      storeSnapshot(database, token).catch((error: unknown) =>
        warn('the facts about nodes that are saved for the next start cannot be used', error),
      );
    },
  });
}
