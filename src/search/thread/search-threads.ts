import { ServiceError } from '../../base/errors.ts';
import { TurnQueue } from '../../base/turn-queue.ts';
import { clientGone } from '../engine/search-time.ts';
import type { SearchClient, SearchList, SearchResult, SearchRunner, Suggestion } from '../search-types.ts';
import type { Answer, Task, ThreadSetup } from './messages.ts';
import { type Job, PROGRAM, SearchLane, stopping } from './search-lane.ts';

/** The searches that wait for the running ones, and the suggestions at a time. More are refused. */
const MAX_WAITING = 64;
/** The maximum time in which a search waits for others. */
const MAX_WAIT_MS = 5_000;
const RETRY_AFTER_S = 2;

interface ThreadOptions {
  /** The number of threads, each with arrays of its own. Default: 1. */
  readonly threads?: number;
  /** The address of what a thread runs. */
  readonly program?: string;
  /** Called with the token of a snapshot, which the database has to get. */
  readonly onSaved?: (token: string) => void;
}

/**
 * Runs searches in threads, so that they do not delay requests. Each runs one search at a time, in turns of the networks of clients; the
 * first one also runs suggestions. A thread is started by the first search that finds those before it busy.
 */
export class SearchThreads implements SearchRunner {
  readonly #lanes: readonly SearchLane[];
  readonly #waiting = new TurnQueue<Job>(MAX_WAITING);
  #lastId = 0;
  #isClosed = false;

  constructor(
    setup: ThreadSetup,
    warn: (message: string, cause: unknown) => void,
    { threads = 1, program = PROGRAM, onSaved = () => {} }: ThreadOptions = {},
  ) {
    const owner = { program, warn, onSaved, onFree: () => this.#beginNext() };
    const { snapshots } = setup;
    const others = { ...setup, snapshots: snapshots && { ...snapshots, isWritten: false } };
    this.#lanes = Array.from(
      { length: threads },
      (_, at) => new SearchLane({ ...owner, setup: at === 0 ? setup : others }),
    );
  }

  search: SearchRunner['search'] = (viewer, query, client) =>
    this.#run({ type: 'search', viewer, query }, client) as Promise<SearchResult>;

  list: SearchRunner['list'] = (viewer, query, limit, client) =>
    this.#run({ type: 'list', viewer, query, limit }, client) as Promise<SearchList>;

  matching: SearchRunner['matching'] = (condition, nids, client) =>
    this.#run({ type: 'matching', condition, nids }, client) as Promise<number[]>;

  suggest: SearchRunner['suggest'] = (viewer, text, client) =>
    this.#run({ type: 'suggest', viewer, text }, client) as Promise<Suggestion[]>;

  /** Ends the threads. Running and waiting searches fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const job of this.#waiting.clear()) job.reject(stopping());
    await Promise.all(this.#lanes.map((lane) => lane.close()));
  }

  #run(task: Task, { signal, network = '', spent }: SearchClient = {}): Promise<Answer> {
    if (this.#isClosed) return Promise.reject(stopping());
    if (signal?.aborted) return Promise.reject(clientGone());
    const [first] = this.#lanes as [SearchLane, ...SearchLane[]];
    const isSuggestion = task.type === 'suggest';
    if (isSuggestion && first.size >= MAX_WAITING) return Promise.reject(tooMany());
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const job: Job = { id: ++this.#lastId, client: network, task, spent, resolve, reject };
    const abandon = () => this.#abandon(job);
    signal?.addEventListener('abort', abandon, { once: true });
    const free = this.#lanes.find(({ isFree }) => isFree);
    if (isSuggestion) first.begin(job);
    else if (free === undefined) this.#wait(job);
    else this.#begin(free, job);
    return promise.finally(() => signal?.removeEventListener('abort', abandon));
  }

  #wait(job: Job): void {
    this.#waiting.push(job)?.reject(tooMany());
    setTimeout(() => {
      if (this.#waiting.delete(job)) job.reject(tooMany());
    }, MAX_WAIT_MS).unref();
  }

  #begin(lane: SearchLane, job: Job): void {
    this.#waiting.noteTurn(job.client);
    lane.begin(job);
  }

  #beginNext(): void {
    const free = this.#lanes.find(({ isFree }) => isFree);
    const next = free && this.#waiting.shift();
    if (free !== undefined && next !== undefined) this.#begin(free, next);
  }

  /** The caller has left. A running search is interrupted. */
  #abandon(job: Job): void {
    if (!this.#waiting.delete(job)) for (const lane of this.#lanes) lane.abort(job);
    job.reject(clientGone());
  }
}

function tooMany(): ServiceError {
  return new ServiceError('over-capacity', 'Too many searches are waiting. Try again shortly.', {
    headers: { 'Retry-After': String(RETRY_AFTER_S) },
  });
}
