import type { Row } from '@libsql/client';
import type { Database } from '../../database/database.ts';
import { type Dated, GENERATION_COLUMN, GenerationMemory } from '../../database/generation-memory.ts';
import { SETTING_NAMES, type Settings } from './settings.ts';
import { readStored, storedName } from './stored-setting.ts';

/**
 * Reads every setting at once, and says in which generation of the database they are so. Rejects with `misconfigured`
 * for a stored value that cannot be read.
 */
export type FindSettings = () => Promise<DatedSettings>;
export type DatedSettings = Dated<Settings>;

/** One row: the generation, and a column for each setting, NULL for one that has no row. */
const QUERY = `SELECT ${[GENERATION_COLUMN, ...SETTING_NAMES.map(() => '(SELECT value FROM setting WHERE name = ?)')].join(', ')}`;

/** The settings as they are now: those that nobody has changed have their default. Rejects as `FindSettings` does. */
export async function findSettings(database: Database): Promise<Settings> {
  return (await createFindSettings(database)()).value;
}

/** Prepares the reading of the settings once. They are remembered as long as none changes, here or elsewhere. */
export function createFindSettings(database: Database): FindSettings {
  const names = SETTING_NAMES.map(storedName);
  const known = new GenerationMemory<'all', Settings>(database, 1);
  const read = async () => toSettings((await database.first(QUERY, names)) as Row);
  return async () => (await known.getDated('all', read)) as DatedSettings;
}

function toSettings(columns: Row): DatedSettings {
  const values = SETTING_NAMES.map((name, index) => [name, readStored(name, columns[index + 1] as string | null)]);
  return { value: Object.fromEntries(values) as Settings, generation: columns[0] as number };
}
