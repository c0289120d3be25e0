import type { Client, InArgs, InStatement, ResultSet, Row, TransactionMode } from '@libsql/client';
import { isBusy, named } from './errors.ts';
import { LocalConnection } from './local-connection.ts';
import { SnapshotReader } from './snapshot-reader.ts';
import { type WriteWatch, watchWrites } from './watch-writes.ts';
import { WriteQueue } from './write-queue.ts';

/** How long a read waits while another process repairs the file after a crash, and how often it looks. */
const MAX_READ_WAIT_MS = 5_000;
const READ_RETRY_MS = 10;

export interface LocalClient extends Client {
  /** The first row of a query, or undefined. */
  first(sql: string, args: InArgs): Promise<Row | undefined>;
  /** Lets the next read see what other processes have written until now. */
  refresh(): void;
  /** Changes whenever accounts, settings or terms do (`generation`). */
  generation(): Promise<number>;
  /** Tells of writes of any process (`watch-writes.ts`). */
  watch(listener: () => void): WriteWatch;
  /** Closes, and resolves when what was being written is done. */
  finish(): Promise<void>;
}

/**
 * The libSQL client of a local file: the interface of `@libsql/client`, kept statements, and one write
 * queue. Interactive transactions are not part of it: a write is one batch, which is one round trip on a
 * server too.
 */
export function createLocalClient(file: string): LocalClient {
  const writer = new LocalConnection(file);
  // Reads go on while a write waits for the disk.
  const connection = new LocalConnection(file);
  const reader = new SnapshotReader(connection);
  const queue = new WriteQueue(writer, reader.end);
  let isClosed = false;

  const read = async <T>(work: () => T): Promise<T> => {
    const deadline = performance.now() + MAX_READ_WAIT_MS;
    for (;;) {
      try {
        return work();
      } catch (error) {
        if (!isBusy(error) || performance.now() >= deadline) throw named(error);
        await Bun.sleep(READ_RETRY_MS);
      }
    }
  };
  const finish = async (): Promise<void> => {
    if (isClosed) return;
    isClosed = true;
    reader.end();
    connection.close();
    await queue.whenIdle();
    writer.close();
  };

  return {
    get closed() {
      return isClosed;
    },
    protocol: 'file',
    async first(sql, args) {
      try {
        return reader.first(sql, args);
      } catch (error) {
        if (!isBusy(error)) throw named(error);
        return read(() => reader.first(sql, args));
      }
    },
    refresh: reader.end,
    async generation() {
      return read(() => reader.generation());
    },
    watch: (listener) => watchWrites(file, listener),
    async execute(statement: InStatement | string, args?: InArgs) {
      const whole = typeof statement === 'string' ? { sql: statement, args: args ?? [] } : statement;
      if (isRead(whole.sql)) return (await read(() => reader.run([whole])))[0] as ResultSet;
      return (await queue.write([whole]))[0] as ResultSet;
    },
    async batch(statements: Array<InStatement | [string, InArgs?]>, mode?: TransactionMode) {
      const whole = statements.map((each) => (Array.isArray(each) ? { sql: each[0], args: each[1] ?? [] } : each));
      return mode === 'read' ? read(() => reader.run(whole)) : queue.write(whole);
    },
    async migrate(statements) {
      return queue.write(statements);
    },
    async transaction(): Promise<never> {
      throw new Error('a write is one batch; interactive transactions are not to be had');
    },
    async executeMultiple(sql) {
      writer.script(sql);
    },
    async sync() {
      throw new Error('a local file has nothing to sync with');
    },
    reconnect() {
      throw new Error('a local file has no connection to lose');
    },
    close() {
      void finish();
    },
    finish,
  };
}

function isRead(sql: string): boolean {
  return /^\s*(select|explain|pragma)\b/i.test(sql);
}
