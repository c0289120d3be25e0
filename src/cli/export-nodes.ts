import { name as program, version } from '../../package.json' with { type: 'json' };
import { CommandError } from '../base/errors.ts';
import { byteText, countInWords } from '../base/in-words.ts';
import { nearest } from '../base/nearest.ts';
import type { CommandRepository } from '../server/open-repository-for-command.ts';
import { exportPackages } from '../transfer/export/export-packages.ts';
import type { ExportProgress, ExportSummary } from '../transfer/export/export-report.ts';
import { exportTable } from '../transfer/export/export-table.ts';
import { type NodeSelection, type SelectedNodes, selectNodes } from '../transfer/export/select-nodes.ts';
import type { LoadContext } from '../transfer/table/table-options.ts';
import { type ProgressStyle, showProgress } from './progress-display.ts';
import type { SettingFlags } from './settings.ts';
import { unlessStopped } from './stop-signal.ts';
import { filesText, plainLine } from './text.ts';

/** The options of `repo export`. */
export interface ExportFlags extends SettingFlags {
  files?: string;
  bag?: string;
  ocfl?: string;
  node: number[];
  membersOf?: number;
  contentType?: string;
  user?: string;
  delimiter: string;
  subdelimiter: string;
  forSpreadsheets?: boolean;
  forUpdate?: boolean;
  template?: string;
  quiet?: boolean;
}

/** The maximum number of problems that are shown. */
const MAX_SHOWN_PROBLEMS = 100;

const LOOK: ProgressStyle<ExportProgress> = {
  format: '[{bar}] {percentage}% | {value} of {total} nodes | {files} files, {size} | {eta_formatted} left',
  measure: ({ nodes, total, files, bytes }) => ({ total, value: nodes, facts: { files, size: byteText(bytes) } }),
  lineOf: ({ nodes, total, files, bytes }) => `${nodes} of ${total} nodes, ${files} files of ${byteText(bytes)}.`,
};

/** Writes nodes into a table or into packages, and prints a summary. Returns false for problems and after Ctrl-C. */
export async function exportNodes(
  repository: CommandRepository,
  table: string | undefined,
  flags: ExportFlags,
): Promise<boolean> {
  const summary = await unlessStopped(
    'The export was interrupted. Written packages are complete; no table was written.',
    (signal) => write(repository, table, flags, signal),
  );
  return summary !== undefined && printSummary(summary);
}

async function write(
  repository: CommandRepository,
  table: string | undefined,
  flags: ExportFlags,
  signal: AbortSignal,
): Promise<ExportSummary> {
  const display = showProgress(LOOK, flags.quiet ?? false);
  let told = 0;
  const watch = {
    signal,
    onProgress: display.show,
    onProblem: ({ nodeId, message }: { nodeId: number; message: string }) => {
      told += 1;
      if (told <= MAX_SHOWN_PROBLEMS) display.tell(plainLine(`Node ${nodeId}: ${message}`));
    },
  };
  const { node: nodes, membersOf, contentType, files, delimiter, subdelimiter } = flags;
  const { forSpreadsheets: isForSpreadsheets = false, forUpdate: isForUpdate = false } = flags;
  try {
    const context = await contextFor(repository, flags.user);
    const selected = await select(context, { nodes, membersOf, contentType });
    if (table !== undefined) {
      const request = { table, files, delimiter, subdelimiter, contentType, isForSpreadsheets, isForUpdate };
      return await exportTable(context, selected, request, watch);
    }
    const format = flags.bag === undefined ? 'ocfl' : 'bag';
    const packages = {
      format,
      folder: flags[format] as string,
      agent: `${program} ${version}`,
      sender: repository.config.bags,
    } as const;
    return await exportPackages(context, selected, packages, watch);
  } finally {
    display.end();
  }
}

/** Returns the context of an export for a user, or for the administrator. Throws CommandError for an unknown or blocked one. */
export async function contextFor(
  { findUser, contextOf }: CommandRepository,
  name: string | undefined,
): Promise<LoadContext> {
  const user = await findUser(name);
  if (name !== undefined && !user.row.status) throw new CommandError(`${user.row.name} is blocked and has no access.`);
  return contextOf(user);
}

/** Returns a content type by name. Throws CommandError for an unknown one. */
export function requireContentType({ services }: LoadContext, name: string) {
  const { nodeTypes } = services.model;
  const type = nodeTypes.get(name);
  if (type !== undefined) return type;
  const names = [...nodeTypes.keys()];
  const guess = nearest(name, names);
  const hint = guess === undefined ? `the content types are ${names.join(', ')}` : `did you mean ${guess}?`;
  throw new CommandError(`Unknown content type ${name}; ${hint}`);
}

async function select(context: LoadContext, selection: NodeSelection): Promise<SelectedNodes> {
  const { contentType, nodes, membersOf } = selection;
  if (contentType !== undefined) requireContentType(context, contentType);
  const named = [...nodes, ...(membersOf === undefined ? [] : [membersOf])];
  const all = await selectNodes(context, { nodes: named, membersOf: undefined, contentType: undefined });
  const existing = await all.among(named);
  const missing = named.filter((id) => !existing.has(id));
  if (missing.length > 0)
    throw new CommandError(`Cannot find node ${missing.join(', ')}, or ${context.actor.name} may not view it.`);
  return selectNodes(context, selection);
}

/** Prints the summary. Returns false for problems. */
function printSummary({ nodes, files, bytes, problems, losses, isWritten }: ExportSummary): boolean {
  const hidden = problems - MAX_SHOWN_PROBLEMS;
  if (hidden > 0) console.error(`… and ${hidden} more.`);
  for (const [what, count] of losses) console.error(`Note: ${count} ${what}.`);
  if (!isWritten) console.error('The table was not written: an import would misread some of its cells.');
  else {
    const withFiles = files === 0 ? '' : ` and ${filesText(files, bytes)}`;
    console.log(`Exported ${countInWords(nodes, 'node')}${withFiles}.`);
  }
  return problems === 0;
}
