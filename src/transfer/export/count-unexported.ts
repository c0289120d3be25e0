import { and, count, inArray, ne, notExists, type SQL } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { query } from '../../database/query-builder.ts';
import { media } from '../../database/schema/content.ts';
import { files } from '../../database/schema/files.ts';
import { redirects } from '../../database/schema/loading.ts';
import { references } from '../../database/schema/references.ts';
import { prepare, type Statement } from '../../database/statement.ts';
import { GENERIC_ICON_URI } from '../../repository/files/generic-icon.ts';
import { STATUS_GONE } from '../../repository/redirect-source.ts';
import { isNodeOf, refersTo } from '../../repository/relations.ts';
import type { LoadContext } from '../table/table-options.ts';
import type { ExportTally } from './export-report.ts';
import type { SelectedNodes } from './select-nodes.ts';

const reference = alias(references, 'r');
const isUnreferenced = (condition: SQL | undefined) =>
  notExists(query.select({ id: reference.sourceId }).from(reference).where(condition));
const toMedia = and(refersTo(reference, 'media', media.id), inArray(reference.sourceType, ['node', 'paragraph']));

/** The queries that count what belongs to no node, by their names in the report. */
const COUNTS: Readonly<Record<string, () => Statement<{ count: number }[]>>> = {
  'media of no node: not exported': prepare(() =>
    query
      .select({ count: count() })
      .from(media)
      .where(and(isUnreferenced(isNodeOf(reference, media.id)), isUnreferenced(toMedia))),
  ),
  'unreferenced files: not exported, except files of earlier revisions in OCFL': prepare(() =>
    query
      .select({ count: count() })
      .from(files)
      .where(and(ne(files.uri, GENERIC_ICON_URI), isUnreferenced(refersTo(reference, 'file', files.id)))),
  ),
  'redirects: not exported': prepare(() =>
    query.select({ count: count() }).from(redirects).where(ne(redirects.statusCode, STATUS_GONE)),
  ),
};

/** Adds the counts of what belongs to no node as losses, if all nodes are exported. */
export async function countUnexported(
  { services }: LoadContext,
  { isAll }: SelectedNodes,
  tally: ExportTally,
): Promise<void> {
  if (!isAll) return;
  for (const [name, countLeft] of Object.entries(COUNTS)) {
    const { count: left = 0 } = (await services.database.get(countLeft())) ?? {};
    if (left > 0) tally.addLoss(name, left);
  }
}
