import type { Row } from '@libsql/client';
import type { Database } from '../../database/database.ts';
import { SETTING_NAMES, type Settings } from './settings.ts';
import { readStored, storedName } from './stored-setting.ts';

/** Reads every setting at once. Rejects with `misconfigured` for a stored value that cannot be read. */
export type FindSettings = () => Promise<Settings>;

/** One row, a column for each setting: NULL for one that has no row. */
const QUERY = `SELECT ${SETTING_NAMES.map(() => '(SELECT value FROM setting WHERE name = ?)').join(', ')}`;

/** The settings as they are now: those that nobody has changed have their default. Rejects as `FindSettings` does. */
export function findSettings(database: Database): Promise<Settings> {
  return createFindSettings(database)();
}

/** Prepares the reading of the settings once. */
export function createFindSettings(database: Database): FindSettings {
  const names = SETTING_NAMES.map(storedName);
  return async () => toSettings((await database.first(QUERY, names)) as Row);
}

function toSettings(columns: Row): Settings {
  const values = SETTING_NAMES.map((name, index) => [name, readStored(name, columns[index] as string | null)]);
  return Object.fromEntries(values) as Settings;
}
