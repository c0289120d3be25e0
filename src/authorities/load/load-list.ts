import { realpath } from 'node:fs/promises';
import { basename } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { and, eq, isNull, notExists, sql } from 'drizzle-orm';
import { CommandError, ServiceError } from '../../base/errors.ts';
import { countInWords, numberText } from '../../base/in-words.ts';
import { query } from '../../database/query-builder.ts';
import { authorityLists } from '../../database/schema/authorities.ts';
import { runs } from '../../database/schema/runs.ts';
import { type Statement, statementOf } from '../../database/statement.ts';
import type { BaseServices } from '../../repository/base-services.ts';
import type { HeldRun } from '../../runs/runs.ts';
import { deleteRemoved, replaceList } from '../authority-lists.ts';
import type { AuthorityKind } from '../authority-record.ts';
import { type ListProgress, listRuns } from '../list-runs.ts';
import { createWords } from '../list-statements.ts';
import { sourceOfUri } from '../source-of-uri.ts';
import { factOf, keyOf, type RecordRules } from './facts.ts';
import { RecordGatherer } from './gather-records.ts';
import { openRdfFile, type RdfFile } from './rdf-file.ts';
import { readStatements } from './read-statements.ts';
import { RecordWriter } from './write-records.ts';

/** The broken lines after which a file counts as a wrong one. */
const MAX_BROKEN_LINES = 100;

interface LoadOptions {
  readonly path: string;
  /** Default: the name of the file without its extensions. */
  readonly name?: string | undefined;
  /** The name among the `authority_sources` of the content model (default: that of the URIs). */
  readonly source?: string | undefined;
  /** The kind of records of which the file tells none (default: that of the URIs). */
  readonly kind?: AuthorityKind | undefined;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ListProgress & { readonly totalBytes: number }) => void;
  readonly onBroken: (line: number, reason: string) => void;
}

/** A list that was loaded. */
export interface LoadedList {
  readonly name: string;
  readonly source: string;
  readonly records: number;
  readonly names: number;
  readonly brokenLines: number;
}

type Held = HeldRun<{ readonly name: string }, ListProgress, string>;

/**
 * Loads an authority list from a file. A list of the same name is replaced when the file is complete; until then, and after any
 * failure, readers have the former one. Throws `conflict` while another process loads a list of the name, CommandError for a
 * file that is none, and the reason of the signal.
 */
export async function loadList(services: BaseServices, options: LoadOptions): Promise<LoadedList> {
  const { database } = services;
  const file = await openRdfFile(options.path);
  const name = options.name ?? nameOfFile(file.path);
  await endAbandoned(services);
  await deleteRemoved(database, options.signal);
  const held = await begin(services, file, name);
  const failed = new AbortController();
  const signal = AbortSignal.any([options.signal, failed.signal]);
  const stopRenewing = listRuns.keepRenewing(database, held, (error) => failed.abort(error));
  try {
    return await load(services, { ...options, signal }, { file, name, held });
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    const state = options.signal.aborted ? 'stopped' : 'failed';
    // Another process may have taken over, or the database is away: the lease then expires.
    await listRuns.settle(database, held, { state, result: problem }).catch(() => undefined);
    throw error;
  } finally {
    stopRenewing();
    await deleteRemoved(database, AbortSignal.timeout(CLEAN_UP_MS)).catch(() => undefined);
  }
}

/** The time in which the rows of a former list are deleted; the next load deletes the rest. */
const CLEAN_UP_MS = 600_000;

function nameOfFile(path: string): string {
  return basename(path).replace(/(\.[a-z0-9]{1,9})+$/i, '') || basename(path);
}

/** Ends the runs whose process was killed. */
async function endAbandoned({ database }: BaseServices): Promise<void> {
  for (;;) {
    const held = await listRuns.take(database);
    if (held === undefined) return;
    await listRuns.settle(database, held, { state: 'stopped', result: 'Its process has ended.' });
  }
}

/** Adds the run that loads a list, and takes it. */
async function begin({ database }: BaseServices, { path, bytes }: RdfFile, name: string): Promise<Held> {
  const about = { name, file: await realpath(path), bytes };
  const ofName = query
    .select({ id: runs.id })
    .from(runs)
    .where(and(listRuns.isOfKind, isNull(runs.endedAt), sql`${runs.about} ->> 'name' = ${name}`));
  const { added } = await database.write({ added: listRuns.add({ about, where: notExists(ofName) }) });
  const [run] = added;
  const held = run && (await listRuns.take(database, { where: eq(runs.id, run.id) }));
  if (held !== undefined) return held;
  throw new ServiceError('conflict', `The authority list ${name} is being loaded by another process.`);
}

interface Loading {
  readonly file: RdfFile;
  readonly name: string;
  readonly held: Held;
}

async function load(services: BaseServices, options: LoadOptions, { file, name, held }: Loading): Promise<LoadedList> {
  const { database, model } = services;
  const { signal, onProgress } = options;
  const listId = await addList(services, name, file, held);
  const write = async (statements: readonly Statement[]) => {
    await listRuns.change(database, held, { progress: { bytes, records: writer.written.records } }, statements);
  };
  const writer = new RecordWriter(database, listId, write);
  let bytes = 0;
  let brokenLines = 0;
  const onBroken = (line: number, reason: string) => {
    brokenLines += 1;
    options.onBroken(line, reason);
    if (brokenLines < MAX_BROKEN_LINES) return;
    throw new CommandError(
      `${file.path} has ${MAX_BROKEN_LINES} broken lines, the last one is line ${numberText(line)}: nothing was loaded.`,
    );
  };
  const step = async () => {
    await setImmediate();
    signal.throwIfAborted();
    onProgress({ bytes, records: writer.written.records, totalBytes: file.bytes });
  };
  const rules: RecordRules = { kind: options.kind, language: model.defaultLanguage };
  const gatherer = new RecordGatherer(rules, writer);
  let statements = 0;
  const statementsOfFile = readStatements(
    file,
    (count) => {
      bytes = count;
    },
    onBroken,
  );
  for await (const { quads, scope } of statementsOfFile) {
    statements += quads.length;
    for (const quad of quads) {
      const fact = factOf(quad, scope);
      if (fact === undefined) continue;
      gatherer.add(keyOf(quad.subject, scope), fact);
      if (writer.isFull) await writer.flush();
    }
    await step();
  }
  gatherer.end();
  await writer.flush();
  await writer.addLeftovers(rules, step);
  const { records, names } = writer.written;
  if (records === 0) {
    const read = countInWords(statements, 'statement');
    throw new CommandError(`${file.path} has no names of SKOS, MADS/RDF, GND or GeoNames in its ${read}.`);
  }
  const source = options.source ?? sourceOfUri(writer.firstUri ?? '').source;
  const loadedAt = services.now();
  const setSource = statementOf(query.update(authorityLists).set({ source }).where(eq(authorityLists.id, listId)));
  await listRuns.settle(database, held, { state: 'done', progress: { bytes: file.bytes, records } }, [
    setSource,
    ...replaceList({ id: listId, name }, { records, names, loadedAt }),
  ]);
  return { name, source, records, names, brokenLines };
}

async function addList({ database }: BaseServices, name: string, { path }: RdfFile, held: Held): Promise<number> {
  const row = { name, source: 'other', state: 'loading', file: basename(path), runId: held.id } as const;
  const { added } = await database.write({
    added: statementOf(query.insert(authorityLists).values(row).returning({ id: authorityLists.id })),
  });
  const [list] = added;
  if (list === undefined) throw new Error('the list was not added');
  await listRuns.change(database, held, {}, createWords(list.id));
  return list.id;
}
