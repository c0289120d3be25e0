import { Presets, SingleBar } from 'cli-progress';
import type { VerifyProgress } from '../modes/storage-administration.ts';
import type { DatabaseProgress } from '../modes/verify-database.ts';
import { byteText } from './byte-text.ts';
import { createProgressLines } from './progress-lines.ts';
import { timeText } from './scan-display.ts';

/** Shows how far a check is, on standard error. */
export interface VerifyDisplay {
  show(progress: VerifyProgress): void;
  end(): void;
}

/** Creates a progress bar on a terminal, periodic lines elsewhere, and no output with `isQuiet`. */
export function showVerify(isQuiet: boolean, stream: NodeJS.WriteStream = process.stderr): VerifyDisplay {
  if (isQuiet) return { show() {}, end() {} };
  return stream.isTTY ? drawBar(stream) : writeLines(stream);
}

function drawBar(stream: NodeJS.WriteStream): VerifyDisplay {
  const format =
    '[{bar}] {percentage}% | {value} of {total} files | {read} | {problems} not intact | {eta_formatted} left';
  let isFinished = false;
  // At the end there may be no number yet: nothing is left all the same.
  const formatTime = (seconds: number) => timeText(isFinished ? 0 : seconds);
  const bar = new SingleBar({ stream, format, formatTime, etaBuffer: 100, gracefulExit: false }, Presets.legacy);
  let isStarted = false;
  return {
    show({ checked, total, bytes, problems }) {
      isFinished = checked === total;
      const facts = { read: byteText(bytes), problems };
      // From where an earlier one was broken off: that part says nothing of how long the rest takes.
      if (!isStarted) bar.start(total, checked, facts);
      isStarted = true;
      bar.update(checked, facts);
    },
    end: () => bar.stop(),
  };
}

function writeLines(stream: NodeJS.WriteStream): VerifyDisplay {
  return {
    show: createProgressLines(
      stream,
      ({ checked, total, bytes, problems }) =>
        `Checked ${checked} of ${total} files, ${byteText(bytes)}, ${problems} not intact.`,
    ),
    end() {},
  };
}

/** Shows the progress of a database check. */
export interface DatabaseVerifyDisplay {
  show(progress: DatabaseProgress): void;
  end(): void;
}

/** Creates a progress bar on a terminal, periodic lines elsewhere, and no output with `isQuiet`. */
export function showDatabaseVerify(
  isQuiet: boolean,
  stream: NodeJS.WriteStream = process.stderr,
): DatabaseVerifyDisplay {
  if (isQuiet) return { show() {}, end() {} };
  if (!stream.isTTY) {
    const lineOf = ({ checked, total, problems }: DatabaseProgress) =>
      `Checked ${checked} of ${total} revisions, ${problems} problems.`;
    return { show: createProgressLines(stream, lineOf), end() {} };
  }
  const format = '[{bar}] {percentage}% | {value} of {total} revisions | {problems} problems | {eta_formatted} left';
  const bar = new SingleBar({ stream, format, formatTime: timeText, gracefulExit: false }, Presets.legacy);
  let isStarted = false;
  return {
    show({ checked, total, problems }) {
      if (!isStarted) bar.start(total, checked, { problems });
      isStarted = true;
      bar.setTotal(total);
      bar.update(checked, { problems });
    },
    end: () => bar.stop(),
  };
}
