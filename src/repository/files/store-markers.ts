import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { ServiceError } from '../../base/errors.ts';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { settings } from '../../database/schema/system.ts';
import { type Named, prepare } from '../../database/statement.ts';
import type { Scheme, Schemes } from './scheme.ts';
import { countStoredFiles } from './stored-files.ts';

/** The beginning of the names of the settings that store the markers of stores. */
export const MARKER_SETTING = 'storage.marker.';

/** A store that cannot be used. */
export interface StoreProblem {
  readonly scheme: string;
  readonly error: ServiceError;
}

const findSetting = prepare(({ name }: Named<{ name: string }>) =>
  query.select({ value: settings.value }).from(settings).where(eq(settings.name, name)),
);
const addSetting = prepare(({ name, value }: Named<{ name: string; value: string }>) =>
  query.insert(settings).values({ name, value }).onConflictDoNothing(),
);

/** Lets stores accept files only while they have the markers that the database names. */
export async function expectMarkers(database: Database, schemes: Schemes['schemes']): Promise<void> {
  for (const { name, storage } of schemes.values()) {
    const known = await database.get(findSetting({ name: MARKER_SETTING + name }));
    if (known !== undefined) storage.marker?.expect(known.value);
  }
}

/**
 * Writes a marker into each store that has none yet, and records it in the database. Returns the stores that cannot be
 * used: those that have lost the recorded marker, or that hold no object although files are stored in them, such as the
 * mount point of a disk that is not mounted.
 */
export async function adoptMarkers(database: Database, schemes: Schemes['schemes']): Promise<StoreProblem[]> {
  for (const scheme of schemes.values()) {
    const { name, storage } = scheme;
    if (storage.marker === undefined) continue;
    const setting = MARKER_SETTING + name;
    if ((await database.get(findSetting({ name: setting }))) !== undefined) continue;
    try {
      if (await isEmptied(database, scheme)) {
        // No store has this marker yet: nothing is stored until the next start finds the objects.
        storage.marker.expect(randomUUID());
        continue;
      }
      const value = (await storage.marker.read()) ?? (await storage.marker.create(randomUUID()));
      await database.write([addSetting({ name: setting, value })]);
    } catch (error) {
      // A store that cannot be written to now gets its marker at a later start.
      if (!(error instanceof ServiceError)) throw error;
    }
  }
  database.refresh();
  await expectMarkers(database, schemes);
  return findStoreProblems(schemes);
}

/** Returns true for a store without any object in which files are stored. */
async function isEmptied(database: Database, { name, storage }: Scheme): Promise<boolean> {
  if ((await storage.marker?.read()) !== undefined) return false;
  for await (const _ of storage.list()) return false;
  return (await countStoredFiles(database, name)).files > 0;
}

/** Returns the stores that cannot be written to now, or have lost their markers. */
export async function findStoreProblems(schemes: Schemes['schemes']): Promise<StoreProblem[]> {
  const checked = await Promise.all(
    Array.from(schemes.values(), async ({ name, storage }): Promise<StoreProblem | undefined> => {
      try {
        await storage.check();
        return undefined;
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        return { scheme: name, error };
      }
    }),
  );
  return checked.filter((problem) => problem !== undefined);
}
