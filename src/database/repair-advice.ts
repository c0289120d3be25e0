/** Tables of the search index, which is built from the content. */
const INDEX = /^(search_|node_record$|facet_value$|extracted_text$)/;
/** Tables whose rows are removed after some time. */
const EXPIRING = new Set(['session', 'flood_event', 'password_reset', 'mail_change', 'object_hold']);

/** Returns the way to repair a row of a table. */
export function adviceOf(table: string): string {
  if (INDEX.test(table)) return 'Build the search index again with: repo search reindex';
  if (EXPIRING.has(table)) return 'It can be deleted, and is removed when it expires.';
  return 'Restore a backup of before the damage into a new data folder with: repo restore';
}
