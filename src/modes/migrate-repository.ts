import { resolve } from 'node:path';
import type { Log } from '../base/log.ts';
import { requireRepository } from './administration.ts';
import { openRepository } from './open-repository.ts';
import type { ServerConfig } from './repository-config.ts';

/**
 * Brings the database of a repository up to date, and takes the content model into use. Values of fields that
 * the model no longer has are dropped for good with `dropsFields`; otherwise they make it throw
 * ModelConflictError.
 */
export async function migrateRepository(config: ServerConfig, dropsFields: boolean, log: Log): Promise<void> {
  requireRepository(resolve(config.dataFolder));
  const repository = await openRepository(config, log, { dropsFields });
  await repository.close();
}
