import Database from 'libsql';
import { settlesWithin } from '../../base/settles-within.ts';
import { SharedRuns } from '../../base/shared-runs.ts';
import { syncOffThread } from '../local/off-thread.ts';
import type { RemoteAddress } from './remote-address.ts';

/** How often it is asked for what others have written. */
const PERIOD_MS = 500;
/** The driver itself waits for ever. */
const TIMEOUT_MS = 30_000;
/** How long the end waits for what is under way. */
const LAST_WAIT_MS = 2_000;

/** Keeps a local file in step with the database on a libSQL server. */
export class ReplicaSync {
  readonly #database: Database.Database;
  readonly #afterEach: () => void;
  readonly #runs = new SharedRuns(() => this.#sync());
  #begunAt = 0;
  readonly #timeoutMs: number;
  #timer: Timer | undefined;
  #isClosed = false;

  /** Opens the file, or makes it. Throws what the driver says. `afterEach` is called when it has changed. */
  constructor(file: string, { base, authToken }: RemoteAddress, afterEach: () => void, timeoutMs = TIMEOUT_MS) {
    this.#timeoutMs = timeoutMs;
    this.#database = new Database(file, { syncUrl: base, ...(authToken !== undefined && { authToken }) });
    this.#afterEach = afterEach;
  }

  /** Whether what is under way takes so long that nothing after it would be in time. */
  get isLate(): boolean {
    return this.#runs.isUnderWay && performance.now() - this.#begunAt > this.#timeoutMs;
  }

  /** As `now`, and rejects if that takes too long: it goes on nevertheless. */
  async inTime(): Promise<void> {
    if (await settlesWithin(this.now(), this.#timeoutMs)) return;
    throw new Error(`the replica has not caught up with its server within ${this.#timeoutMs / 1_000} seconds`);
  }

  /**
   * Brings the file to what the server has at this moment, or to what is newer. However long it takes: a first time may
   * copy all.
   */
  async now(): Promise<void> {
    if (this.#isClosed) return;
    await this.#runs.ask();
  }

  /**
   * Goes on doing so, until it is closed. `askServer` rejects while the server is away: the driver would write of that
   * to the standard output, past our log.
   */
  keepUp(askServer: () => Promise<unknown>): void {
    const again = () => {
      if (this.#isClosed) return;
      this.#timer = setTimeout(() => void keepUp(), PERIOD_MS);
      this.#timer.unref();
    };
    const keepUp = async () => {
      try {
        await askServer();
        await this.now();
      } catch {
        // Who writes is told; reads go on with what is there.
      }
      again();
    };
    again();
  }

  /**
   * Ends after what is under way, since the driver does not survive to be closed meanwhile. What takes too long is left to
   * the end of the process.
   */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#timer);
    if (await settlesWithin(this.#runs.idle(), LAST_WAIT_MS)) this.#database.close();
  }

  async #sync(): Promise<void> {
    this.#begunAt = performance.now();
    await syncOffThread(this.#database);
    this.#afterEach();
  }
}
