import { createSiteDays } from '../base/site-day.ts';
import type { RepositoryConfig } from '../config/server-config.ts';
import type { Database } from '../database/database.ts';
import type { AccessNames } from '../model/access-rules.ts';
import type { ContentModel } from '../model/content-model.ts';
import { AccessState } from '../repository/access/access-state.ts';

interface AccessParts extends Pick<RepositoryConfig, 'networks' | 'timeZone'> {
  readonly database: Database;
  readonly model: ContentModel;
  /** Returns the seconds since 1970. */
  readonly now: () => number;
}

/** Creates the access rules of a process, and returns the names that they may use. */
export function createAccess({ database, model, networks, timeZone, now }: AccessParts): {
  readonly access: AccessState;
  readonly names: AccessNames;
} {
  const names = { presets: model.accessPresets, roles: model.roles, networks };
  return { names, access: new AccessState({ database, names, days: createSiteDays(timeZone), now }) };
}
