import Database from 'libsql';
import AsyncDatabase from 'libsql/promise';
import { settlesWithin } from '../../base/settles-within.ts';
import { SharedRuns } from '../../base/shared-runs.ts';
import type { RemoteAddress } from './remote-address.ts';

/** The interval of synchronization. */
const PERIOD_MS = 500;
/** The driver itself has no timeout. */
const TIMEOUT_MS = 30_000;
/** The maximum wait of closing for a running synchronization. */
const CLOSE_TIMEOUT_MS = 2_000;

/** Synchronizes a local file with the database on a libSQL server. */
export class ReplicaSync {
  readonly #database: Database.Database;
  readonly #afterEach: () => void;
  readonly #runs = new SharedRuns(() => this.#sync());
  #begunAt = 0;
  readonly #timeoutMs: number;
  #timer: Timer | undefined;
  #isClosed = false;

  /** Opens the file, or creates it. Throws the driver's error. `afterEach` is called after each synchronization. */
  constructor(file: string, { base, authToken }: RemoteAddress, afterEach: () => void, timeoutMs = TIMEOUT_MS) {
    this.#timeoutMs = timeoutMs;
    this.#database = new Database(file, { syncUrl: base, ...(authToken !== undefined && { authToken }) });
    this.#afterEach = afterEach;
  }

  /** True if the running synchronization has exceeded the timeout. */
  get isLate(): boolean {
    return this.#runs.isUnderWay && performance.now() - this.#begunAt > this.#timeoutMs;
  }

  /** Calls `now`. Rejects after the timeout; the synchronization continues. */
  async withTimeout(): Promise<void> {
    if (await settlesWithin(this.now(), this.#timeoutMs)) return;
    throw new Error(`the replica has not caught up with its server within ${this.#timeoutMs / 1_000} seconds`);
  }

  /**
   * Synchronizes the file with the present state of the server, or a later one. Without a timeout: the first call may
   * copy the whole database.
   */
  async now(): Promise<void> {
    if (this.#isClosed) return;
    await this.#runs.ask();
  }

  /**
   * Synchronizes regularly until the file is closed. `pingServer` rejects while the server is not reachable: the driver
   * would otherwise print the error to standard output, outside our log.
   */
  start(pingServer: () => Promise<unknown>): void {
    const schedule = () => {
      if (this.#isClosed) return;
      this.#timer = setTimeout(() => void synchronize(), PERIOD_MS);
      this.#timer.unref();
    };
    const synchronize = async () => {
      try {
        await pingServer();
        await this.now();
      } catch {
        // Writes report the error; reads continue on the present state.
      }
      schedule();
    };
    schedule();
  }

  /**
   * Closes the file after a running synchronization, since the driver crashes otherwise. After a timeout the file stays
   * open until the process ends.
   */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#timer);
    if (await settlesWithin(this.#runs.idle(), CLOSE_TIMEOUT_MS)) this.#database.close();
  }

  async #sync(): Promise<void> {
    this.#begunAt = performance.now();
    // As for COMMIT in `local-connection.ts`: on a thread of the driver.
    await AsyncDatabase.prototype.sync.call(this.#database);
    this.#afterEach();
  }
}
