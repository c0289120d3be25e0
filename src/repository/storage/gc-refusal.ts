import { ServiceError } from '../../base/errors.ts';
import type { Database } from '../../database/database.ts';
import { IS_HELD } from '../files/discarded.ts';
import type { StoreGarbage } from './gc.ts';

/** A store of which more than this part would go is more likely that of another repository. */
const MAX_SHARE = 0.5;

/** Why nothing may be removed at all now, or undefined. */
export async function findHold(database: Database): Promise<ServiceError | undefined> {
  database.refresh();
  const hold = await database.first(IS_HELD, []);
  return hold && held('A backup is under way, or was killed a few minutes ago');
}

/** What is said when a backup begins while objects are being removed. */
export function held(why = 'A backup has begun'): ServiceError {
  return new ServiceError('conflict', `${why}: nothing that it may need is removed until it is done. Try again later.`);
}

/** Why what was found looks as if database and stores did not belong together, or undefined. */
export function judgeGarbage(stores: readonly StoreGarbage[], hasFiles: boolean): string | undefined {
  const objects = stores.reduce((sum, { all }) => sum + all.count, 0);
  if (!hasFiles && objects > 0) return `The database knows of no file at all, but the stores hold objects: ${objects}.`;
  const suspect = stores.find(({ all, unnamed }) => unnamed.count > all.count * MAX_SHARE);
  if (suspect === undefined) return undefined;
  const { store, all, unnamed } = suspect;
  return `Of ${all.count} objects of ${store} no file has ${unnamed.count}: that is more than half.`;
}
