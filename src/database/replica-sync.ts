import Database from 'libsql';
import AsyncDatabase from 'libsql/promise';
import type { RemoteAddress } from './remote-address.ts';

/** How often it is asked for what others have written, and how often while the server does not answer. */
const PERIOD_MS = 500;
const PERIOD_WITHOUT_SERVER_MS = 5_000;

/** Keeps a local file in step with the database on a libSQL server. */
export class ReplicaSync {
  readonly #database: Database.Database;
  readonly #afterEach: () => void;
  #underWay: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #timer: Timer | undefined;
  #isClosed = false;

  /** Opens the file, or makes it. Throws what the driver says. `afterEach` is called when it has changed. */
  constructor(file: string, { base, authToken }: RemoteAddress, afterEach: () => void) {
    this.#database = new Database(file, { syncUrl: base, ...(authToken !== undefined && { authToken }) });
    this.#afterEach = afterEach;
  }

  /** Brings the file to what the server has at this moment, or to what is newer. */
  async now(): Promise<void> {
    if (this.#isClosed) return;
    if (this.#underWay === undefined) return this.#begin();
    // The one that is under way may have looked before.
    this.#next ??= this.#underWay
      .catch(() => {})
      .then(() => {
        this.#next = undefined;
        return this.#begin();
      });
    return this.#next;
  }

  /**
   * Goes on doing so, until it is closed. `askServer` rejects while the server is away: the driver would write of that
   * to the standard output, past our log.
   */
  keepUp(askServer: () => Promise<unknown>): void {
    const again = (ms: number) => {
      if (this.#isClosed) return;
      this.#timer = setTimeout(() => void keepUp(), ms);
      this.#timer.unref();
    };
    const keepUp = async () => {
      try {
        await askServer();
        await this.now();
        again(PERIOD_MS);
      } catch {
        // Who writes is told; reads go on with what is there.
        again(PERIOD_WITHOUT_SERVER_MS);
      }
    };
    again(PERIOD_MS);
  }

  /** Ends after what is under way: the driver does not survive to be closed meanwhile. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#timer);
    while (this.#underWay !== undefined || this.#next !== undefined)
      await Promise.allSettled([this.#underWay, this.#next]);
    this.#database.close();
  }

  #begin(): Promise<void> {
    // Both faces of the driver hold the same kind of database; this one does not hold up everything else.
    const underWay = AsyncDatabase.prototype.sync
      .call(this.#database)
      .then(this.#afterEach)
      .finally(() => {
        this.#underWay = undefined;
      });
    this.#underWay = underWay;
    return underWay;
  }
}
