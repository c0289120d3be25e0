import { ServiceError } from '../../base/errors.ts';
import { settlesWithin } from '../../base/settles-within.ts';
import type { SearchResult, SearchRunner, Suggestion } from '../search-types.ts';
import type { Answer, Failure, FromThread, Task, ThreadSetup, ToThread } from './messages.ts';

/** The searches that wait for the running one, and the suggestions at a time. More are refused. */
const MAX_WAITING = 64;
const RETRY_AFTER_S = 2;
/** The maximum wait for the end of the thread: a statement of a search may delay it. */
const CLOSE_TIMEOUT_MS = 5_000;

/** In the executable it lies beside the program (`src/build/compile.ts`). */
const PROGRAM = new URL('./search-worker.ts', import.meta.url).href;

/** A task with its caller. */
interface Job {
  readonly id: number;
  readonly task: Task;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Runs searches in a thread, so that they do not delay requests. It is started by the first search, runs one search at a
 * time, and suggestions in the pauses of a search. A thread that crashes fails its tasks, and the next one starts another.
 */
export class SearchThread implements SearchRunner {
  readonly #setup: ThreadSetup;
  readonly #program: string;
  readonly #warn: (message: string, cause: unknown) => void;
  #worker: Worker | undefined;
  #ended: Promise<void> = Promise.resolve();
  /** The tasks that the thread works on. */
  readonly #jobs = new Map<number, Job>();
  readonly #waiting: Job[] = [];
  #searching: number | undefined;
  #lastId = 0;
  #isClosed = false;

  /** `program`: the address of what the thread runs. */
  constructor(setup: ThreadSetup, warn: (message: string, cause: unknown) => void, program = PROGRAM) {
    this.#setup = setup;
    this.#warn = warn;
    this.#program = program;
  }

  search: SearchRunner['search'] = (viewer, query, signal) =>
    this.#run({ type: 'search', viewer, query }, signal) as Promise<SearchResult>;

  suggest: SearchRunner['suggest'] = (viewer, text, signal) =>
    this.#run({ type: 'suggest', viewer, text }, signal) as Promise<Suggestion[]>;

  /** Ends the thread. Running and waiting searches fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#failAll(() => stopping());
    for (const job of this.#waiting.splice(0)) job.reject(stopping());
    const worker = this.#worker;
    if (worker === undefined) return;
    this.#send({ type: 'close' });
    if (!(await settlesWithin(this.#ended, CLOSE_TIMEOUT_MS))) worker.terminate();
  }

  #run(task: Task, signal: AbortSignal | undefined): Promise<Answer> {
    if (this.#isClosed) return Promise.reject(stopping());
    if (signal?.aborted) return Promise.reject(left());
    const others = task.type === 'search' ? this.#waiting.length : this.#jobs.size;
    if (others >= MAX_WAITING) return Promise.reject(tooMany());
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const job: Job = { id: ++this.#lastId, task, resolve, reject };
    const abandon = () => this.#abandon(job);
    signal?.addEventListener('abort', abandon, { once: true });
    if (task.type === 'search' && this.#searching !== undefined) this.#waiting.push(job);
    else this.#begin(job);
    return promise.finally(() => signal?.removeEventListener('abort', abandon));
  }

  #begin(job: Job): void {
    this.#worker ??= this.#start();
    this.#jobs.set(job.id, job);
    if (job.task.type === 'search') this.#searching = job.id;
    this.#send({ type: 'task', id: job.id, task: job.task });
  }

  /** The caller has left. A running search ends at its next pause; the next one begins when it has. */
  #abandon(job: Job): void {
    const at = this.#waiting.indexOf(job);
    if (at >= 0) this.#waiting.splice(at, 1);
    else if (this.#jobs.has(job.id)) this.#send({ type: 'abort', id: job.id });
    job.reject(left());
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

const left = () => new ServiceError('client-gone', 'The client has left before the end of the search.');
const stopping = () => new ServiceError('unavailable', 'The service is stopping.');
