import { eq, ne, sql } from 'drizzle-orm';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { settings } from '../../database/schema/system.ts';
import { excluded, failIf } from '../../database/sql.ts';
import { type Named, prepare, type Statement } from '../../database/statement.ts';
import { retrying } from '../retrying.ts';
import { findSettings } from './find-settings.ts';
import { SETTING_NAMES, SETTINGS, type SettingName, type Settings, storedName, storedText } from './settings.ts';

/** The settings that change, with their new values. */
export type SettingChanges = Partial<Settings>;

/**
 * Changes the given settings, all or none. `check` throws if the current ones must not be replaced, and runs again
 * after a concurrent change. Without it, even an invalid stored value is replaced. Rejects with `conflict` after too
 * many concurrent changes.
 */
export async function changeSettings(
  database: Database,
  changes: SettingChanges,
  check?: (current: Settings) => void,
): Promise<void> {
  await retrying(undefined, async () => {
    const guards = check === undefined ? [] : await checked(database, check);
    await database.write({ guards, changes: upserts(changes) });
  });
}

async function checked(database: Database, check: (current: Settings) => void): Promise<Statement[]> {
  const current = await findSettings(database);
  check(current);
  return SETTING_NAMES.map((name) =>
    requireSetting({
      name: storedName(name),
      standard: storedText(SETTINGS[name].default),
      value: storedText(current[name]),
    }),
  );
}

const requireSetting = prepare(({ name, standard, value }: Named<Record<'name' | 'standard' | 'value', string>>) => {
  const stored = query.select({ value: settings.value }).from(settings).where(eq(settings.name, name));
  return failIf('stale', sql`coalesce(${stored}, ${standard}) <> ${value}`);
});

const saveSetting = prepare(({ name, value }: Named<{ name: string; value: string }>) =>
  query
    .insert(settings)
    .values({ name, value })
    .onConflictDoUpdate({
      target: settings.name,
      set: { value: excluded(settings.value) },
      // An unchanged setting invalidates no cache.
      setWhere: ne(settings.value, excluded(settings.value)),
    }),
);

function upserts(changes: SettingChanges): Statement[] {
  return (Object.entries(changes) as [SettingName, boolean][]).map(([name, value]) =>
    saveSetting({ name: storedName(name), value: storedText(value) }),
  );
}
