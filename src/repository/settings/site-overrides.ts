import { eq, like, sql } from 'drizzle-orm';
import type { Database } from '../../database/database.ts';
import { type Dated, GENERATION } from '../../database/dated.ts';
import { query } from '../../database/query-builder.ts';
import { settings } from '../../database/schema/system.ts';
import { excluded } from '../../database/sql.ts';
import { type Named, plain, prepare, type Statement } from '../../database/statement.ts';
import type { Logo } from './logo.ts';

/**
 * The entries that replace those of the configuration, by the key of their setting: as in a file, `StoredLogo` for an image, and
 * null for no value.
 */
export type SiteOverrides = Readonly<Record<string, unknown>>;

/** An image in the database, without its bytes. */
export interface StoredLogo extends Omit<Logo, 'bytes'> {
  readonly hash: string;
}

/** The settings of the site as an administrator sees them. */
export interface SiteSettings {
  readonly overrides: SiteOverrides;
  /** The values of the configuration, by key: of an image, the path of its file. */
  readonly configured: Readonly<Record<string, unknown>>;
  /** The present values, by key: of an image, its address. */
  readonly values: Readonly<Record<string, unknown>>;
}

/** A change of a setting: its new entry, the bytes of an image, or back to the value of the configuration. */
export type SiteChange = { readonly entry: unknown } | { readonly logo: Logo } | 'restore';

const PREFIX = 'config.';
const BYTES_PREFIX = 'bytes.';

const findAll = prepare(() =>
  plain(
    sql`SELECT ${GENERATION}, (SELECT json_group_object(${settings.name}, json(${settings.value}))
    FROM ${settings} WHERE ${like(settings.name, `${PREFIX}%`)})`,
    { generation: GENERATION, values: sql<string>`values` },
  ),
);

/** Finds all entries, as JSON text by the names of their rows, with the generation of the database. */
export async function findSiteOverrides(database: Database): Promise<Dated<string>> {
  const { generation, values } = (await database.get(findAll())) as { generation: number; values: string };
  return { generation, value: values };
}

/** Returns the entries of a text of `findSiteOverrides`. */
export function parseSiteOverrides(text: string): SiteOverrides {
  const rows = Object.entries(JSON.parse(text) as Record<string, unknown>);
  return Object.fromEntries(rows.map(([name, entry]) => [name.slice(PREFIX.length), entry]));
}

const findBytes = prepare(({ name }: Named<{ name: string }>) =>
  query.select({ value: settings.value }).from(settings).where(eq(settings.name, name)),
);

/** Finds the bytes of a stored image. Undefined if it was removed. */
export async function findLogoBytes(database: Database, key: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const row = await database.get(findBytes({ name: BYTES_PREFIX + key }));
  return row && new Uint8Array(Buffer.from(row.value, 'base64'));
}

const save = prepare(({ name, value }: Named<{ name: string; value: string }>) =>
  query
    .insert(settings)
    .values({ name, value })
    .onConflictDoUpdate({ target: settings.name, set: { value: excluded(settings.value) } }),
);

const remove = prepare(({ name }: Named<{ name: string }>) => query.delete(settings).where(eq(settings.name, name)));

/** Changes settings of the site by their keys, all at once: the last of two concurrent changes remains. The entries must be valid. */
export async function changeSite(database: Database, changes: ReadonlyMap<string, SiteChange>): Promise<void> {
  const statements = [...changes].flatMap(([key, change]) => statementsOf(key, change));
  if (statements.length > 0) await database.write(statements);
}

function statementsOf(key: string, change: SiteChange): Statement[] {
  const [name, bytesName] = [PREFIX + key, BYTES_PREFIX + key];
  if (change === 'restore') return [remove({ name }), remove({ name: bytesName })];
  if ('entry' in change) return [save({ name, value: JSON.stringify(change.entry) }), remove({ name: bytesName })];
  const { bytes, ...facts } = change.logo;
  const hash = new Bun.CryptoHasher('sha256').update(bytes).digest('hex');
  const stored: StoredLogo = { ...facts, hash };
  return [
    save({ name, value: JSON.stringify(stored) }),
    save({ name: bytesName, value: Buffer.from(bytes).toString('base64') }),
  ];
}
