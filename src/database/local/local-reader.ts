import type { InArgs, InStatement, ResultSet, Row } from '@libsql/client';
import { isBusy, named } from '../errors.ts';
import type { SnapshotReader } from './snapshot-reader.ts';

/** The maximum wait of a read for a process that recovers the file after a crash, and the retry interval. */
const MAX_READ_WAIT_MS = 5_000;
const READ_RETRY_MS = 10;

/** Reads of a file, which wait while another process locks it. Errors are converted by `named`. */
export class LocalReader {
  readonly #snapshots: SnapshotReader;

  constructor(snapshots: SnapshotReader) {
    this.#snapshots = snapshots;
  }

  first = async (sql: string, args: InArgs): Promise<Row | undefined> => {
    try {
      return this.#snapshots.first(sql, args);
    } catch (error) {
      if (!isBusy(error)) throw named(error);
      return this.#whenFree(() => this.#snapshots.first(sql, args));
    }
  };

  read = (statements: readonly InStatement[]): Promise<ResultSet[]> =>
    this.#whenFree(() => this.#snapshots.run(statements));

  generation = (): Promise<number> => this.#whenFree(() => this.#snapshots.generation());

  /** Returns the generation without waiting for a lock; undefined while the file is locked. */
  knownGeneration = (): number | undefined => unlessBusy(() => this.#snapshots.generation());

  /** Returns the stamp without waiting for a lock; undefined while the file is locked. */
  stamp = (): number | undefined => unlessBusy(this.#snapshots.stamp);

  async #whenFree<T>(work: () => T): Promise<T> {
    const deadline = performance.now() + MAX_READ_WAIT_MS;
    for (;;) {
      try {
        return work();
      } catch (error) {
        if (!isBusy(error) || performance.now() >= deadline) throw named(error);
        await Bun.sleep(READ_RETRY_MS);
      }
    }
  }
}

function unlessBusy<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (!isBusy(error)) throw named(error);
    return undefined;
  }
}
