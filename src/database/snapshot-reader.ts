import type { InArgs, InStatement, ResultSet, Row } from '@libsql/client';
import type { LocalConnection } from './local-connection.ts';

/**
 * Reads that follow each other from one snapshot: to begin a read costs as much as to read a row. It ends with the turn
 * of the event loop, and before: with each request that arrives, which has to see whatever was answered until then by
 * any process, and with each write of this process before that is answered.
 */
export class SnapshotReader {
  readonly #connection: LocalConnection;
  #isOpen = false;
  #generation: number | undefined;

  constructor(connection: LocalConnection) {
    this.#connection = connection;
  }

  first(sql: string, args: InArgs): Row | undefined {
    try {
      this.#begin();
      return this.#connection.first(sql, args);
    } catch (error) {
      // Where the file was locked, the next try must not go on with half a beginning.
      this.end();
      throw error;
    }
  }

  run(statements: readonly InStatement[]): ResultSet[] {
    try {
      this.#begin();
      return statements.map((statement) => this.#connection.run(statement));
    } catch (error) {
      this.end();
      throw error;
    }
  }

  /** The number that the snapshot holds for what requests share; read once a turn. */
  generation(): number {
    this.#generation ??= this.first('SELECT value FROM generation', [])?.[0] as number;
    return this.#generation;
  }

  /** Lets go of the snapshot: the next read takes a new one. */
  end = (): void => {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#generation = undefined;
    try {
      if (this.#connection.isInTransaction) this.#connection.run('COMMIT');
    } catch {
      // Nobody waits for this. The next read begins by rolling back, and fails with the reason if there still is one.
    }
  };

  #begin(): void {
    if (this.#isOpen) return;
    if (this.#connection.isInTransaction) this.#connection.run('ROLLBACK');
    this.#connection.run('BEGIN');
    this.#isOpen = true;
    setImmediate(this.end);
  }
}
