import type { Client, InArgs, InStatement, ResultSet, Row, TransactionMode } from '@libsql/client';
import type { WriteWatch } from './local/watch-writes.ts';

/** What every kind of database can do; see `database.ts` for what the callers are promised. */
export interface DatabaseParts {
  readonly protocol: string;
  /** Whether it was closed. */
  readonly isClosed: () => boolean;
  readonly first: (sql: string, args: InArgs) => Promise<Row | undefined>;
  readonly read: (statements: readonly InStatement[]) => Promise<ResultSet[]>;
  readonly write: (statements: readonly InStatement[]) => Promise<ResultSet[]>;
  /** Runs statements without parameters or results, outside the queue of writes; left out where there is no way to. */
  readonly script?: (sql: string) => void;
  /** Lets the next read see what other processes have written until now. */
  readonly refresh: () => void;
  /** Changes whenever accounts, settings or terms do (`generation`). */
  readonly generation: () => Promise<number>;
  /** The same, as far as it is known without asking a server or waiting for a file. */
  readonly knownGeneration: () => number | undefined;
  /** Changes with everything that is written (`Database.stamp`); left out where there is no way to know. */
  readonly stamp?: () => number | undefined;
  readonly watch: (listener: () => void) => WriteWatch;
  /** Closes, and resolves when what was being written is done. */
  readonly finish: () => Promise<void>;
}

export interface DatabaseClient
  extends Client,
    Pick<DatabaseParts, 'first' | 'refresh' | 'generation' | 'knownGeneration' | 'watch' | 'finish'>,
    Pick<Required<DatabaseParts>, 'stamp'> {}

/**
 * The interface of `@libsql/client`, which Drizzle asks for. Interactive transactions are not part of it: a write is
 * one batch, which is one round trip on a server.
 */
export function createDatabaseClient(parts: DatabaseParts): DatabaseClient {
  const { read, write } = parts;
  const { first, refresh, generation, knownGeneration, stamp = () => undefined, watch, finish } = parts;
  return {
    first,
    refresh,
    generation,
    knownGeneration,
    stamp,
    watch,
    finish,
    protocol: parts.protocol,
    get closed() {
      return parts.isClosed();
    },
    async execute(statement: InStatement | string, args?: InArgs) {
      const whole = typeof statement === 'string' ? { sql: statement, args: args ?? [] } : statement;
      return (await (isRead(whole.sql) ? read([whole]) : write([whole])))[0] as ResultSet;
    },
    async batch(statements: Array<InStatement | [string, InArgs?]>, mode?: TransactionMode) {
      const whole = statements.map((each) => (Array.isArray(each) ? { sql: each[0], args: each[1] ?? [] } : each));
      return mode === 'read' ? read(whole) : write(whole);
    },
    migrate: (statements) => write(statements),
    async transaction(): Promise<never> {
      throw new Error('a write is one batch; interactive transactions are not to be had');
    },
    async executeMultiple(sql) {
      if (parts.script === undefined) throw new Error('this database takes no scripts');
      parts.script(sql);
    },
    async sync() {
      throw new Error('a database keeps itself in step');
    },
    reconnect() {
      throw new Error('a database keeps its connections itself');
    },
    close() {
      void finish();
    },
  };
}

function isRead(sql: string): boolean {
  return /^\s*(select|explain|pragma)\b/i.test(sql);
}
