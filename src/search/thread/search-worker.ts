import { ServiceError } from '../../base/errors.ts';
import type { Database } from '../../database/database.ts';
import { openForReading } from '../../database/remote/open-database.ts';
import { createEngine, type SearchEngine } from '../engine/create-engine.ts';
import { clientGone } from '../engine/search-time.ts';
import type { SearchRunner } from '../search-types.ts';
import type { Answer, Failure, FromThread, Task, ThreadSetup, ToThread } from './messages.ts';

/** The thread of searches (`search-threads.ts`), with a connection of its own. It ends at the message `close`. */

interface OpenEngine {
  readonly databases: readonly Database[];
  readonly engine: SearchEngine;
  /** The suggestions have a connection of their own: on that of a search, they would wait for its statements. */
  readonly suggestions: SearchRunner;
}

const SUGGESTIONS_CACHE_KIB = 4_096;

let setup: ThreadSetup | undefined;
let opened: Promise<OpenEngine> | undefined;
const running = new Map<number, AbortController>();

globalThis.addEventListener('message', ({ data }: MessageEvent<ToThread>) => {
  if (data.type === 'open') setup = data;
  else if (data.type === 'task') void work(data.id, data.task);
  else if (data.type === 'abort') running.get(data.id)?.abort();
  else void close();
});

/** Opens the database for the first task, and for the next one after a failure. */
async function open(): Promise<OpenEngine> {
  if (setup === undefined) throw new Error('the thread of searches has no setup');
  const database = await openForReading(setup.place);
  const second = await openForReading({ ...setup.place, cacheKib: SUGGESTIONS_CACHE_KIB });
  const [engine, suggestions] = [createEngine(database, setup.setup, setup), createEngine(second, setup.setup)];
  return { databases: [database, second], engine, suggestions };
}

async function work(id: number, task: Task): Promise<void> {
  const controller = new AbortController();
  running.set(id, controller);
  try {
    send({ id, answer: JSON.stringify(await answer(task, controller.signal)) });
  } catch (error) {
    send({ id, failure: failureOf(error) });
  } finally {
    running.delete(id);
  }
  if (task.type === 'search' || task.type === 'list') await save();
}

async function answer(task: Task, signal: AbortSignal): Promise<Answer> {
  opened ??= open().catch((error: unknown) => {
    opened = undefined;
    throw error;
  });
  const { engine, suggestions } = await opened;
  if (task.type === 'suggest') return inTurn(signal, () => suggestions.suggest(task.viewer, task.text, { signal }));
  if (task.type === 'matching') return engine.matching(task.condition, task.nids, { signal });
  if (task.type === 'list') return engine.list(task.viewer, task.query, task.limit, { signal });
  return engine.search(task.viewer, task.query, { signal });
}

/** Writes the arrays for the next start. A full disk does not concern searches. */
async function save(): Promise<void> {
  try {
    const saved = (await opened)?.engine.save();
    if (saved !== undefined) send({ saved });
  } catch (error) {
    send({ notSaved: failureOf(error) });
  }
}

let lastSuggestion: Promise<unknown> = Promise.resolve();

/** Does suggestions one after another: an interruption would end the statement of another one. */
function inTurn<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const result = lastSuggestion.then(() => {
    if (signal.aborted) throw clientGone();
    return work();
  });
  lastSuggestion = result.catch(() => {});
  return result;
}

async function close(): Promise<void> {
  for (const controller of running.values()) controller.abort();
  // One that could not be opened has nothing to close.
  const open = await opened?.catch(() => undefined);
  for (const database of open?.databases ?? []) await database.close();
  process.exit(0);
}

function send(message: FromThread): void {
  postMessage(message);
}

function failureOf(error: unknown): Failure {
  if (error instanceof ServiceError) {
    const { kind, publicMessage: message, headers, cause } = error;
    return { kind, message, headers, detail: cause instanceof Error ? cause.stack : undefined };
  }
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  return { kind: undefined, message, headers: {}, detail: stack };
}
