import { type BatchResult, batchRequest, parseBatchAnswer, type Step } from './hrana.ts';
import { PING, StatementError, toHranaStatement } from './hrana-values.ts';
import type { RemoteAddress } from './remote-address.ts';
import { failedAnswer, failedConnection, failedHalfway, failedInTime, failedStatus } from './remote-failure.ts';

/** How long a server may take to answer. */
const TIMEOUT_MS = 30_000;
/** How long a replica may keep a read waiting before its primary is asked whether there is anything to wait for. */
const DOUBT_MS = 3_000;

/** Begins at the primary, wherever it is sent, and changes nothing. */
const ASK_PRIMARY: readonly Step[] = [
  { stmt: toHranaStatement('BEGIN IMMEDIATE') },
  { stmt: PING },
  { stmt: toHranaStatement('ROLLBACK') },
];

export interface RemoteOptions {
  /** Called with each request to the server. */
  readonly onRequest?: (() => void) | undefined;
  /** Instead of 30 seconds. */
  readonly timeoutMs?: number | undefined;
}

/**
 * Batches of statements to a libSQL server, each one request. Every request says how far this process has seen the
 * log of the database: a replica then waits until it has what the process has written, or read elsewhere.
 */
export class RemoteConnection {
  readonly #address: RemoteAddress;
  readonly #timeoutMs: number;
  readonly #onRequest: () => void;
  readonly #headers: Record<string, string>;
  #seen = 0;

  constructor(address: RemoteAddress, { onRequest = () => {}, timeoutMs = TIMEOUT_MS }: RemoteOptions = {}) {
    this.#address = address;
    this.#onRequest = onRequest;
    this.#timeoutMs = timeoutMs;
    const { authToken } = address;
    this.#headers = {
      'Content-Type': 'application/json',
      // Between neighbours, compressing costs more than it saves.
      'Accept-Encoding': 'identity',
      ...(authToken !== undefined && authToken !== '' && { Authorization: `Bearer ${authToken}` }),
    };
  }

  /** Of statements that change nothing. Throws RemoteFailure, and StatementError if none of them was run. */
  async read(steps: readonly Step[]): Promise<BatchResult> {
    for (;;) {
      const asked = this.#seen;
      const control = new AbortController();
      const doubt = asked > 0 ? setTimeout(() => this.#resume(asked, control), DOUBT_MS) : undefined;
      try {
        const result = await this.#exchange(steps, asked, control);
        this.#seen = Math.max(this.#seen, indexOf(result));
        return result;
      } catch (error) {
        if (!control.signal.aborted || this.#seen >= asked) throw error;
      } finally {
        clearTimeout(doubt);
      }
    }
  }

  /** Of statements that may change something; once. Throws as `read` does. */
  async write(steps: readonly Step[]): Promise<BatchResult> {
    const asked = this.#seen;
    const result = await this.#exchange(steps, asked, new AbortController());
    const index = indexOf(result);
    // Less than what was seen before it was sent: a server that was killed has begun its log anew.
    if (index > 0) this.#seen = index < asked ? index : Math.max(this.#seen, index);
    return result;
  }

  /** Breaks off a read that waits for a part of the log that is not to come: a server that was killed begins another. */
  async #resume(asked: number, control: AbortController): Promise<void> {
    try {
      const there = indexOf(await this.#exchange(ASK_PRIMARY, 0, new AbortController()));
      if (there === 0 || there >= asked) return;
      this.#seen = Math.min(this.#seen, there);
      control.abort();
    } catch {
      // The read goes on waiting, and fails when its time is up.
    }
  }

  async #exchange(steps: readonly Step[], seen: number, control: AbortController): Promise<BatchResult> {
    const { base } = this.#address;
    let isLate = false;
    const late = setTimeout(() => {
      isLate = true;
      control.abort();
    }, this.#timeoutMs);
    this.#onRequest();
    let answer: unknown;
    try {
      const response = await fetch(`${base}/v3/pipeline`, {
        method: 'POST',
        headers: this.#headers,
        body: batchRequest(steps, seen),
        redirect: 'manual',
        signal: control.signal,
      });
      if (response.status !== 200) throw failedStatus(base, response.status, await response.text());
      answer = JSON.parse(await response.text());
    } catch (error) {
      if (isLate) throw failedInTime(base, this.#timeoutMs);
      if (error instanceof SyntaxError) throw failedAnswer(base, error);
      throw error instanceof Error && error.name === 'RemoteFailure' ? error : failedConnection(base, error);
    } finally {
      clearTimeout(late);
    }
    const parsed = parseBatchAnswer(answer);
    if (parsed === undefined) throw failedAnswer(base);
    if ('error' in parsed) throw new StatementError(parsed.error);
    if (parsed.result.step_results.length !== steps.length) throw failedHalfway(base);
    return parsed.result;
  }
}

function indexOf({ replication_index: index }: BatchResult): number {
  return Number(index ?? 0);
}
