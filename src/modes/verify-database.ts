import { checkIntegrity } from '../database/damage.ts';
import { createKinds } from '../repository/content/kinds.ts';
import {
  type DatabaseProblem,
  type DatabaseProgress,
  type DatabaseVerification,
  type VerifyDatabaseOptions,
  verifyDatabase,
} from '../repository/integrity/verify-database.ts';
import { loadModel } from './load-model.ts';
import { explainDamage, openForCommand, requireCurrentRepository } from './open-database.ts';
import type { RepositoryConfig } from './repository-config.ts';

export type { DatabaseProblem, DatabaseProgress, DatabaseVerification };

/** The checks of a database, in this order. */
export interface DatabaseChecks {
  /** Returns the engine's problems with the structure (`checkIntegrity`). Blocks this process until it is done. */
  structure(): Promise<readonly string[] | undefined>;
  /** Throws CommandError if there is no repository, and UnusableDatabaseError if damage makes all rows unreadable. */
  rows(options: VerifyDatabaseOptions): Promise<DatabaseVerification>;
  close(): Promise<void>;
}

/** Opens the database of a configuration for checking. Throws CommandError if there is none. */
export async function openDatabaseChecks(config: RepositoryConfig): Promise<DatabaseChecks> {
  const kinds = createKinds(await loadModel(config));
  const database = await openForCommand(config);
  return {
    structure: () => checkIntegrity(database),
    async rows(options) {
      await explainDamage(config, () => requireCurrentRepository(database));
      return verifyDatabase(database, kinds, options);
    },
    close: database.close,
  };
}
