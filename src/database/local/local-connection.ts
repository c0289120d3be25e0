import type { InArgs, InStatement, InValue, ResultSet, Row } from '@libsql/client';
import Database from 'libsql';
import AsyncDatabase from 'libsql/promise';
import { ServiceError } from '../../base/errors.ts';
import { DamageLog } from '../damaged-text.ts';
import { createResultSet, hasNul, nulRefused } from '../driver-values.ts';
import { isBusy } from '../errors.ts';
import { prepareSafely, type SafeStatement } from './safe-statement.ts';

/** The maximum number of cached prepared statements. The program has fewer. */
const MAX_PREPARED = 500;

/** The maximum wait for another process that is creating or recovering the same file. */
const OPENING_TIMEOUT_MS = 5_000;
/** The interval of attempts to open such a file. */
const OPENING_RETRY_MS = 5;

/** The default size of SQLite's page cache for each connection. */
const CACHE_KIB = 32 * 1024;
/** The default size of the write-ahead log at which SQLite copies it into the file. */
const LOG_KIB = 16 * 1024;
/** The page size of SQLite's files. */
const PAGE_KIB = 4;

/** The memory and disk that a connection uses. */
export interface ConnectionSizes {
  /** The size of SQLite's page cache. */
  readonly cacheKib?: number | undefined;
  /** The size of the write-ahead log at which SQLite copies it into the file. */
  readonly logKib?: number | undefined;
}

/**
 * A connection to a database file with cached prepared statements, which make a read several times faster. Calls are
 * synchronous: no other statement runs between the statements of a call.
 */
export class LocalConnection {
  readonly #database: Database.Database;
  readonly #prepared = new Map<string, SafeStatement>();
  /** A separate cache for `get`: after `all` on the same statement, the driver's `get` returns a stale row if it finds none. */
  readonly #preparedForFirst = new Map<string, SafeStatement>();
  readonly #isReader: boolean;
  readonly #damages: DamageLog;
  #isClosed = false;

  /** Opens the file, or creates it. Other connections write to the file of a reader, such as `replica-sync.ts`. */
  constructor(
    file: string,
    {
      isReader = false,
      cacheKib = CACHE_KIB,
      logKib = LOG_KIB,
      damages = new DamageLog(),
    }: ConnectionSizes & { readonly isReader?: boolean; readonly damages?: DamageLog } = {},
  ) {
    this.#database = new Database(file);
    this.#isReader = isReader;
    this.#damages = damages;
    try {
      if (isReader) this.#database.exec('PRAGMA query_only = ON');
      else this.#prepareForWrites(logKib);
      this.#database.exec(`PRAGMA cache_size = -${cacheKib}`);
      this.#database.exec('PRAGMA temp_store = MEMORY');
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  #prepareForWrites(logKib: number): void {
    // Waits are ours: here, and in the write queue, which does not block the event loop.
    this.#database.exec('PRAGMA busy_timeout = 0');
    this.#whenFree('PRAGMA journal_mode = WAL');
    // Fails now for a read-only file, not at the first write.
    this.#whenFree('BEGIN IMMEDIATE; ROLLBACK');
    // A confirmed write survives a power failure.
    this.#database.exec('PRAGMA synchronous = FULL');
    this.#database.exec('PRAGMA foreign_keys = ON');
    this.#database.exec(`PRAGMA wal_autocheckpoint = ${logKib / PAGE_KIB}`);
  }

  /**
   * Runs a statement that another process may prevent, which is creating, recovering, closing or writing the same file. SQLite
   * does not wait in all of these cases, and asks too rarely to find a pause of a busy writer.
   */
  #whenFree(sql: string): void {
    const deadline = performance.now() + OPENING_TIMEOUT_MS;
    for (;;) {
      try {
        this.#database.exec(sql);
        return;
      } catch (error) {
        if (!isBusy(error) || performance.now() >= deadline) throw error;
        Bun.sleepSync(OPENING_RETRY_MS);
      }
    }
  }

  get isInTransaction(): boolean {
    return !this.#isClosed && this.#database.inTransaction;
  }

  /** Runs statements without parameters or results. */
  script(sql: string): void {
    this.#requireOpen();
    this.#database.exec(sql);
  }

  /** Commits a transaction without blocking the event loop. Nothing may use the connection until it resolves. */
  async commit(): Promise<void> {
    this.#requireOpen();
    // A method of the asynchronous class, which runs on a thread, on a connection of the synchronous class: both hold the
    // same native connection (decision 41).
    await AsyncDatabase.prototype.exec.call(this.#database, 'COMMIT');
  }

  /** Runs one statement. */
  run(statement: InStatement): ResultSet {
    this.#requireOpen();
    const [sql, args] = typeof statement === 'string' ? [statement, []] : [statement.sql, statement.args ?? []];
    const prepared = this.#prepare(sql);
    const values = bind(args);
    if (!prepared.isReader) {
      const { changes, lastInsertRowid } = prepared.statement.run(values);
      return createResultSet([], [], changes, BigInt(lastInsertRowid));
    }
    const rows = prepared.statement.all(values) as unknown as Row[];
    for (const row of rows) prepared.decode(row);
    return createResultSet(prepared.columns, rows, 0, undefined);
  }

  /** Returns the first row of a query, or undefined. */
  first(sql: string, args: InArgs): Row | undefined {
    this.#requireOpen();
    const { statement, decode } = this.#prepare(sql, this.#preparedForFirst);
    const row = statement.get(bind(args)) as Row | undefined;
    return row && decode(row);
  }

  /** Copies the write-ahead log into the file, unless another process prevents it, and closes the connection. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#prepared.clear();
    this.#preparedForFirst.clear();
    try {
      // The driver never closes the file, so SQLite does not do this itself.
      if (!this.#isReader) this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // The log is as durable as the file: the next start reads it. The error that caused the end matters more.
    } finally {
      this.#database.close();
    }
  }

  /** The driver ends the process if a closed connection is used. */
  #requireOpen(): void {
    if (this.#isClosed) throw new ServiceError('unavailable', 'The service is stopping.');
  }

  #prepare(sql: string, kept = this.#prepared): SafeStatement {
    const known = kept.get(sql);
    if (known) return known;
    const prepared = prepareSafely(this.#database, sql, this.#damages);
    if (kept.size >= MAX_PREPARED) {
      const oldest = kept.keys().next().value;
      if (oldest !== undefined) kept.delete(oldest);
    }
    kept.set(sql, prepared);
    return prepared;
  }
}

/** Returns the parameters of a statement as the driver accepts them. Throws `malformed` for a text with NUL. */
export function bind(args: readonly InValue[] | Record<string, InValue>): unknown {
  if (!Array.isArray(args)) throw new TypeError('parameters must be a list, not an object');
  let hasBooleans = false;
  for (let index = 0; index < args.length; index++) {
    const value = args[index];
    if (typeof value === 'boolean') hasBooleans = true;
    // The driver would truncate the text.
    else if (typeof value === 'string' && hasNul(value)) throw nulRefused();
  }
  return hasBooleans ? args.map((each) => (typeof each === 'boolean' ? Number(each) : each)) : args;
}
