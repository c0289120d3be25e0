import type { ExportProgress } from '../modes/export-administration.ts';
import { byteText } from './byte-text.ts';
import { type ProgressDisplay, type ProgressLook, showProgress } from './progress-display.ts';

const LOOK: ProgressLook<ExportProgress> = {
  format: '[{bar}] {percentage}% | {value} of {total} nodes | {files} files, {size} | {eta_formatted} left',
  measure: ({ nodes, total, files, bytes }) => ({ total, value: nodes, facts: { files, size: byteText(bytes) } }),
  lineOf: ({ nodes, total, files, bytes }) => `${nodes} of ${total} nodes, ${files} files of ${byteText(bytes)}.`,
};

/** Shows how far an export is; for `isQuiet` only what is told. */
export function showExport(
  isQuiet: boolean,
  stream: NodeJS.WriteStream = process.stderr,
): ProgressDisplay<ExportProgress> {
  return showProgress(LOOK, isQuiet, stream);
}
