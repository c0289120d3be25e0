import { Presets, SingleBar } from 'cli-progress';
import type { MoveProgress } from '../modes/storage-move-administration.ts';
import { byteText } from './byte-text.ts';
import { createProgressLines } from './progress-lines.ts';

/** Shows how far a move is, on standard error. */
export interface MoveDisplay {
  show(progress: MoveProgress): void;
  /** Writes a line of its own, beside what is shown. */
  tell(line: string): void;
  end(): void;
}

/** A bar on a terminal, a line now and then elsewhere; for `isQuiet` only what is told. */
export function showMove(isQuiet: boolean, stream: NodeJS.WriteStream = process.stderr): MoveDisplay {
  const tell = (line: string) => void stream.write(`${line}\n`);
  if (isQuiet) return { show() {}, tell, end() {} };
  return stream.isTTY ? drawBar(stream, tell) : writeLines(stream, tell);
}

function drawBar(stream: NodeJS.WriteStream, tell: MoveDisplay['tell']): MoveDisplay {
  const format = '[{bar}] {percentage}% | {files} of {all} files | {done} of {size} | {eta_formatted} left';
  const bar = new SingleBar(
    { stream, format, etaBuffer: 100, gracefulExit: false, clearOnComplete: false },
    Presets.legacy,
  );
  let isStarted = false;
  return {
    show({ files, bytes, total }) {
      const facts = { files, all: total.files, done: byteText(bytes), size: byteText(total.bytes) };
      // Empty files are no bytes, and are moved all the same.
      const [most, value] = total.bytes > 0 ? [total.bytes, bytes] : [total.files, files];
      if (!isStarted) bar.start(most, 0, facts);
      isStarted = true;
      bar.update(value, facts);
    },
    tell(line) {
      if (isStarted) stream.write('\r\x1b[K');
      tell(line);
    },
    end: () => bar.stop(),
  };
}

function writeLines(stream: NodeJS.WriteStream, tell: MoveDisplay['tell']): MoveDisplay {
  return {
    show: createProgressLines(
      stream,
      ({ files, bytes, total }) => `${files} of ${total.files} files, ${byteText(bytes)} of ${byteText(total.bytes)}.`,
    ),
    tell,
    end() {},
  };
}
