import { ServiceError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { Services } from '../repository/content/services.ts';
import { removeAllDiscarded } from '../repository/files/discarded.ts';
import { referredKeys } from '../repository/files/stored-files.ts';

/**
 * Removes what processes have left that were killed: bytes without a row, and objects that were to go. A store that
 * cannot be used now keeps nobody from starting: what it holds too much of goes later. Throws what the database says,
 * and `storage-failed` for a store that can be written to and not be cleared up.
 */
export async function clearUp(services: Services, log: Log): Promise<void> {
  const away = new Set<string>();
  for (const { name, storage } of services.schemes.values()) {
    try {
      // It answers sooner than a removal gives up.
      await storage.check();
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      away.add(name);
      log.warn({ err: error, scheme: name }, 'a store cannot be used: what earlier runs have left there stays for now');
      continue;
    }
    try {
      const { removed } = await storage.recover((keys) => referredKeys(services, keys));
      if (removed > 0) log.info({ scheme: name, removed }, 'removed unfinished uploads of an earlier run');
    } catch (error) {
      if (!(error instanceof ServiceError) || error.kind !== 'unavailable') throw error;
      away.add(name);
      log.warn({ err: error, scheme: name }, 'a store went away: what earlier runs have left there stays for now');
    }
  }
  await removeAllDiscarded(services, away);
}
