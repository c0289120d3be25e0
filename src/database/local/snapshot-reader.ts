import type { InArgs, InStatement, ResultSet, Row } from '@libsql/client';
import { findGeneration } from '../dated.ts';
import type { LocalConnection } from './local-connection.ts';
import type { WalIndex } from './wal-index.ts';

/**
 * Consecutive reads on one snapshot, since a transaction costs as much as reading a row. The snapshot ends with the turn
 * of the event loop; and earlier, when a request arrives, which must see all confirmed writes, and before a write of this
 * process is confirmed. The turn is not enough: a snapshot that begins in its last phase lasts into the next one.
 */
export class SnapshotReader {
  readonly #connection: LocalConnection;
  readonly #walIndex: WalIndex | undefined;
  #isOpen = false;
  #isEndScheduled = false;
  /** True if a transaction may be open after a failed BEGIN or COMMIT. */
  #mayBeOpen = false;
  #stamp: number | undefined;
  #generation: { readonly stamp: number; readonly value: number } | undefined;

  /** `walIndex` tells at a lower cost than the connection whether the file was written. */
  constructor(connection: LocalConnection, walIndex?: WalIndex) {
    this.#connection = connection;
    this.#walIndex = walIndex;
  }

  first(sql: string, args: InArgs): Row | undefined {
    try {
      this.#begin();
      return this.#connection.first(sql, args);
    } catch (error) {
      // The next attempt must begin its own transaction if this one failed on a lock.
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
   * Returns a counter of writes by other connections; this one never writes. It is read before the snapshot begins, and once
   * until the next `end`: later reads are as recent or more so.
   */
  stamp = (): number => {
    if (this.#stamp === undefined) {
      this.#stamp = this.#walIndex?.version() ?? this.#dataVersion();
      this.#scheduleEnd();
    }
    return this.#stamp;
  };

  #dataVersion(): number {
    if (!this.#isOpen) this.#rollBackOpen();
    return this.#connection.first('PRAGMA data_version', [])?.[0] as number;
  }

  /** Lets the next read see all writes up to now: ends the snapshot if there were any. */
  refresh = (): void => {
    if (this.#stamp === undefined || this.#walIndex?.version() !== this.#stamp) this.end();
  };

  /** Returns the generation (`Database.generation`), cached by the stamp. */
  generation(): number {
    const stamp = this.stamp();
    if (this.#generation?.stamp !== stamp) {
      const { sql, args } = findGeneration();
      const value = this.first(sql, args)?.[0] as number;
      this.#generation = { stamp, value };
    }
    return this.#generation.value;
  }

  /** Ends the snapshot. The next read begins a new one. */
  end = (): void => {
    this.#stamp = undefined;
    if (!this.#isOpen) return;
    this.#isOpen = false;
    try {
      if (this.#connection.isInTransaction) this.#connection.run('COMMIT');
    } catch {
      // No caller waits for this. The next read rolls back first, and reports the error if it persists.
      this.#mayBeOpen = true;
    }
  };

  #begin(): void {
    if (this.#isOpen) return;
    // A stamp that is read later may be newer than the snapshot.
    if (this.#walIndex !== undefined) this.stamp();
    this.#rollBackOpen();
    this.#mayBeOpen = true;
    this.#connection.run('BEGIN');
    this.#mayBeOpen = false;
    this.#isOpen = true;
    this.#scheduleEnd();
  }

  #rollBackOpen(): void {
    if (!this.#mayBeOpen) return;
    if (this.#connection.isInTransaction) this.#connection.run('ROLLBACK');
    this.#mayBeOpen = false;
  }

  #scheduleEnd(): void {
    if (this.#isEndScheduled) return;
    this.#isEndScheduled = true;
    setImmediate(() => {
      this.#isEndScheduled = false;
      this.end();
    });
  }
}
