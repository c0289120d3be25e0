import { Presets, SingleBar } from 'cli-progress';
import { byteText } from '../base/in-words.ts';
import type { Progress } from '../upkeep/backup/make-backup.ts';
import type { MoveProgress } from '../upkeep/move/move.ts';

/** The interval of lines about progress where no bar can be drawn, in milliseconds. */
const LINE_INTERVAL_MS = 10_000;
/** The number of updates from which a bar estimates the time that is left. */
const ETA_UPDATES = 100;

/** Shows the progress of a command, on standard error. */
export interface ProgressDisplay<Progress> {
  show(progress: Progress): void;
  /** Writes a line of its own, beside the progress. */
  tell(line: string): void;
  end(): void;
}

/** The display of progress. */
export interface ProgressStyle<Progress> {
  /** The format of the bar for cli-progress, with the names of `measure`. */
  readonly format: string;
  readonly measure: (progress: Progress) => Measure;
  /** The same in a sentence, where no bar can be drawn. */
  readonly lineOf: (progress: Progress) => string;
  /** True for work that an earlier run began: counts from the first value, and shows the time left as a clock. */
  readonly isResumable?: boolean;
}

interface Measure {
  readonly total: number;
  readonly value: number;
  readonly facts: object;
  readonly isFinished?: boolean;
}

/** Creates a progress bar on a terminal, and periodic lines elsewhere. With `isQuiet` only `tell` writes. */
export function showProgress<Progress>(
  style: ProgressStyle<Progress>,
  isQuiet: boolean,
  stream: NodeJS.WriteStream = process.stderr,
): ProgressDisplay<Progress> {
  const tell = (line: string) => void stream.write(`${line}\n`);
  if (isQuiet) return { show() {}, tell, end() {} };
  if (stream.isTTY) return drawBar(style, stream, tell);
  return { show: createProgressLines(stream, style.lineOf), tell, end() {} };
}

/** Writes a line about progress now and then. */
export function createProgressLines<Progress>(
  stream: NodeJS.WriteStream,
  lineOf: (progress: Progress) => string,
): (progress: Progress) => void {
  let next = performance.now() + LINE_INTERVAL_MS;
  return (progress) => {
    if (performance.now() < next) return;
    next = performance.now() + LINE_INTERVAL_MS;
    stream.write(`${lineOf(progress)}\n`);
  };
}

function drawBar<Progress>(
  { format, measure, isResumable = false }: ProgressStyle<Progress>,
  stream: NodeJS.WriteStream,
  tell: (line: string) => void,
): ProgressDisplay<Progress> {
  let isFinished = false;
  // At the end the estimate may still be no number.
  const formatTime = (seconds: number) => clockText(isFinished ? 0 : seconds);
  const options = { stream, format, etaBuffer: ETA_UPDATES, gracefulExit: false, ...(isResumable && { formatTime }) };
  const bar = new SingleBar(options, Presets.legacy);
  let isStarted = false;
  return {
    show(progress) {
      const measured = measure(progress);
      const { total, value, facts } = measured;
      isFinished = measured.isFinished ?? value === total;
      if (!isStarted) bar.start(total, isResumable ? value : 0, facts);
      isStarted = true;
      bar.setTotal(total);
      bar.update(value, facts);
    },
    tell(line) {
      if (isStarted) stream.write('\r\x1b[K');
      tell(line);
    },
    end: () => bar.stop(),
  };
}

/** Formats seconds as `1:02:03`. The estimate of cli-progress may be no number. */
function clockText(seconds: number): string {
  if (!Number.isFinite(seconds)) return '-:--:--';
  const two = (part: number) => String(Math.floor(part)).padStart(2, '0');
  return `${Math.floor(seconds / 3_600)}:${two((seconds % 3_600) / 60)}:${two(seconds % 60)}`;
}

/** The display of files on their way from one store to another. */
export const MOVE_LOOK: ProgressStyle<MoveProgress> = {
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
