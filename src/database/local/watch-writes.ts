import { type FSWatcher, statSync, watch } from 'node:fs';

/** Word of writes to a database, as long as somebody wants it. */
export interface WriteWatch {
  /** Whether word comes at all: not every system and file system has any. Who gets none has to look by themselves. */
  readonly isTold: boolean;
  close(): void;
}

/** A write is seen before it is flushed, and can be read only after that: so long, and so often, is told of it. */
const TOLD_FOR_MS = 1_000;
const TOLD_EVERY_MS = 20;

/**
 * Calls `listener` soon after what any process has written to a local database file can be read, and many times for
 * nothing. The log of writes is what is watched: it is there as long as a connection is open.
 */
export function watchWrites(file: string, listener: () => void): WriteWatch {
  const log = `${file}-wal`;
  let watcher: FSWatcher | undefined;
  let timer: Timer | undefined;
  let lastWrite: number | undefined;
  let until = 0;

  /** Whether anything has been written since this was asked before. */
  const isWritten = () => {
    const former = lastWrite;
    lastWrite = timeOf(log);
    return lastWrite !== former;
  };
  const unwatch = () => {
    watcher?.close();
    watcher = undefined;
  };
  const rest = () => {
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
  /** While there are writes the time of the last one is looked at: to be woken costs as much as to write, for every page. */
  const follow = () => {
    unwatch();
    until = performance.now() + TOLD_FOR_MS;
    timer ??= setInterval(tellAgain, TOLD_EVERY_MS).unref();
    listener();
  };
  const tellAgain = () => {
    if (isWritten()) until = performance.now() + TOLD_FOR_MS;
    listener();
    if (timer === undefined || performance.now() < until) return;
    waitForWrite();
    if (watcher === undefined) {
      // Nobody would wake us any more: word goes on, and in a while this is tried again.
      until = performance.now() + TOLD_FOR_MS;
      return;
    }
    rest();
    // What came before there was anyone to see it.
    if (isWritten()) follow();
  };

  isWritten();
  waitForWrite();
  return {
    get isTold() {
      return watcher !== undefined || timer !== undefined;
    },
    close() {
      rest();
      unwatch();
    },
  };
}

/** When a file was last written to, in milliseconds since 1970; undefined while it cannot be looked at. */
function timeOf(file: string): number | undefined {
  try {
    return statSync(file).mtimeMs;
  } catch {
    return undefined;
  }
}
