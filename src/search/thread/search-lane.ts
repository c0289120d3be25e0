import { ServiceError } from '../../base/errors.ts';
import { settlesWithin } from '../../base/settles-within.ts';
import type { SearchClient } from '../search-types.ts';
import type { Answer, Failure, FromThread, Task, TaskEnd, ThreadSetup, ToThread } from './messages.ts';

/** The maximum wait for the end of the thread. */
const CLOSE_TIMEOUT_MS = 5_000;
const RETRY_AFTER_S = 2;

/** In the executable it lies beside the program (`src/build/compile.ts`). */
export const PROGRAM = new URL('./search-worker.ts', import.meta.url).href;

/** A task with its caller. */
export interface Job {
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

/** What a lane needs of its owner. */
export interface LaneOwner {
  readonly setup: ThreadSetup;
  /** The address of what the thread runs. */
  readonly program: string;
  readonly warn: (message: string, cause: unknown) => void;
  /** Called with the token of a snapshot that the thread has written, which the database has to get. */
  readonly onSaved: (token: string) => void;
  /** Called when the lane may begin another search. */
  readonly onFree: () => void;
}

/**
 * One thread, which runs one search at a time, and beside it suggestions. It is started by its first task. If it crashes, its tasks fail, and the
 * next one starts another.
 */
export class SearchLane {
  readonly #owner: LaneOwner;
  #worker: Worker | undefined;
  #ended: Promise<void> = Promise.resolve();
  readonly #jobs = new Map<number, Job>();
  #searching: number | undefined;
  #isClosed = false;

  constructor(owner: LaneOwner) {
    this.#owner = owner;
  }

  /** True if no search runs. */
  get isFree(): boolean {
    return this.#searching === undefined;
  }

  /** The number of tasks that it works on. */
  get size(): number {
    return this.#jobs.size;
  }

  /** Begins a suggestion, or a search if the lane is free. */
  begin(job: Job): void {
    this.#worker ??= this.#start();
    this.#jobs.set(job.id, job);
    job.begunAt = performance.now();
    if (job.task.type !== 'suggest') this.#searching = job.id;
    this.#send({ type: 'task', id: job.id, task: job.task });
  }

  /** Interrupts a task of this lane. The next search begins when it has ended. */
  abort({ id }: Job): void {
    if (this.#jobs.has(id)) this.#send({ type: 'abort', id });
  }

  /** Ends the thread. Its tasks fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#failAll(stopping);
    const worker = this.#worker;
    if (worker === undefined) return;
    this.#send({ type: 'close' });
    if (!(await settlesWithin(this.#ended, CLOSE_TIMEOUT_MS))) worker.terminate();
  }

  #start(): Worker {
    // `ref`: a program that has nothing else to do may end.
    const worker = new Worker(this.#owner.program, { ref: false });
    const ended = Promise.withResolvers<void>();
    this.#ended = ended.promise;
    worker.addEventListener('message', ({ data }: MessageEvent<FromThread>) => this.#hear(data));
    worker.addEventListener('error', ({ message }) => this.#lose(worker, message));
    worker.addEventListener('close', () => {
      ended.resolve();
      this.#lose(worker, 'the thread has ended');
    });
    worker.postMessage({ type: 'open', ...this.#owner.setup } satisfies ToThread);
    return worker;
  }

  #hear(message: FromThread): void {
    if ('saved' in message) this.#owner.onSaved(message.saved);
    else if ('notSaved' in message)
      this.#owner.warn('the facts about nodes cannot be saved for the next start', errorOf(message.notSaved));
    else this.#settle(message);
  }

  #settle(message: TaskEnd): void {
    const job = this.#jobs.get(message.id);
    this.#jobs.delete(message.id);
    job?.spent?.(performance.now() - (job.begunAt ?? 0));
    if ('answer' in message) job?.resolve(JSON.parse(message.answer));
    else job?.reject(errorOf(message.failure));
    if (this.#searching === message.id) this.#free();
  }

  #free(): void {
    this.#searching = undefined;
    this.#owner.onFree();
  }

  /** The thread has crashed. Waiting searches go to a new one. */
  #lose(worker: Worker, reason: string): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    worker.terminate();
    if (this.#isClosed) return;
    this.#owner.warn('the thread of searches has ended; the next search starts another', new Error(reason));
    this.#failAll(crashed);
    this.#free();
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

function crashed(): ServiceError {
  return new ServiceError('unavailable', 'The search was interrupted. Try again.', {
    headers: { 'Retry-After': String(RETRY_AFTER_S) },
  });
}

/** The error for a search of a process that ends. */
export const stopping = () => new ServiceError('unavailable', 'The service is stopping.');
