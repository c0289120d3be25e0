import type { InArgs, InStatement, ResultSet, Row } from '@libsql/client';
import Database from 'libsql/promise';
import { ServiceError } from '../../base/errors.ts';
import { DamageLog } from '../damaged-text.ts';
import { createDecoder, type DescribedColumn } from '../decode-texts.ts';
import { createResultSet } from '../driver-values.ts';
import { isBusy, named } from '../errors.ts';
import { textsAsBytes } from '../texts-as-bytes.ts';
import { bind } from './local-connection.ts';

/** The maximum wait of a read for a process that recovers the file after a crash, and the retry interval. */
const MAX_READ_WAIT_MS = 5_000;
const READ_RETRY_MS = 10;

/** The maximum number of cached prepared statements. A search has fewer. */
const MAX_PREPARED = 100;

/** The methods of a statement of the driver, which its types leave out. */
interface AsyncStatement {
  raw(isRaw: boolean): void;
  columns(): DescribedColumn[];
  all(args: unknown): Promise<Row[]>;
}

interface Prepared {
  readonly statement: AsyncStatement;
  readonly columns: string[];
  readonly decode: (row: Row) => Row;
}

/**
 * Reads of a file on a connection of their own, one after another, whose statements run on a thread of the driver: the
 * calling thread goes on, and may end the running statement. A call of the connection while a statement runs would wait
 * for its end, so all calls are in one queue. Errors are converted by `named`.
 */
export class InterruptibleReader {
  readonly #database: Database;
  readonly #prepared = new Map<string, Prepared>();
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  /** True while a statement reads, outside BEGIN and the end of a snapshot. */
  #isInterruptible = false;

  private constructor(
    database: Database,
    readonly damages: DamageLog,
  ) {
    this.#database = database;
  }

  static async open(file: string, cacheKib: number): Promise<InterruptibleReader> {
    const database = new Database(file, {});
    try {
      const settings = ['query_only = ON', `cache_size = -${cacheKib}`, 'temp_store = MEMORY'];
      await database.exec(settings.map((each) => `PRAGMA ${each};`).join(''));
    } catch (error) {
      database.close();
      throw error;
    }
    return new InterruptibleReader(database, new DamageLog());
  }

  first = async (sql: string, args: InArgs): Promise<Row | undefined> => (await this.read([{ sql, args }]))[0]?.rows[0];

  /** Runs all statements on one snapshot. */
  read = (statements: readonly InStatement[]): Promise<ResultSet[]> =>
    this.#inTurn(() => this.#readWhenFree(statements));

  /** Ends the running statement with an error (`isInterrupted`). One that has not begun is not ended. */
  interrupt = (): void => {
    // The driver ends the process if a closed connection is used. A snapshot must begin and end.
    if (!this.#isClosed && this.#isInterruptible) this.#database.interrupt();
  };

  /** Closes the connection after the running statement. */
  close(): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#isClosed) return;
      this.#isClosed = true;
      this.#prepared.clear();
      this.#database.close();
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {});
    return result;
  }

  async #readWhenFree(statements: readonly InStatement[]): Promise<ResultSet[]> {
    if (this.#isClosed) throw new ServiceError('unavailable', 'The service is stopping.');
    const deadline = performance.now() + MAX_READ_WAIT_MS;
    for (;;) {
      try {
        return await this.#readOnce(statements);
      } catch (error) {
        if (!isBusy(error) || performance.now() >= deadline) throw named(error);
        await Bun.sleep(READ_RETRY_MS);
      }
    }
  }

  async #readOnce(statements: readonly InStatement[]): Promise<ResultSet[]> {
    const isBatch = statements.length > 1;
    if (isBatch) await this.#database.exec('BEGIN');
    try {
      const results: ResultSet[] = [];
      for (const each of statements) results.push(await this.#run(each));
      return results;
    } finally {
      // Nothing was written, and nothing interrupts it.
      if (isBatch) await this.#database.exec('ROLLBACK');
    }
  }

  async #run(given: InStatement): Promise<ResultSet> {
    const [sql, args] = typeof given === 'string' ? [given, []] : [given.sql, given.args ?? []];
    const { statement, columns, decode } = await this.#prepare(sql);
    this.#isInterruptible = true;
    try {
      const rows = await statement.all(bind(args));
      for (const row of rows) decode(row);
      return createResultSet(columns, rows, 0, undefined);
    } finally {
      this.#isInterruptible = false;
    }
  }

  async #prepare(sql: string): Promise<Prepared> {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    const described: DescribedColumn[] = (await this.#database.prepare(sql)).columns();
    // Texts are read as bytes: the driver ends the process at a text that is not UTF-8.
    const converted = textsAsBytes(sql, described);
    const statement: AsyncStatement = await this.#database.prepare(converted ?? sql);
    statement.raw(true);
    const columns = described.map(({ name }) => name);
    const decode = converted === undefined ? (row: Row) => row : createDecoder(described, this.damages);
    const prepared = { statement, columns, decode };
    const oldest = this.#prepared.size >= MAX_PREPARED ? this.#prepared.keys().next().value : undefined;
    if (oldest !== undefined) this.#prepared.delete(oldest);
    this.#prepared.set(sql, prepared);
    return prepared;
  }
}
