import type { Log } from '../base/log.ts';
import { atServer, requireFile } from './open-database.ts';
import { openRepository } from './open-repository.ts';
import type { ServerConfig } from './repository-config.ts';

/**
 * Brings the database of a repository up to date, and takes the content model into use. Values of fields that
 * the model no longer has are dropped for good with `dropsFields`; otherwise they make it throw
 * ModelConflictError.
 */
export async function migrateRepository(config: ServerConfig, dropsFields: boolean, log: Log): Promise<void> {
  await requireFile(config);
  const repository = await openRepository(atServer(config), log, { dropsFields, migratesShared: true });
  await repository.close();
}
