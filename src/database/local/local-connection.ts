import type { InArgs, InStatement, InValue, ResultSet, Row } from '@libsql/client';
import Database from 'libsql';
import { ServiceError } from '../../base/errors.ts';
import { hasNul, nulRefused } from '../nul.ts';
import { resultOf } from '../result-set.ts';
import { execOffThread } from './off-thread.ts';

/** The statements that are kept prepared. The program has fewer; a list of ids does not make new ones (`json_each`). */
const MAX_PREPARED = 500;

/** How long opening waits for another process that is just making or recovering the same file. */
const OPENING_TIMEOUT_MS = 5_000;

/** Of pages, for each connection, where nothing else is said; the system's own cache comes on top. */
const CACHE_KIB = 32 * 1024;
/** So much of the log of writes is gathered before it is moved into the file: 16 MiB, and seldom. */
const CHECKPOINT_PAGES = 4_000;

interface Prepared {
  readonly statement: Database.Statement;
  readonly isReader: boolean;
  readonly columns: string[];
}

/**
 * One connection to a database file that keeps its prepared statements, which makes a read several times
 * faster than preparing each anew. Everything on it happens at once: no other statement comes between the
 * statements of a call.
 */
export class LocalConnection {
  readonly #database: Database.Database;
  readonly #prepared = new Map<string, Prepared>();
  /** By themselves: where `all` found something before, the driver's `get` answers that if it finds nothing. */
  readonly #preparedForFirst = new Map<string, Prepared>();
  readonly #isReplica: boolean;
  #isClosed = false;

  /** Opens the file, or makes it. A replica is only read: what is in it comes from its server (`replica-sync.ts`). */
  constructor(file: string, { isReplica = false, cacheKib = CACHE_KIB } = {}) {
    this.#database = new Database(file);
    this.#isReplica = isReplica;
    try {
      if (isReplica) this.#database.exec('PRAGMA query_only = ON');
      else this.#prepareForWrites();
      this.#database.exec(`PRAGMA cache_size = -${cacheKib}`);
      this.#database.exec('PRAGMA temp_store = MEMORY');
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  #prepareForWrites(): void {
    this.#database.exec(`PRAGMA busy_timeout = ${OPENING_TIMEOUT_MS}`);
    this.#database.exec('PRAGMA journal_mode = WAL');
    // A file that cannot be written to is told of now, not by the first write.
    this.#database.exec('BEGIN IMMEDIATE; ROLLBACK');
    // From here on the write queue waits for other processes, without holding up everything else.
    this.#database.exec('PRAGMA busy_timeout = 0');
    // An answered write survives a power cut.
    this.#database.exec('PRAGMA synchronous = FULL');
    this.#database.exec('PRAGMA foreign_keys = ON');
    this.#database.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
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
    await execOffThread(this.#database, 'COMMIT');
  }

  /** Runs one statement. */
  run(statement: InStatement): ResultSet {
    this.#requireOpen();
    const [sql, args] = typeof statement === 'string' ? [statement, []] : [statement.sql, statement.args ?? []];
    const prepared = this.#prepare(sql);
    const values = bind(args);
    if (!prepared.isReader) {
      const { changes, lastInsertRowid } = prepared.statement.run(values);
      return resultOf([], [], changes, BigInt(lastInsertRowid));
    }
    return resultOf(prepared.columns, prepared.statement.all(values) as unknown as Row[], 0, undefined);
  }

  /** The first row of a query, or undefined. */
  first(sql: string, args: InArgs): Row | undefined {
    this.#requireOpen();
    return this.#prepare(sql, this.#preparedForFirst).statement.get(bind(args)) as Row | undefined;
  }

  /** Brings what the log of writes holds into the file itself, as far as no other process is in the way. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#prepared.clear();
    this.#preparedForFirst.clear();
    try {
      // The driver leaves it to the system to close the file, and that does nothing of the kind.
      if (!this.#isReplica) this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // What is in the log is as safe there: the next start reads it. Why we end is more worth knowing.
    } finally {
      this.#database.close();
    }
  }

  /** The driver ends the process when it is asked for something after its end. */
  #requireOpen(): void {
    if (this.#isClosed) throw new ServiceError('unavailable', 'The service is stopping.');
  }

  #prepare(sql: string, kept = this.#prepared): Prepared {
    const known = kept.get(sql);
    if (known) return known;
    const statement = this.#database.prepare(sql);
    const isReader = statement.reader;
    if (isReader) statement.raw(true);
    const columns = isReader ? statement.columns().map((column) => column.name) : [];
    const prepared = { statement, isReader, columns };
    if (kept.size >= MAX_PREPARED) {
      const oldest = kept.keys().next().value;
      if (oldest !== undefined) kept.delete(oldest);
    }
    kept.set(sql, prepared);
    return prepared;
  }
}

function bind(args: readonly InValue[] | Record<string, InValue>): unknown {
  if (!Array.isArray(args)) throw new TypeError('parameters are given in order, not by name');
  let hasBooleans = false;
  for (let index = 0; index < args.length; index++) {
    const value = args[index];
    if (typeof value === 'boolean') hasBooleans = true;
    // The driver would cut the text off there, so that it means something else: `admin\0x` would be `admin`.
    else if (typeof value === 'string' && hasNul(value)) throw nulRefused();
  }
  return hasBooleans ? args.map((each) => (typeof each === 'boolean' ? Number(each) : each)) : args;
}
