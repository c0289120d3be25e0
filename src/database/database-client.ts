import type { Client, InArgs, InStatement, ResultSet, Row, TransactionMode } from '@libsql/client';
import { DamageLog } from './damaged-text.ts';

/** A subscription to writes of any process. */
export interface WriteWatch {
  /** True if the listener is called. Some systems and file systems report no changes: the caller must then poll. */
  readonly isTold: boolean;
  close(): void;
}

/** The operations that each kind of database implements. `Database` documents them. */
interface DatabaseParts {
  readonly protocol: string;
  /** The damaged texts that were read. Missing if reads cannot notice any. */
  readonly damages?: DamageLog;
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
  /** Missing if the statements of the database cannot be ended. */
  readonly interrupt?: () => void;
  readonly finish: () => Promise<void>;
  /** Throws `unavailable` if the files of the database were removed. Missing for one on a server. */
  readonly requireFiles?: () => void;
}

/** A database, with those methods of a client of `@libsql/client` that run statements. */
export interface DatabaseClient
  extends Pick<Client, 'execute' | 'batch' | 'executeMultiple'>,
    Pick<DatabaseParts, 'protocol' | 'first' | 'refresh' | 'generation' | 'knownGeneration' | 'watch' | 'finish'>,
    Pick<Required<DatabaseParts>, 'stamp' | 'interrupt' | 'damages' | 'requireFiles'> {}

/** Creates the client of a database. It supports no interactive transactions: a write is one batch. */
export function createDatabaseClient({ read, write, script, ...others }: DatabaseParts): DatabaseClient {
  return {
    stamp: () => undefined,
    interrupt: () => {},
    damages: new DamageLog(),
    requireFiles: () => {},
    ...others,
    async execute(statement: InStatement | string, args?: InArgs) {
      const whole = typeof statement === 'string' ? { sql: statement, args: args ?? [] } : statement;
      return (await (isRead(whole.sql) ? read([whole]) : write([whole])))[0] as ResultSet;
    },
    async batch(statements: Array<InStatement | [string, InArgs?]>, mode?: TransactionMode) {
      const whole = statements.map((each) => (Array.isArray(each) ? { sql: each[0], args: each[1] ?? [] } : each));
      return mode === 'read' ? read(whole) : write(whole);
    },
    async executeMultiple(sql) {
      if (script === undefined) throw new Error('this database runs no scripts');
      script(sql);
    },
  };
}

function isRead(sql: string): boolean {
  return /^\s*(select|explain|pragma)\b/i.test(sql);
}
