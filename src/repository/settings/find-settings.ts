import { inArray, sql } from 'drizzle-orm';
import type { Database } from '../../database/database.ts';
import { type Dated, GENERATION } from '../../database/dated.ts';
import { settings } from '../../database/schema/system.ts';
import { plain, prepare } from '../../database/statement.ts';
import { readStored, SETTING_NAMES, type Settings, storedName } from './settings.ts';

/**
 * Reads every setting at once, and says in which generation of the database they are so. Rejects with `misconfigured`
 * for a stored value that cannot be read.
 */
export type FindSettings = () => Promise<DatedSettings>;
type DatedSettings = Dated<Settings>;

type StoredSettings = { readonly generation: number; readonly values: string };

/** Finds the generation, and the stored values of all settings as one JSON object. */
const findAll = prepare(() => {
  return plain(
    sql`SELECT ${GENERATION}, (SELECT json_group_object(${settings.name}, ${settings.value})
    FROM ${settings} WHERE ${inArray(settings.name, SETTING_NAMES.map(storedName))})`,
    {
      generation: GENERATION,
      values: sql<string>`values`,
    },
  );
});

/** The settings as they are now: those that nobody has changed have their default. Rejects as `FindSettings` does. */
export async function findSettings(database: Database): Promise<Settings> {
  return (await createFindSettings(database)()).value;
}

/** Prepares the query for the settings once. */
export function createFindSettings(database: Database): FindSettings {
  return async () => toSettings((await database.get(findAll())) as StoredSettings);
}

function toSettings({ values, generation }: StoredSettings): DatedSettings {
  const stored = JSON.parse(values) as Record<string, string>;
  const settings = SETTING_NAMES.map((name) => [name, readStored(name, stored[storedName(name)] ?? null)]);
  return { value: Object.fromEntries(settings) as Settings, generation };
}
