import { GENERIC_ICON_URI } from '../../repository/files/generic-icon.ts';
import type { LoadContext } from '../table/table-options.ts';
import type { ExportTally } from './export-report.ts';
import type { SelectedNodes } from './select-nodes.ts';

/** What there is beside the nodes: how to count it, by what it is called. */
const BESIDE: Readonly<Record<string, string>> = {
  'media that belong to no node: they are left out': `SELECT count(*) FROM media m
    WHERE NOT EXISTS (SELECT 1 FROM reference r
      WHERE r.source_type = 'media' AND r.source_id = m.id AND r.field = 'field_media_of')
    AND NOT EXISTS (SELECT 1 FROM reference r
      WHERE r.target_type = 'media' AND r.target_id = m.id AND r.source_type IN ('node', 'paragraph'))`,
  'files that nothing refers to now: they are left out, but for those of earlier revisions in OCFL': `SELECT count(*)
    FROM file f WHERE f.uri <> '${GENERIC_ICON_URI}'
    AND NOT EXISTS (SELECT 1 FROM reference r WHERE r.target_type = 'file' AND r.target_id = f.id)`,
  'redirects: they are left out': 'SELECT count(*) FROM redirect',
};

/** Counts as losses what comes with no node, for whoever exports all nodes and may take that for everything. */
export async function countLeftBehind(
  { services }: LoadContext,
  { isAll }: SelectedNodes,
  tally: ExportTally,
): Promise<void> {
  if (!isAll) return;
  for (const [what, sql] of Object.entries(BESIDE)) {
    const count = Number((await services.database.first(sql, []))?.[0] ?? 0);
    if (count > 0) tally.addLoss(what, count);
  }
}
