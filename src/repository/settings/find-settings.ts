import type { Row } from '@libsql/client';
import type { Database } from '../../database/database.ts';
import { GenerationMemory } from '../../database/generation-memory.ts';
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

/** Prepares the reading of the settings once. They are remembered as long as none changes, here or elsewhere. */
export function createFindSettings(database: Database): FindSettings {
  const names = SETTING_NAMES.map(storedName);
  const known = new GenerationMemory<'all', Settings>(database, 1);
  const read = async () => toSettings((await database.first(QUERY, names)) as Row);
  return async () => (await known.get('all', read)) as Settings;
}

function toSettings(columns: Row): Settings {
  const values = SETTING_NAMES.map((name, index) => [name, readStored(name, columns[index] as string | null)]);
  return Object.fromEntries(values) as Settings;
}
