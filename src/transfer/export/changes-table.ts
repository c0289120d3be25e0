import { stringify } from 'csv-stringify/sync';
import { type LoadContext, USUAL_TABLE_OPTIONS } from '../table/table-options.ts';
import { tableFile } from '../table/write-table.ts';
import { ExportTally } from './export-report.ts';
import { tableRows } from './export-table.ts';
import { selectNodes } from './select-nodes.ts';

/** The nodes of a table of changes: those with the ids, or the direct and indirect members of a node. */
export type ChangesSelection = { readonly ids: readonly number[] } | { readonly membersOf: number };

const NAME = 'changes.csv';
/** No node has this id. A selection that names no node is one of all nodes. */
const NO_NODE = 0;

/**
 * Yields the nodes that the actor may view as a table of changes for spreadsheets. A value that the table cannot hold leaves its
 * cell empty, which changes nothing; comments at the end of the table count these. Throws the reason of the abort.
 */
export async function* changesTable(
  context: LoadContext,
  selection: ChangesSelection,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const problems: string[] = [];
  const watch = {
    signal,
    onProgress() {},
    onProblem: ({ nodeId, message }: { readonly nodeId: number; readonly message: string }) =>
      problems.push(`Node ${nodeId}: ${message}`),
  };
  const tally = new ExportTally(watch, 0);
  const named =
    'ids' in selection ? { nodes: [NO_NODE, ...selection.ids], membersOf: undefined } : { nodes: [], ...selection };
  const selected = await selectNodes(context, { ...named, contentType: undefined });
  const { subdelimiter } = USUAL_TABLE_OPTIONS;
  const rows = tableRows(context, selected, {
    ...{ table: NAME, subdelimiter, contentType: undefined, isForSpreadsheets: true, isForUpdate: true },
    ...{ place: undefined, omitsDivided: true, tally, signal },
  });
  const decoder = new TextDecoder();
  for await (const bytes of tableFile(NAME, rows)) yield decoder.decode(bytes);
  const divided = [...tally.losses].filter(([loss]) => loss.endsWith('which changes nothing'));
  for (const comment of [...divided.map(([loss, count]) => `${count} ${loss}.`), ...problems])
    yield stringify([[`# ${comment}`]]);
}
