import { getTableName } from 'drizzle-orm';
import init from '../../drizzle/0000_init.sql' with { type: 'text' };
import generation from '../../drizzle/0001_generation.sql' with { type: 'text' };
import linkedMedia from '../../drizzle/0002_linked_media.sql' with { type: 'text' };
import derivatives from '../../drizzle/0003_derivatives.sql' with { type: 'text' };
import scale from '../../drizzle/0004_scale.sql' with { type: 'text' };
import loading from '../../drizzle/0005_loading.sql' with { type: 'text' };
import paragraphs from '../../drizzle/0006_paragraphs.sql' with { type: 'text' };
import mediaFollowNodes from '../../drizzle/0007_media_follow_nodes.sql' with { type: 'text' };
import nodeIdsOfImports from '../../drizzle/0008_node_ids_of_imports.sql' with { type: 'text' };
import credentialsChanged from '../../drizzle/0009_credentials_changed.sql' with { type: 'text' };
import revisionChecksum from '../../drizzle/0010_revision_checksum.sql' with { type: 'text' };
import listsOfNodes from '../../drizzle/0011_lists_of_nodes.sql' with { type: 'text' };
import searchIndex from '../../drizzle/0012_search_index.sql' with { type: 'text' };
import wordsOfTheIndex from '../../drizzle/0013_words_of_the_index.sql' with { type: 'text' };
import listOrders from '../../drizzle/0014_list_orders.sql' with { type: 'text' };
import harvestOrder from '../../drizzle/0015_harvest_order.sql' with { type: 'text' };
import accounts from '../../drizzle/0016_accounts.sql' with { type: 'text' };
import tableUploads from '../../drizzle/0017_table_uploads.sql' with { type: 'text' };
import bulkRuns from '../../drizzle/0018_bulk_runs.sql' with { type: 'text' };
import uploads from '../../drizzle/0019_uploads.sql' with { type: 'text' };
import deletedAccounts from '../../drizzle/0020_deleted_accounts.sql' with { type: 'text' };
import serverOfTable from '../../drizzle/0021_server_of_table.sql' with { type: 'text' };
import mailChanges from '../../drizzle/0022_mail_changes.sql' with { type: 'text' };
import searchWithoutDeleteMerges from '../../drizzle/0023_search_without_delete_merges.sql' with { type: 'text' };
import runs from '../../drizzle/0024_runs.sql' with { type: 'text' };
import releasedFiles from '../../drizzle/0025_released_files.sql' with { type: 'text' };
import sessionsInUse from '../../drizzle/0026_sessions_in_use.sql' with { type: 'text' };
import derivativesAndRedirects from '../../drizzle/0027_derivatives_and_redirects.sql' with { type: 'text' };
import removedTargets from '../../drizzle/0028_removed_targets.sql' with { type: 'text' };
import words from '../../drizzle/0029_words.sql' with { type: 'text' };
import typesOfFilesAndRemovedNodes from '../../drizzle/0030_types_of_files_and_removed_nodes.sql' with { type: 'text' };
import tombstones from '../../drizzle/0031_tombstones.sql' with { type: 'text' };
import uploadMetadata from '../../drizzle/0032_upload_metadata.sql' with { type: 'text' };
import authorityLists from '../../drizzle/0033_authority_lists.sql' with { type: 'text' };
import memberPlaces from '../../drizzle/0034_member_places.sql' with { type: 'text' };
import valuesByField from '../../drizzle/0035_values_by_field.sql' with { type: 'text' };
import mergedTerms from '../../drizzle/0036_merged_terms.sql' with { type: 'text' };
import accessRules from '../../drizzle/0037_access_rules.sql' with { type: 'text' };
import usage from '../../drizzle/0038_usage.sql' with { type: 'text' };
import termOrder from '../../drizzle/0039_term_order.sql' with { type: 'text' };
import traffic from '../../drizzle/0040_traffic.sql' with { type: 'text' };
import searchSnapshot from '../../drizzle/0041_search_snapshot.sql' with { type: 'text' };
import mediaPlaces from '../../drizzle/0042_media_places.sql' with { type: 'text' };
import collectionRoles from '../../drizzle/0043_collection_roles.sql' with { type: 'text' };
import orderOfHarvests from '../../drizzle/0044_order_of_harvests.sql' with { type: 'text' };
import asking from '../../drizzle/0045_asking.sql' with { type: 'text' };
import { DamagedDatabaseError } from './damage.ts';
import type { DatabaseClient } from './database-client.ts';
import { failedUniqueness } from './errors.ts';
import { query } from './query-builder.ts';
import { appliedMigrations, findTable } from './sqlite-tables.ts';
import { type Named, prepare, resultOf } from './statement.ts';

const LEDGER = 'CREATE TABLE IF NOT EXISTS migration (name TEXT PRIMARY KEY NOT NULL, applied INTEGER NOT NULL)';

/** The database was migrated by a newer version. This version must not write to it. */
export class NewerDatabaseError extends Error {
  override readonly name = 'NewerDatabaseError';
}

/** The format of migration names in every version. */
const MIGRATION_NAME = /^\d{4}_[a-z0-9_]+$/;

/**
 * Returns the names of the migrations that a database still needs. Throws NewerDatabaseError for a database of a newer
 * version, and DamagedDatabaseError if no version can have written its list of applied migrations.
 */
export async function pendingMigrations(client: DatabaseClient): Promise<string[]> {
  const applied = await namesOfApplied(client);
  if (applied === undefined) return migrations.map(({ name }) => name);
  const known = new Set(migrations.map(({ name }) => name));
  const unknown = applied.filter((name) => !known.has(name));
  if (applied.length === 0 || !unknown.every((name) => MIGRATION_NAME.test(name)))
    throw new DamagedDatabaseError('its table "migration" holds no valid list of migrations');
  if (unknown.length > 0) {
    throw new NewerDatabaseError(
      `The database was changed by a newer version of repo (${unknown.join(', ')}): start that version, or restore a backup.`,
    );
  }
  const missing = migrations.map(({ name }) => name).filter((name) => !applied.includes(name));
  // They are applied in order.
  if (missing.some((name) => name < (applied.at(-1) as string)))
    throw new DamagedDatabaseError(`its table "migration" lacks ${missing[0]}`);
  return missing;
}

/**
 * Applies the pending migrations, each in its own transaction; an empty database gets all of them in one transaction.
 * Processes may call this at the same time: each migration is applied once. Returns the names of the migrations that
 * this process has applied. `now` is in seconds since 1970.
 */
export async function migrate(client: DatabaseClient, now: number): Promise<string[]> {
  const pending = new Set(await pendingMigrations(client));
  const needed = migrations.filter(({ name }) => pending.has(name));
  const steps = needed.length === migrations.length ? [needed] : needed.map((migration) => [migration]);
  const made: string[] = [];
  for (const step of steps) if (await apply(client, step, now)) made.push(...step.map(({ name }) => name));
  return made;
}

/** Applies migrations. Returns false if another process was faster. */
async function apply(client: DatabaseClient, step: readonly Migration[], now: number): Promise<boolean> {
  // The records come first: the second of two processes fails before it changes anything.
  const records = step.map(({ name }) => recordMigration({ name, now }));
  try {
    await client.batch([LEDGER, ...records, ...step.flatMap(({ statements }) => statements)], 'write');
    return true;
  } catch (error) {
    if (failedUniqueness(error) !== 'migration.name') throw error;
    return false;
  }
}

/** Returns the applied migrations; undefined for a database without the table. */
async function namesOfApplied(client: DatabaseClient): Promise<string[] | undefined> {
  const ledger = await client.execute(findTable({ name: getTableName(appliedMigrations) }));
  if (ledger.rows.length === 0) return undefined;
  const applied = listApplied();
  return resultOf(applied, await client.execute(applied)).map(({ name }) => name);
}

const listApplied = prepare(() =>
  query.select({ name: appliedMigrations.name }).from(appliedMigrations).orderBy(appliedMigrations.name),
);
const recordMigration = prepare(({ name, now }: Named<{ name: string; now: number }>) =>
  query.insert(appliedMigrations).values({ name, applied: now }),
);

interface Migration {
  /** The file in `drizzle`, without its extension. */
  readonly name: string;
  readonly statements: readonly string[];
}

/** All migrations in order. They are part of the executable; a test compares this list with the folder. */
export const migrations: readonly Migration[] = [
  { name: '0000_init', statements: split(init) },
  { name: '0001_generation', statements: split(generation) },
  { name: '0002_linked_media', statements: split(linkedMedia) },
  { name: '0003_derivatives', statements: split(derivatives) },
  { name: '0004_scale', statements: split(scale) },
  { name: '0005_loading', statements: split(loading) },
  { name: '0006_paragraphs', statements: split(paragraphs) },
  { name: '0007_media_follow_nodes', statements: split(mediaFollowNodes) },
  { name: '0008_node_ids_of_imports', statements: split(nodeIdsOfImports) },
  { name: '0009_credentials_changed', statements: split(credentialsChanged) },
  { name: '0010_revision_checksum', statements: split(revisionChecksum) },
  { name: '0011_lists_of_nodes', statements: split(listsOfNodes) },
  { name: '0012_search_index', statements: split(searchIndex) },
  { name: '0013_words_of_the_index', statements: split(wordsOfTheIndex) },
  { name: '0014_list_orders', statements: split(listOrders) },
  { name: '0015_harvest_order', statements: split(harvestOrder) },
  { name: '0016_accounts', statements: split(accounts) },
  { name: '0017_table_uploads', statements: split(tableUploads) },
  { name: '0018_bulk_runs', statements: split(bulkRuns) },
  { name: '0019_uploads', statements: split(uploads) },
  { name: '0020_deleted_accounts', statements: split(deletedAccounts) },
  { name: '0021_server_of_table', statements: split(serverOfTable) },
  { name: '0022_mail_changes', statements: split(mailChanges) },
  { name: '0023_search_without_delete_merges', statements: split(searchWithoutDeleteMerges) },
  { name: '0024_runs', statements: split(runs) },
  { name: '0025_released_files', statements: split(releasedFiles) },
  { name: '0026_sessions_in_use', statements: split(sessionsInUse) },
  { name: '0027_derivatives_and_redirects', statements: split(derivativesAndRedirects) },
  { name: '0028_removed_targets', statements: split(removedTargets) },
  { name: '0029_words', statements: split(words) },
  { name: '0030_types_of_files_and_removed_nodes', statements: split(typesOfFilesAndRemovedNodes) },
  { name: '0031_tombstones', statements: split(tombstones) },
  { name: '0032_upload_metadata', statements: split(uploadMetadata) },
  { name: '0033_authority_lists', statements: split(authorityLists) },
  { name: '0034_member_places', statements: split(memberPlaces) },
  { name: '0035_values_by_field', statements: split(valuesByField) },
  { name: '0036_merged_terms', statements: split(mergedTerms) },
  { name: '0037_access_rules', statements: split(accessRules) },
  { name: '0038_usage', statements: split(usage) },
  { name: '0039_term_order', statements: split(termOrder) },
  { name: '0040_traffic', statements: split(traffic) },
  { name: '0041_search_snapshot', statements: split(searchSnapshot) },
  { name: '0042_media_places', statements: split(mediaPlaces) },
  { name: '0043_collection_roles', statements: split(collectionRoles) },
  { name: '0044_order_of_harvests', statements: split(orderOfHarvests) },
  { name: '0045_asking', statements: split(asking) },
];

function split(sql: string): string[] {
  return sql
    .split('--> statement-breakpoint')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}
