import { Presets, SingleBar } from 'cli-progress';
import type { CheckProgress, ImportCounts } from '../modes/import-administration.ts';
import { filesText, numberText } from './count-text.ts';
import { createProgressLines } from './progress-lines.ts';
import { timeText } from './scan-display.ts';

/** Shows how far an import is, on standard error. */
export interface ImportDisplay {
  check(progress: CheckProgress): void;
  load(progress: LoadProgress): void;
  /** Nothing more is shown of what was shown until now. */
  end(): void;
}

/** How far the loading of a table is. */
export interface LoadProgress extends ImportCounts {
  readonly totalRows: number;
}

/** A bar on a terminal, a line now and then elsewhere, and nothing at all for `isQuiet`. */
export function showImport(isQuiet: boolean, stream: NodeJS.WriteStream = process.stderr): ImportDisplay {
  if (isQuiet) return { check() {}, load() {}, end() {} };
  return stream.isTTY ? drawBars(stream) : writeLines(stream);
}

function drawBars(stream: NodeJS.WriteStream): ImportDisplay {
  let bar: SingleBar | undefined;
  let [startedAt, firstRows] = [0, 0];
  const start = (format: string, total: number, facts: object): SingleBar => {
    const formatTime = (seconds: number) => timeText(seconds);
    bar = new SingleBar({ stream, format, formatTime, etaBuffer: 1_000, gracefulExit: false }, Presets.legacy);
    bar.start(total, 0, facts);
    return bar;
  };
  return {
    check({ rows, bytes, totalBytes }) {
      const facts = { rows: numberText(rows) };
      const shown =
        bar ?? start('Checking [{bar}] {percentage}% | {rows} rows | {eta_formatted} left', totalBytes, facts);
      shown.update(bytes, facts);
    },
    load({ rows, files, bytes, totalRows }) {
      const now = performance.now();
      // What is there from an earlier time comes first, and says nothing of how fast the rest goes.
      if (bar === undefined) [startedAt, firstRows] = [now, rows];
      const rate = Math.round((rows - firstRows) / Math.max((now - startedAt) / 1_000, 0.001));
      const size = files === 0 ? '' : ` | ${filesText(files, bytes)}`;
      const facts = { count: `${numberText(rows)} of ${numberText(totalRows)}`, rate: numberText(rate), size };
      const format = 'Loading [{bar}] {percentage}% | {count} rows, {rate}/s{size} | {eta_formatted} left';
      (bar ?? start(format, totalRows, facts)).update(rows, facts);
    },
    end() {
      bar?.stop();
      bar = undefined;
    },
  };
}

function writeLines(stream: NodeJS.WriteStream): ImportDisplay {
  const check = createProgressLines<CheckProgress>(stream, ({ rows }) => `Checked ${numberText(rows)} rows.`);
  const load = createProgressLines<LoadProgress>(stream, ({ rows, totalRows, files, bytes }) => {
    const size = files === 0 ? '' : `, ${filesText(files, bytes)}`;
    return `Loaded ${numberText(rows)} of ${numberText(totalRows)} rows${size}.`;
  });
  return { check, load, end() {} };
}
