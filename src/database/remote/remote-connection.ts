import { InterruptedError } from '../errors.ts';
import {
  type BatchResult,
  batchRequest,
  type DescribedColumn,
  describeRequest,
  invalidTextIn,
  PING,
  parseBatchAnswer,
  parseDescription,
  StatementError,
  type Step,
  toHranaStatement,
} from './hrana.ts';
import type { RemoteAddress } from './remote-address.ts';
import {
  failedAnswer,
  failedConnection,
  failedIncomplete,
  failedStatus,
  failedTimeout,
  RemoteFailure,
} from './remote-failure.ts';

/** The timeout of a request. */
const TIMEOUT_MS = 30_000;
/** The delay of a read by a replica after which the primary is asked for its log position. */
const LOG_CHECK_MS = 3_000;

/** Runs on the primary, through any replica, and changes nothing. */
const ASK_PRIMARY: readonly Step[] = [
  { stmt: toHranaStatement('BEGIN IMMEDIATE') },
  { stmt: PING },
  { stmt: toHranaStatement('ROLLBACK') },
];

export interface RemoteOptions {
  /** Called with each request to the server. */
  readonly onRequest?: (() => void) | undefined;
  /** The timeout of a request (default: 30 seconds). */
  readonly timeoutMs?: number | undefined;
}

/**
 * Sends batches of statements to a libSQL server, each as one request. Each request has the log position that this
 * process has seen. A replica waits until it has applied the log up to there, so that the process reads its own writes.
 */
export class RemoteConnection {
  readonly #address: RemoteAddress;
  readonly #timeoutMs: number;
  readonly #onRequest: () => void;
  readonly #headers: Record<string, string>;
  readonly #reads = new Set<AbortController>();
  #seen = 0;

  constructor(address: RemoteAddress, { onRequest = () => {}, timeoutMs = TIMEOUT_MS }: RemoteOptions = {}) {
    this.#address = address;
    this.#onRequest = onRequest;
    this.#timeoutMs = timeoutMs;
    const { authToken } = address;
    this.#headers = {
      'Content-Type': 'application/json',
      // In a local network, compression costs more than it saves.
      'Accept-Encoding': 'identity',
      ...(authToken !== undefined && authToken !== '' && { Authorization: `Bearer ${authToken}` }),
    };
  }

  /** Ends the running reads with InterruptedError. The server may go on with their statements. */
  interrupt(): void {
    for (const control of this.#reads) control.abort(new InterruptedError('The read was interrupted.'));
  }

  /** Runs statements that change nothing. Throws RemoteFailure, and StatementError if no statement ran. */
  async read(steps: readonly Step[]): Promise<BatchResult> {
    for (;;) {
      const asked = this.#seen;
      const control = new AbortController();
      this.#reads.add(control);
      const check = asked > 0 ? setTimeout(() => this.#checkLog(asked, control), LOG_CHECK_MS) : undefined;
      try {
        const result = await this.#exchange(steps, asked, control);
        this.#seen = Math.max(this.#seen, indexOf(result));
        return result;
      } catch (error) {
        if (control.signal.reason instanceof InterruptedError) throw control.signal.reason;
        if (!control.signal.aborted || this.#seen >= asked) throw error;
      } finally {
        clearTimeout(check);
        this.#reads.delete(control);
      }
    }
  }

  /** Runs statements that may change data, without retries. Throws as `read` does. */
  async write(steps: readonly Step[]): Promise<BatchResult> {
    const asked = this.#seen;
    const result = await this.#exchange(steps, asked, new AbortController());
    const index = indexOf(result);
    // Lower than the position of the request: a killed server has started a new log.
    if (index > 0) this.#seen = index < asked ? index : Math.max(this.#seen, index);
    return result;
  }

  /** Aborts a read that waits for a log position that no longer exists: a killed server starts a new log. */
  async #checkLog(asked: number, control: AbortController): Promise<void> {
    try {
      const there = indexOf(await this.#exchange(ASK_PRIMARY, 0, new AbortController()));
      if (there === 0 || there >= asked) return;
      this.#seen = Math.min(this.#seen, there);
      control.abort();
    } catch {
      // The read continues until its timeout.
    }
  }

  /** Returns the columns of the result of a statement. Throws RemoteFailure. */
  async describe(sql: string): Promise<readonly DescribedColumn[]> {
    const columns = parseDescription(await this.#send(describeRequest(sql), new AbortController()));
    if (columns === undefined) throw failedAnswer(this.#address.base);
    return columns;
  }

  async #exchange(steps: readonly Step[], seen: number, control: AbortController): Promise<BatchResult> {
    const { base } = this.#address;
    const parsed = parseBatchAnswer(await this.#send(batchRequest(steps, seen), control));
    if (parsed === undefined) throw failedAnswer(base);
    if ('error' in parsed) throw new StatementError(parsed.error);
    if (parsed.result.step_results.length !== steps.length) throw failedIncomplete(base);
    return parsed.result;
  }

  /** Sends a request, and returns the JSON of its response. */
  async #send(body: string, control: AbortController): Promise<unknown> {
    const { base } = this.#address;
    let isLate = false;
    const late = setTimeout(() => {
      isLate = true;
      control.abort();
    }, this.#timeoutMs);
    this.#onRequest();
    try {
      const response = await fetch(`${base}/v3/pipeline`, {
        method: 'POST',
        headers: this.#headers,
        body,
        redirect: 'manual',
        signal: control.signal,
      });
      const text = await response.text();
      if (response.status !== 200)
        throw invalidTextIn(response.status, text) ?? failedStatus(base, response.status, text);
      return JSON.parse(text);
    } catch (error) {
      if (isLate) throw failedTimeout(base, this.#timeoutMs);
      if (error instanceof SyntaxError) throw failedAnswer(base, error);
      if (error instanceof StatementError || error instanceof RemoteFailure) throw error;
      throw failedConnection(base, error);
    } finally {
      clearTimeout(late);
    }
  }
}

function indexOf({ replication_index: index }: BatchResult): number {
  return Number(index ?? 0);
}
