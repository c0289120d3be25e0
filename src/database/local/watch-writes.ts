import { type FSWatcher, statSync, watch } from 'node:fs';
import type { WriteWatch } from '../database-client.ts';

/** A change of the file is visible before its transaction can be read, so each change is reported several times. */
const REPORT_DURATION_MS = 1_000;
const REPORT_INTERVAL_MS = 20;

/**
 * Calls `listener` soon after a write of any process to a local database file becomes readable, and often without cause.
 * It watches the write-ahead log, which exists while a connection is open. `now` returns the milliseconds of a monotonic
 * clock.
 */
export function watchWrites(file: string, listener: () => void, now = () => performance.now()): WriteWatch {
  const log = `${file}-wal`;
  let watcher: FSWatcher | undefined;
  let timer: Timer | undefined;
  let lastWrite: number | undefined;
  let until = 0;

  /** Returns true if the log has changed since the previous call. */
  const isWritten = () => {
    const previous = lastWrite;
    lastWrite = timeOf(log);
    return lastWrite !== previous;
  };
  const unwatch = () => {
    watcher?.close();
    watcher = undefined;
  };
  const stopTimer = () => {
    clearInterval(timer);
    timer = undefined;
  };
  const waitForWrite = () => {
    try {
      watcher = watch(log, { persistent: false }, follow).on('error', follow);
    } catch {
      unwatch();
    }
  };
  /** Polls the time of the last write during writes: an event per page would cost as much as the write. */
  const follow = () => {
    unwatch();
    until = now() + REPORT_DURATION_MS;
    timer ??= setInterval(report, REPORT_INTERVAL_MS).unref();
    listener();
  };
  const report = () => {
    if (isWritten()) until = now() + REPORT_DURATION_MS;
    listener();
    if (timer === undefined || now() < until) return;
    waitForWrite();
    if (watcher === undefined) {
      // The file cannot be watched: keep reporting, and try again later.
      until = now() + REPORT_DURATION_MS;
      return;
    }
    stopTimer();
    // A write between the last report and the watch.
    if (isWritten()) follow();
  };

  isWritten();
  waitForWrite();
  return {
    get isTold() {
      return watcher !== undefined || timer !== undefined;
    },
    close() {
      stopTimer();
      unwatch();
    },
  };
}

/** Returns when a file was last written, in milliseconds since 1970; undefined if it cannot be read. */
function timeOf(file: string): number | undefined {
  try {
    return statSync(file).mtimeMs;
  } catch {
    return undefined;
  }
}
