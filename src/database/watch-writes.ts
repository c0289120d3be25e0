import { watch } from 'node:fs';

/** Word of writes to a database, as long as somebody wants it. */
export interface WriteWatch {
  /** Whether word comes at all: not every system and file system has any. Who gets none has to look by themselves. */
  readonly isTold: boolean;
  close(): void;
}

/** A write is seen before it is flushed, and can be read only after that: so long, and so often, is told of it. */
const TOLD_FOR_MS = 1_000;
const TOLD_EVERY_MS = 40;

/**
 * Calls `listener` soon after what any process has written to a local database file can be read, and many times for
 * nothing. The log of writes is what is watched: it is there as long as a connection is open.
 */
export function watchWrites(file: string, listener: () => void): WriteWatch {
  let timer: Timer | undefined;
  let until = 0;
  const tellAgain = () => {
    listener();
    if (performance.now() < until) return;
    clearInterval(timer);
    timer = undefined;
  };
  const onWrite = () => {
    until = performance.now() + TOLD_FOR_MS;
    listener();
    timer ??= setInterval(tellAgain, TOLD_EVERY_MS).unref();
  };
  try {
    const watcher = watch(`${file}-wal`, { persistent: false }, onWrite);
    let isTold = true;
    watcher.on('error', () => {
      isTold = false;
    });
    return {
      get isTold() {
        return isTold;
      },
      close() {
        clearInterval(timer);
        watcher.close();
      },
    };
  } catch {
    return { isTold: false, close: () => {} };
  }
}
