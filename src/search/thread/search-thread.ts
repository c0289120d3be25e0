import { ServiceError } from '../../base/errors.ts';
import { settlesWithin } from '../../base/settles-within.ts';
import { TurnQueue } from '../../base/turn-queue.ts';
import { clientGone } from '../engine/search-time.ts';
import type { SearchClient, SearchList, SearchResult, SearchRunner, Suggestion } from '../search-types.ts';
import type { Answer, Failure, FromThread, Task, ThreadSetup, ToThread } from './messages.ts';

/** The searches that wait for the running one, and the suggestions at a time. More are refused. */
const MAX_WAITING = 64;
/** The maximum time in which a search waits for others. */
const MAX_WAIT_MS = 5_000;
const RETRY_AFTER_S = 2;
/** The maximum wait for the end of the thread. */
const CLOSE_TIMEOUT_MS = 5_000;

/** In the executable it lies beside the program (`src/build/compile.ts`). */
const PROGRAM = new URL('./search-worker.ts', import.meta.url).href;

/** A task with its caller. */
interface Job {
  readonly id: number;
  /** The network of the client. */
  readonly client: string;
  readonly task: Task;
  readonly spent: SearchClient['spent'];
  /** When it began, by the clock of the process. */
  begunAt?: number;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Runs searches in a thread, so that they do not delay requests. It is started by the first search, runs one search at a
 * time, in turns of the networks of clients, and beside it suggestions. A thread that crashes fails its tasks, and the next one starts another.
 */
export class SearchThread implements SearchRunner {
  readonly #setup: ThreadSetup;
  readonly #program: string;
  readonly #warn: (message: string, cause: unknown) => void;
  #worker: Worker | undefined;
  #ended: Promise<void> = Promise.resolve();
  /** The tasks that the thread works on. */
  readonly #jobs = new Map<number, Job>();
  readonly #waiting = new TurnQueue<Job>(MAX_WAITING);
  #searching: number | undefined;
  #lastId = 0;
  #isClosed = false;

  /** `program`: the address of what the thread runs. */
  constructor(setup: ThreadSetup, warn: (message: string, cause: unknown) => void, program = PROGRAM) {
    this.#setup = setup;
    this.#warn = warn;
    this.#program = program;
  }

  search: SearchRunner['search'] = (viewer, query, client) =>
    this.#run({ type: 'search', viewer, query }, client) as Promise<SearchResult>;

  list: SearchRunner['list'] = (viewer, query, limit, client) =>
    this.#run({ type: 'list', viewer, query, limit }, client) as Promise<SearchList>;

  matching: SearchRunner['matching'] = (condition, nids, client) =>
    this.#run({ type: 'matching', condition, nids }, client) as Promise<number[]>;

  suggest: SearchRunner['suggest'] = (viewer, text, client) =>
    this.#run({ type: 'suggest', viewer, text }, client) as Promise<Suggestion[]>;

  /** Ends the thread. Running and waiting searches fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#failAll(() => stopping());
    for (const job of this.#waiting.clear()) job.reject(stopping());
    const worker = this.#worker;
    if (worker === undefined) return;
    this.#send({ type: 'close' });
    if (!(await settlesWithin(this.#ended, CLOSE_TIMEOUT_MS))) worker.terminate();
  }

  #run(task: Task, { signal, network = '', spent }: SearchClient = {}): Promise<Answer> {
    if (this.#isClosed) return Promise.reject(stopping());
    if (signal?.aborted) return Promise.reject(clientGone());
    const isSuggestion = task.type === 'suggest';
    if (isSuggestion && this.#jobs.size >= MAX_WAITING) return Promise.reject(tooMany());
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const job: Job = { id: ++this.#lastId, client: network, task, spent, resolve, reject };
    const abandon = () => this.#abandon(job);
    signal?.addEventListener('abort', abandon, { once: true });
    if (isSuggestion || this.#searching === undefined) this.#begin(job);
    else this.#wait(job);
    return promise.finally(() => signal?.removeEventListener('abort', abandon));
  }

  #wait(job: Job): void {
    this.#waiting.push(job)?.reject(tooMany());
    setTimeout(() => {
      if (this.#waiting.delete(job)) job.reject(tooMany());
    }, MAX_WAIT_MS).unref();
  }

  #begin(job: Job): void {
    this.#worker ??= this.#start();
    this.#jobs.set(job.id, job);
    job.begunAt = performance.now();
    if (job.task.type !== 'suggest') {
      this.#searching = job.id;
      this.#waiting.noteTurn(job.client);
    }
    this.#send({ type: 'task', id: job.id, task: job.task });
  }

  /** The caller has left. A running search is interrupted; the next one begins when it has ended. */
  #abandon(job: Job): void {
    if (!this.#waiting.delete(job) && this.#jobs.has(job.id)) this.#send({ type: 'abort', id: job.id });
    job.reject(clientGone());
  }

  #start(): Worker {
    // `ref`: a program that has nothing else to do may end.
    const worker = new Worker(this.#program, { ref: false });
    const ended = Promise.withResolvers<void>();
    this.#ended = ended.promise;
    worker.addEventListener('message', ({ data }: MessageEvent<FromThread>) => this.#settle(data));
    worker.addEventListener('error', ({ message }) => this.#lose(worker, message));
    worker.addEventListener('close', () => {
      ended.resolve();
      this.#lose(worker, 'the thread has ended');
    });
    worker.postMessage({ type: 'open', ...this.#setup } satisfies ToThread);
    return worker;
  }

  #settle(message: FromThread): void {
    const job = this.#jobs.get(message.id);
    this.#jobs.delete(message.id);
    job?.spent?.(performance.now() - (job.begunAt ?? 0));
    if ('answer' in message) job?.resolve(message.answer);
    else job?.reject(errorOf(message.failure));
    this.#beginNext(message.id);
  }

  #beginNext(ended: number | undefined): void {
    if (this.#searching !== ended) return;
    this.#searching = undefined;
    const next = this.#waiting.shift();
    if (next !== undefined) this.#begin(next);
  }

  /** The thread has crashed. Waiting searches go to a new one. */
  #lose(worker: Worker, reason: string): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    worker.terminate();
    if (this.#isClosed) return;
    this.#warn('the thread of searches has ended; the next search starts another', new Error(reason));
    this.#failAll(() => crashed());
    this.#beginNext(this.#searching);
  }

  #failAll(error: () => ServiceError): void {
    const jobs = [...this.#jobs.values()];
    this.#jobs.clear();
    for (const job of jobs) job.reject(error());
  }

  #send(message: ToThread): void {
    this.#worker?.postMessage(message);
  }
}

function errorOf({ kind, message, headers, detail }: Failure): Error {
  const cause = detail === undefined ? undefined : new Error(detail);
  if (kind !== undefined) return new ServiceError(kind, message, { cause, headers });
  return new Error(message, { cause });
}

function tooMany(): ServiceError {
  return new ServiceError('over-capacity', 'Too many searches are waiting. Try again shortly.', {
    headers: { 'Retry-After': String(RETRY_AFTER_S) },
  });
}

function crashed(): ServiceError {
  return new ServiceError('unavailable', 'The search was interrupted. Try again.', {
    headers: { 'Retry-After': String(RETRY_AFTER_S) },
  });
}

const stopping = () => new ServiceError('unavailable', 'The service is stopping.');
