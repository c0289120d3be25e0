import { ServiceError } from '../base/errors.ts';
import { nearest } from '../base/nearest.ts';
import { GRACE_MS } from '../repository/files/discarded.ts';
import type { Scheme, Services } from '../repository/services.ts';
import {
  type FailedFile,
  type FileCount,
  type MoveFault,
  type MoveProgress,
  type MoveSummary,
  type MoveWatch,
  moveFiles,
} from '../repository/storage/move.ts';
import { countStoredFiles } from '../repository/storage/stored-files.ts';
import { newKey } from '../storage/key.ts';
import type { Storage } from '../storage/storage.ts';
import { CommandError } from './command-error.ts';

export type { FailedFile, FileCount, MoveFault, MoveProgress, MoveSummary };

/** Between which schemes, and how fast. */
export interface MoveRequest {
  readonly from: string;
  readonly to: string;
  readonly limit: number | undefined;
  readonly bytesPerSecond: number | undefined;
  readonly concurrency: number;
}

/** The moving of bytes from one store into another, from a machine that has both. All throw CommandError for schemes that there are not. */
export interface MoveAdministration {
  /** What there is to move. */
  planMove(request: Pick<MoveRequest, 'from' | 'to' | 'limit'>): Promise<FileCount>;
  /** Moves it, while servers run; resolves when the old objects had their time. Throws ServiceError. */
  move(request: MoveRequest, watch: MoveWatch): Promise<MoveSummary>;
  /** The schemes whose new files are kept in that one. */
  schemesStoringIn(store: string): readonly string[];
}

/** To be called with services that have the stores open. */
export function createMoveAdministration(services: Services): MoveAdministration {
  const { schemes, database } = services;

  function find(name: string): Scheme {
    const scheme = schemes.get(name);
    if (scheme) return scheme;
    const names = [...schemes.keys()];
    const guess = nearest(name, names);
    const hint = guess === undefined ? `there are ${names.join(', ')}` : `did you mean ${guess}?`;
    throw new CommandError(`There is no storage scheme ${name}; ${hint}`);
  }

  function findBoth({ from, to }: Pick<MoveRequest, 'from' | 'to'>): { from: Scheme; to: Scheme } {
    const found = { from: find(from), to: find(to) };
    if (from === to) throw new CommandError('--from and --to must be two schemes.');
    return found;
  }

  return {
    async planMove(request) {
      const { from } = findBoth(request);
      return countStoredFiles(database, from.name, request.limit);
    },
    async move(request, watch) {
      const { limit, bytesPerSecond, concurrency } = request;
      const both = findBoth(request);
      await requireUsable(both.to.storage);
      try {
        return await moveFiles(services, { ...both, limit, bytesPerSecond, concurrency }, watch);
      } finally {
        // Servers may be about to open what they have just found in a row.
        await Bun.sleep(GRACE_MS);
        await services.discards.stop();
      }
    },
    schemesStoringIn: (store) =>
      [...schemes.values()].filter(({ storeIn }) => storeIn === store).map(({ name }) => name),
  };
}

/** Throws for a store that refuses. One that cannot be checked for the moment may have answers all the same. */
async function requireUsable(storage: Storage): Promise<void> {
  try {
    await storage.check();
  } catch (error) {
    if (!(error instanceof ServiceError) || error.kind !== 'unavailable') throw error;
    await storage.stat(newKey());
  }
}
