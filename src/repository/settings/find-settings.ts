import { inArray, sql } from 'drizzle-orm';
import type { Database } from '../../database/database.ts';
import { type Dated, GENERATION } from '../../database/dated.ts';
import { settings } from '../../database/schema/system.ts';
import { plain, prepare } from '../../database/statement.ts';
import { readStored, SETTING_NAMES, type Settings, storedName } from './settings.ts';

/** Reads all settings with the generation of the database. Rejects with `misconfigured` for an invalid stored value. */
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

/** Returns the current settings, with defaults. Rejects as `FindSettings` does. */
export async function findSettings(database: Database): Promise<Settings> {
  return (await createFindSettings(database)()).value;
}

export function createFindSettings(database: Database): FindSettings {
  return async () => toSettings((await database.get(findAll())) as StoredSettings);
}

function toSettings({ values, generation }: StoredSettings): DatedSettings {
  const stored = JSON.parse(values) as Record<string, string>;
  const settings = SETTING_NAMES.map((name) => [name, readStored(name, stored[storedName(name)] ?? null)]);
  return { value: Object.fromEntries(settings) as Settings, generation };
}
