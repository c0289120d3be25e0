import { Presets, SingleBar } from 'cli-progress';
import type { ExportProgress } from '../modes/export-administration.ts';
import { byteText } from './byte-text.ts';
import { createProgressLines } from './progress-lines.ts';

/** Shows how far an export is, on standard error. */
export interface ExportDisplay {
  show(progress: ExportProgress): void;
  /** Writes a line of its own, beside what is shown. */
  tell(line: string): void;
  end(): void;
}

/** A bar on a terminal, a line now and then elsewhere; for `isQuiet` only what is told. */
export function showExport(isQuiet: boolean, stream: NodeJS.WriteStream = process.stderr): ExportDisplay {
  const tell = (line: string) => void stream.write(`${line}\n`);
  if (isQuiet) return { show() {}, tell, end() {} };
  return stream.isTTY ? drawBar(stream, tell) : writeLines(stream, tell);
}

function drawBar(stream: NodeJS.WriteStream, tell: ExportDisplay['tell']): ExportDisplay {
  const format = '[{bar}] {percentage}% | {value} of {total} nodes | {files} files, {size} | {eta_formatted} left';
  const bar = new SingleBar(
    { stream, format, etaBuffer: 100, gracefulExit: false, clearOnComplete: false },
    Presets.legacy,
  );
  let isStarted = false;
  return {
    show({ nodes, total, files, bytes }) {
      const facts = { files, size: byteText(bytes) };
      if (!isStarted) bar.start(total, 0, facts);
      isStarted = true;
      bar.update(nodes, facts);
    },
    tell(line) {
      if (isStarted) stream.write('\r\x1b[K');
      tell(line);
    },
    end: () => bar.stop(),
  };
}

function writeLines(stream: NodeJS.WriteStream, tell: ExportDisplay['tell']): ExportDisplay {
  return {
    show: createProgressLines(
      stream,
      ({ nodes, total, files, bytes }) => `${nodes} of ${total} nodes, ${files} files of ${byteText(bytes)}.`,
    ),
    tell,
    end() {},
  };
}
