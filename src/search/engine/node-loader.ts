import { asc, gt } from 'drizzle-orm';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { nodeRecords } from '../../database/schema/search.ts';
import { type Named, prepare } from '../../database/statement.ts';
import type { NodeTable } from './node-table.ts';

const ROWS_AT_ONCE = 5_000;

const changedSince = prepare(({ sequence, limit }: Named<{ sequence: number; limit: number }>) =>
  query
    .select({
      nid: nodeRecords.nid,
      sequence: nodeRecords.sequence,
      isDeleted: nodeRecords.isDeleted,
      status: nodeRecords.status,
      ownerId: nodeRecords.ownerId,
      created: nodeRecords.created,
      dateFrom: nodeRecords.dateFrom,
      dateTo: nodeRecords.dateTo,
      facets: nodeRecords.facets,
    })
    .from(nodeRecords)
    .where(gt(nodeRecords.sequence, sequence))
    .orderBy(asc(nodeRecords.sequence))
    .limit(limit),
);

/** Keeps a table of nodes current: each search first reads the rows that any process has written since the one before. */
export class NodeLoader {
  readonly #database: Database;
  readonly #table: NodeTable;
  #sequence = 0;

  constructor(database: Database, table: NodeTable) {
    this.#database = database;
    this.#table = table;
  }

  /** Reads all changes in slices. `onSlice` may throw to end it; the next call then continues. */
  async refresh(onSlice: () => Promise<void>): Promise<void> {
    for (;;) {
      const rows = await this.#database.all(changedSince({ sequence: this.#sequence, limit: ROWS_AT_ONCE }));
      for (const row of rows) {
        this.#table.set(row);
        this.#sequence = row.sequence;
      }
      if (rows.length < ROWS_AT_ONCE) return;
      await onSlice();
    }
  }
}
