import type { InStatement, ResultSet } from '@libsql/client';
import { type DamageLog, requireIntact } from './damaged-text.ts';
import type { DatabaseClient, WriteWatch } from './database-client.ts';
import { resultOf, type Statement } from './statement.ts';

/** A database: reads with queries of Drizzle, and writes that are one batch each. */
export interface Database {
  readonly client: DatabaseClient;
  /** True if other machines may use the database at the same time. */
  readonly isShared: boolean;
  /** True if each read is a round trip to a server: independent reads should then share a batch. */
  readonly isDistant: boolean;
  /** The damaged texts that this process has read. */
  readonly damages: DamageLog;
  /** Returns the first row of a query, or undefined. Throws `storage-failed` for a row with a damaged text. */
  get<ResultRow>(statement: Statement<readonly ResultRow[]>): Promise<ResultRow | undefined>;
  /** Returns all rows of a query. Invalid bytes of a damaged text are U+FFFD; see `damagedTextsOf`. */
  all<ResultRow>(statement: Statement<ResultRow[]>): Promise<ResultRow[]>;
  /**
   * Lets the next read see all writes up to now, including those of other processes. Call it when a request arrives:
   * consecutive reads share a snapshot.
   */
  refresh(): void;
  /**
   * Returns a number that changes when any process changes an account, a setting or a term. Cached values of these are
   * valid while the number stays the same.
   */
  generation(): Promise<number>;
  /** Returns the generation if it is known without a request to a server and without a wait for a lock. */
  knownGeneration(): number | undefined;
  /**
   * Returns a number that changes with every write of any process; undefined if the database cannot tell at low cost.
   * Read the stamp before the values that are cached under it, never after.
   */
  stamp(): number | undefined;
  /**
   * Runs all statements in one transaction, or none. Rejects with the first error; see `errors.ts`. The primary runs
   * them, never a replica. The results have the names of the statements.
   */
  write<Given extends Batch>(batch: Given): Promise<BatchResults<Given>>;
  /** Runs all statements on one snapshot. The results have the names of the statements. */
  read<Given extends Batch>(batch: Given): Promise<BatchResults<Given>>;
  /** Throws `unavailable` if the files of a local database were removed or replaced. Writes then fail, too. */
  requireFiles(): void;
  /** Calls `listener` soon after a write of any process, until the watch is closed. */
  watch(listener: () => void): WriteWatch;
  /**
   * Ends the running reads of this connection with an error (`isInterrupted`): on a server, and on a connection that was
   * opened for reading (`openForReading`). Has no effect on any other one, and on a read that has not begun.
   */
  interrupt(): void;
  /** Closes the database after the pending writes. */
  close(): Promise<void>;
}

/** Creates a database on a client. */
export function createDatabase(client: DatabaseClient, isShared: boolean): Database {
  const read: Database['read'] = (batch) => runBatch(batch, (statements) => client.batch(statements, 'read'));
  return {
    client,
    damages: client.damages,
    isShared,
    isDistant: client.protocol === 'http',
    async get<ResultRow>({ sql, args, toRow }: Statement<readonly ResultRow[]>) {
      const row = await client.first(sql, args);
      if (row !== undefined) requireIntact(row);
      return row && (toRow?.(row) as ResultRow | undefined);
    },
    all: async (statement) => (await read({ rows: statement })).rows,
    read,
    write: (batch) => runBatch(batch, (statements) => client.batch(statements, 'write')),
    refresh: client.refresh,
    generation: client.generation,
    knownGeneration: client.knownGeneration,
    stamp: client.stamp,
    requireFiles: client.requireFiles,
    watch: client.watch,
    interrupt: client.interrupt,
    close: client.finish,
  };
}

/** Statements, and lists of statements, by name, in the order in which they run; or a list without names. */
export type Batch = Readonly<Record<string, Statement | readonly InStatement[]>> | readonly InStatement[];

/** The results of a batch, by the names of its statements. */
export type BatchResults<Given extends Batch> = Given extends readonly InStatement[]
  ? ResultSet[]
  : {
      readonly [Name in keyof Given]: Given[Name] extends Statement<infer Result>
        ? Result
        : Given[Name] extends readonly Statement<infer Result>[]
          ? Result[]
          : unknown;
    };

/** Returns the statements of a batch in the order in which they run. */
export function statementsOf(batch: Batch): InStatement[] {
  return Array.isArray(batch) ? batch : Object.values(batch).flat();
}

/** Runs a batch and returns its results by name. */
async function runBatch<Given extends Batch>(
  batch: Given,
  run: (statements: InStatement[]) => Promise<ResultSet[]>,
): Promise<BatchResults<Given>>;
async function runBatch(batch: Batch, run: (statements: InStatement[]) => Promise<ResultSet[]>): Promise<unknown> {
  const all = await run(statementsOf(batch));
  if (Array.isArray(batch)) return all;
  const results = all.values();
  const take = (statement: Statement) => resultOf(statement, results.next().value as ResultSet);
  return Object.fromEntries(
    Object.entries(batch).map(([name, each]) => [name, Array.isArray(each) ? each.map(take) : take(each)]),
  );
}
