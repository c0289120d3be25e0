import type { InStatement } from '@libsql/client';

/**
 * Two statements that reserve ids of a table with AUTOINCREMENT; the second returns the highest. Later rows get higher
 * ids, and a reserved id that is not used stays a gap.
 */
export function reserveIds(table: 'file' | 'node', count: number): [InStatement, InStatement] {
  return [
    {
      sql: `INSERT INTO sqlite_sequence (name, seq)
        SELECT ?1, 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?1)`,
      args: [table],
    },
    { sql: 'UPDATE sqlite_sequence SET seq = seq + ? WHERE name = ? RETURNING seq', args: [count, table] },
  ];
}
