import type { Client, InArgs, InStatement, ResultSet, Row, TransactionMode } from '@libsql/client';

/** A subscription to writes of any process. */
export interface WriteWatch {
  /** True if the listener is called. Some systems and file systems report no changes: the caller must then poll. */
  readonly isTold: boolean;
  close(): void;
}

/** The operations that each kind of database implements. `Database` documents them. */
export interface DatabaseParts {
  readonly protocol: string;
  readonly isClosed: () => boolean;
  readonly first: (sql: string, args: InArgs) => Promise<Row | undefined>;
  readonly read: (statements: readonly InStatement[]) => Promise<ResultSet[]>;
  readonly write: (statements: readonly InStatement[]) => Promise<ResultSet[]>;
  /** Runs statements without parameters or results, outside the queue of writes. Only local files support it. */
  readonly script?: (sql: string) => void;
  readonly refresh: () => void;
  readonly generation: () => Promise<number>;
  readonly knownGeneration: () => number | undefined;
  /** Missing if the database cannot tell at low cost. */
  readonly stamp?: () => number | undefined;
  readonly watch: (listener: () => void) => WriteWatch;
  readonly finish: () => Promise<void>;
}

export interface DatabaseClient
  extends Client,
    Pick<DatabaseParts, 'first' | 'refresh' | 'generation' | 'knownGeneration' | 'watch' | 'finish'>,
    Pick<Required<DatabaseParts>, 'stamp'> {}

/**
 * Creates a client with the interface of `@libsql/client`, which Drizzle requires. It supports no interactive
 * transactions: a write is one batch, which is one round trip to a server.
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
      throw new Error('interactive transactions are not supported: write one batch');
    },
    async executeMultiple(sql) {
      if (parts.script === undefined) throw new Error('this database runs no scripts');
      parts.script(sql);
    },
    async sync() {
      throw new Error('the database synchronizes itself');
    },
    reconnect() {
      throw new Error('the database manages its connections itself');
    },
    close() {
      void finish();
    },
  };
}

function isRead(sql: string): boolean {
  return /^\s*(select|explain|pragma)\b/i.test(sql);
}
