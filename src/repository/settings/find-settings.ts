import { inArray, sql } from 'drizzle-orm';
import { Cache } from '../../base/cache.ts';
import type { Database } from '../../database/database.ts';
import { type Dated, GENERATION, readDated } from '../../database/dated.ts';
import { settings } from '../../database/schema/system.ts';
import { plain, prepare } from '../../database/statement.ts';
import { readStored, SETTING_NAMES, type Settings, storedName } from './settings.ts';

/** Reads all settings with the generation of the database. Rejects with `misconfigured` for an invalid stored value. */
export type FindSettings = () => Promise<DatedSettings>;
type DatedSettings = Dated<Settings>;

/** More than all settings with values of the maximum length. */
const MAX_BYTES = 64 * 1024;
const ALL = 'all';

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

/** Creates the reader of all settings, which are cached: each answer depends on them. */
export function createFindSettings(database: Database): FindSettings {
  const cache = new Cache<Settings>({
    maxBytes: MAX_BYTES,
    bytesOf: (settings) => 2 * JSON.stringify(settings).length,
    state: database.knownGeneration,
  });
  const find = async () => toSettings((await database.get(findAll())) as StoredSettings);
  return async () => (await readDated(cache, ALL, find)) ?? find();
}

function toSettings({ values, generation }: StoredSettings): DatedSettings {
  const stored = JSON.parse(values) as Record<string, string>;
  const settings = SETTING_NAMES.map((name) => [name, readStored(name, stored[storedName(name)] ?? null)]);
  return { value: Object.fromEntries(settings) as Settings, generation };
}
