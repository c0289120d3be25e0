import type { Progress } from '../upkeep/backup/make-backup.ts';
import type { MoveProgress } from '../upkeep/move/move.ts';
import { type ProgressLook, showProgress } from './progress-display.ts';
import { byteText } from './text.ts';

/** The look of files on their way from one store to another. */
export const MOVE_LOOK: ProgressLook<MoveProgress> = {
  format: '[{bar}] {percentage}% | {files} of {all} files | {done} of {size} | {eta_formatted} left',
  measure({ files, bytes, total }) {
    const facts = { files, all: total.files, done: byteText(bytes), size: byteText(total.bytes) };
    // Empty files have no bytes, and are moved all the same.
    return total.bytes > 0 ? { total: total.bytes, value: bytes, facts } : { total: total.files, value: files, facts };
  },
  lineOf: ({ files, bytes, total }) =>
    `${files} of ${total.files} files, ${byteText(bytes)} of ${byteText(total.bytes)}.`,
};

/** Shows the progress of a backup or a restore: a bar for the files, and a line for the database. */
export function showTransfer(databaseLine: string, isQuiet: boolean) {
  const display = showProgress(MOVE_LOOK, isQuiet);
  let isTold = false;
  return {
    show({ step, files, bytes, totalFiles, totalBytes }: Progress): void {
      if (step === 'files') display.show({ files, bytes, total: { files: totalFiles, bytes: totalBytes } });
      else if (!isTold && !isQuiet) display.tell(databaseLine);
      isTold ||= step !== 'files';
    },
    end: display.end,
  };
}
