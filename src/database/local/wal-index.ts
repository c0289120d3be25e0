import { closeSync, openSync, readSync, statSync } from 'node:fs';

/** The first of the two copies of the header, which holds a counter of transactions and a checksum of the log. */
const HEADER_BYTES = 48;

interface OpenIndex {
  readonly fd: number;
  users: number;
}

/**
 * The open indexes, by device and inode. When a process closes a file, the system drops all of its locks on that file, those
 * of SQLite included: so each is opened once, and closed after the last connection.
 */
const openIndexes = new Map<string, OpenIndex>();

/**
 * The index of the write-ahead log of a database file, in the shared memory of all processes that use it. A reader finds out from
 * its header whether the file was written, as SQLite does at the beginning of each transaction
 * (https://sqlite.org/walformat.html, 2.1). `PRAGMA data_version` tells the same, but takes and releases locks.
 */
export class WalIndex {
  readonly #key: string;
  readonly #fd: number;
  #header = Buffer.alloc(HEADER_BYTES);
  #next = Buffer.alloc(HEADER_BYTES);
  #version = 0;
  #isClosed = false;

  private constructor(key: string, fd: number) {
    this.#key = key;
    this.#fd = fd;
  }

  /**
   * Opens the index of a file. A connection must be open until it is closed. Undefined where the shared memory is not
   * a file that can be read beside SQLite.
   */
  static open(file: string): WalIndex | undefined {
    if (process.platform === 'win32') return undefined;
    const path = `${file}-shm`;
    try {
      const { dev, ino } = statSync(path);
      const key = `${dev} ${ino}`;
      const known = openIndexes.get(key);
      if (known !== undefined) known.users += 1;
      const { fd } = known ?? { fd: openSync(path, 'r') };
      if (known === undefined) openIndexes.set(key, { fd, users: 1 });
      return new WalIndex(key, fd);
    } catch {
      return undefined;
    }
  }

  /** Returns a number that is larger after each write of any process; undefined once closed. Throws errors of the file system. */
  version(): number | undefined {
    if (this.#isClosed) return undefined;
    const length = readSync(this.#fd, this.#next, 0, HEADER_BYTES, 0);
    if (length < HEADER_BYTES || !this.#next.equals(this.#header)) {
      [this.#header, this.#next] = [this.#next, this.#header];
      this.#version += 1;
    }
    return this.#version;
  }

  close(): void {
    const index = openIndexes.get(this.#key);
    if (this.#isClosed || index === undefined) return;
    this.#isClosed = true;
    index.users -= 1;
    if (index.users > 0) return;
    openIndexes.delete(this.#key);
    closeSync(index.fd);
  }
}
