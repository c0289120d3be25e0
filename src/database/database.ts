import { accessSync, constants } from 'node:fs';
import type { Client, InArgs, Row } from '@libsql/client';
import { drizzle, type LibSQLDatabase } from 'drizzle-orm/libsql';
import { type Batch, type BatchResults, runBatch } from './batch.ts';
import type { DatabaseClient } from './database-client.ts';
import { unusable } from './errors.ts';
import { createLocalClient } from './local/local-client.ts';
import type { WriteWatch } from './local/watch-writes.ts';
import type { Statement } from './statement.ts';

/** The database as the rest of the program knows it: queries by Drizzle, writes as one batch. */
export interface Database {
  readonly query: LibSQLDatabase;
  readonly client: Client;
  /** Whether other machines may use it at the same time. */
  readonly isShared: boolean;
  /** Whether each read is a round trip to a server: what can be asked for at once is then better not asked for in turn. */
  readonly isDistant: boolean;
  /** Returns the first row of a query, or undefined. */
  get<FoundRow>(statement: Statement<readonly FoundRow[]>): Promise<FoundRow | undefined>;
  /** The same for SQL text, without names. */
  first(sql: string, args: InArgs): Promise<Row | undefined>;
  /** Returns all rows of a query. */
  all<FoundRow>(statement: Statement<FoundRow[]>): Promise<FoundRow[]>;
  /**
   * Lets the next read see whatever any process has written until now. To be called when a request arrives: reads that
   * follow each other share a snapshot.
   */
  refresh(): void;
  /**
   * A number that is another one as soon as an account, a setting or a term has changed, whichever process did it:
   * what is remembered of those holds as long as the number does.
   */
  generation(): Promise<number>;
  /** The same, as far as it is known without asking a server or waiting for a file. */
  knownGeneration(): number | undefined;
  /**
   * A number that is another one as soon as anything at all has been written, whichever process did it; undefined where
   * that cannot be known at little cost. To be asked before what is remembered under it is read, never after.
   */
  stamp(): number | undefined;
  /**
   * Runs all statements in one transaction, or none. Rejects with what failed; see `errors.ts`. What is asked so is
   * answered by the database itself, never by a replica that may be behind. The results have the names of the statements.
   */
  write<Given extends Batch>(batch: Given): Promise<BatchResults<Given>>;
  /** Runs all statements on one snapshot. The results have the names of the statements. */
  read<Given extends Batch>(batch: Given): Promise<BatchResults<Given>>;
  /** Calls back soon after any process has written, as far as that can be known, until it is closed. */
  watch(listener: () => void): WriteWatch;
  /** Resolves when what was being written is done. */
  close(): Promise<void>;
}

/** Opens a database file, or makes it. Throws UnusableDatabaseError. */
export function openLocalDatabase(file: string, cache: { readonly cacheKib?: number } = {}): Database {
  try {
    const database = createDatabase(createLocalClient(file, cache), false);
    // SQLite opens a write-protected file as well, and says so at the first write only.
    accessSync(file, constants.W_OK);
    return database;
  } catch (error) {
    throw unusable(file, error);
  }
}

/** The database of a client. */
export function createDatabase(client: DatabaseClient, isShared: boolean): Database {
  const read: Database['read'] = (batch) => runBatch(batch, (statements) => client.batch(statements, 'read'));
  return {
    query: drizzle(client),
    client,
    isShared,
    isDistant: client.protocol === 'http',
    async get<FoundRow>({ sql, args, toRow }: Statement<readonly FoundRow[]>) {
      const row = await client.first(sql, args);
      return row && (toRow?.(row) as FoundRow | undefined);
    },
    first: client.first,
    all: async (statement) => (await read({ rows: statement })).rows,
    read,
    write: (batch) => runBatch(batch, (statements) => client.batch(statements, 'write')),
    refresh: client.refresh,
    generation: client.generation,
    knownGeneration: client.knownGeneration,
    stamp: client.stamp,
    watch: client.watch,
    close: client.finish,
  };
}
