import type { InStatement } from '@libsql/client';
import type { Database } from '../../database/database.ts';
import { retrying } from '../content/save-content.ts';
import { findSettings } from './find-settings.ts';
import { SETTING_NAMES, SETTINGS, type SettingName, type Settings } from './settings.ts';
import { storedName, storedText } from './stored-setting.ts';

/** The settings that change, with their new values. */
export type SettingChanges = Partial<Settings>;

/**
 * Changes settings, all of them or none; the others stay as they are. `check` throws if what there is may not be
 * replaced; it is asked again where someone else was faster. Without it what there is does not matter, a stored
 * value that cannot be read included. Rejects with `conflict` where someone else is faster all the time.
 */
export async function changeSettings(
  database: Database,
  changes: SettingChanges,
  check?: (current: Settings) => void,
): Promise<void> {
  await retrying(undefined, async () => {
    const guards = check === undefined ? [] : await checked(database, check);
    await database.write([...guards, ...upserts(changes)]);
  });
}

async function checked(database: Database, check: (current: Settings) => void): Promise<InStatement[]> {
  const current = await findSettings(database);
  check(current);
  return SETTING_NAMES.map((name) => ({
    sql: 'INSERT INTO guard (stale) SELECT 1 WHERE coalesce((SELECT value FROM setting WHERE name = ?), ?) <> ?',
    args: [storedName(name), storedText(SETTINGS[name].default), storedText(current[name])],
  }));
}

function upserts(changes: SettingChanges): InStatement[] {
  return (Object.entries(changes) as [SettingName, boolean][]).map(([name, value]) => ({
    // What is as before stays untouched: nobody has to forget what they know.
    sql: `INSERT INTO setting (name, value) VALUES (?, ?)
      ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE value <> excluded.value`,
    args: [storedName(name), storedText(value)],
  }));
}
