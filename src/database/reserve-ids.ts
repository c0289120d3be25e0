import type { InStatement } from '@libsql/client';

/**
 * Returns two statements that reserve ids of a table with AUTOINCREMENT; the second one yields the highest. Later rows
 * get higher ids. An unused reserved id remains a gap.
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
