import type { MoveProgress } from '../modes/storage-move-administration.ts';
import { byteText } from './byte-text.ts';
import { type ProgressDisplay, type ProgressLook, showProgress } from './progress-display.ts';

const LOOK: ProgressLook<MoveProgress> = {
  format: '[{bar}] {percentage}% | {files} of {all} files | {done} of {size} | {eta_formatted} left',
  measure({ files, bytes, total }) {
    const facts = { files, all: total.files, done: byteText(bytes), size: byteText(total.bytes) };
    // Empty files are no bytes, and are moved all the same.
    return total.bytes > 0 ? { total: total.bytes, value: bytes, facts } : { total: total.files, value: files, facts };
  },
  lineOf: ({ files, bytes, total }) =>
    `${files} of ${total.files} files, ${byteText(bytes)} of ${byteText(total.bytes)}.`,
};

/** Shows how far a move is; for `isQuiet` only what is told. */
export function showMove(isQuiet: boolean, stream: NodeJS.WriteStream = process.stderr): ProgressDisplay<MoveProgress> {
  return showProgress(LOOK, isQuiet, stream);
}
