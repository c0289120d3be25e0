import { Presets, SingleBar } from 'cli-progress';
import type { ScanProgress } from '../modes/scan-administration.ts';
import { createProgressLines } from './progress-lines.ts';

/** Shows how far a scan is, on standard error. */
export interface ScanDisplay {
  show(progress: ScanProgress): void;
  end(): void;
}

/** A bar on a terminal, a line now and then elsewhere, and nothing at all for `isQuiet`. */
export function showScan(isQuiet: boolean, stream: NodeJS.WriteStream = process.stderr): ScanDisplay {
  if (isQuiet) return { show() {}, end() {} };
  return stream.isTTY ? drawBar(stream) : writeLines(stream);
}

function drawBar(stream: NodeJS.WriteStream): ScanDisplay {
  const format = '[{bar}] {percentage}% | {value} of {total} media | {queued} missing | {eta_formatted} left';
  let isFinished = false;
  // At the end there may be no number yet: nothing is left all the same.
  const formatTime = (seconds: number) => timeText(isFinished ? 0 : seconds);
  const bar = new SingleBar({ stream, format, formatTime, etaBuffer: 100, gracefulExit: false }, Presets.legacy);
  let isStarted = false;
  return {
    show({ scanned, total, queued, isFinished: isLast }) {
      isFinished = isLast;
      // From where an earlier one was broken off: that part says nothing of how long the rest takes.
      if (!isStarted) bar.start(total, scanned, { queued });
      isStarted = true;
      bar.setTotal(total);
      bar.update(scanned, { queued });
    },
    end: () => bar.stop(),
  };
}

function writeLines(stream: NodeJS.WriteStream): ScanDisplay {
  return {
    show: createProgressLines(
      stream,
      ({ scanned, total, queued }) => `Looked at ${scanned} of ${total} media, ${queued} derivatives missing.`,
    ),
    end() {},
  };
}

/** `1:02:03`; there may be no number yet, whatever the type says. */
export function timeText(seconds: number): string {
  if (!Number.isFinite(seconds)) return '-:--:--';
  const two = (part: number) => String(Math.floor(part)).padStart(2, '0');
  return `${Math.floor(seconds / 3_600)}:${two((seconds % 3_600) / 60)}:${two(seconds % 60)}`;
}
