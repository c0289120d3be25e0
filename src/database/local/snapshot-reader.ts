import type { InArgs, InStatement, ResultSet, Row } from '@libsql/client';
import { findGeneration } from '../generation.ts';
import type { LocalConnection } from './local-connection.ts';

/**
 * Reads that follow each other from one snapshot: to begin a read costs as much as to read a row. It ends with the turn
 * of the event loop, and before: with each request that arrives, which has to see whatever was answered until then by
 * any process, and with each write of this process before that is answered.
 */
export class SnapshotReader {
  readonly #connection: LocalConnection;
  #isOpen = false;
  #isEndAhead = false;
  /** Whether a transaction may be open that is no snapshot any more: one that could not be begun, or not be ended. */
  #isAnyLeft = false;
  #stamp: number | undefined;
  #generation: { readonly stamp: number; readonly value: number } | undefined;

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

  /**
   * What SQLite counts of the writes of other connections; nobody writes through this one. Asked for without a snapshot,
   * and once until the next `end`: whatever is read until then is as old as that, or newer.
   */
  stamp = (): number => {
    if (this.#stamp === undefined) {
      if (!this.#isOpen) this.#leaveFormer();
      this.#stamp = this.#connection.first('PRAGMA data_version', [])?.[0] as number;
      this.#endWithTurn();
    }
    return this.#stamp;
  };

  /** The number that the database holds for what requests share; read again after a write. */
  generation(): number {
    const stamp = this.stamp();
    if (this.#generation?.stamp !== stamp) {
      const { sql, args } = findGeneration();
      const value = this.first(sql, args)?.[0] as number;
      this.#generation = { stamp, value };
    }
    return this.#generation.value;
  }

  /** Lets go of the snapshot: the next read takes a new one. */
  end = (): void => {
    this.#stamp = undefined;
    if (!this.#isOpen) return;
    this.#isOpen = false;
    try {
      if (this.#connection.isInTransaction) this.#connection.run('COMMIT');
    } catch {
      // Nobody waits for this. The next read begins by rolling back, and fails with the reason if there still is one.
      this.#isAnyLeft = true;
    }
  };

  #begin(): void {
    if (this.#isOpen) return;
    this.#leaveFormer();
    this.#isAnyLeft = true;
    this.#connection.run('BEGIN');
    this.#isAnyLeft = false;
    this.#isOpen = true;
    this.#endWithTurn();
  }

  #leaveFormer(): void {
    if (!this.#isAnyLeft) return;
    if (this.#connection.isInTransaction) this.#connection.run('ROLLBACK');
    this.#isAnyLeft = false;
  }

  #endWithTurn(): void {
    if (this.#isEndAhead) return;
    this.#isEndAhead = true;
    setImmediate(() => {
      this.#isEndAhead = false;
      this.end();
    });
  }
}
