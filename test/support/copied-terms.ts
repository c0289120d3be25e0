import { openBesideServer } from './open-beside-server.ts';

/** Copies a term of a database file `count` times as far as lookups see it. The names are `NAME 1` and so on. */
export function copyTerm(file: string, termId: number, count: number, name: string): void {
  const database = openBesideServer(file);
  const columns = (database.prepare('PRAGMA table_info(taxonomy_term)').all([]) as { name: string }[]).map(
    (column) => column.name,
  );
  const values: Record<string, string> = {
    id: '(SELECT max(id) FROM taxonomy_term) + s.value',
    uuid: "printf('01900000-0000-7000-8000-%012x', s.value)",
    label: `? || ' ' || s.value`,
    folded_label: `lower(?) || ' ' || s.value`,
  };
  const args = columns.flatMap((column) => (values[column]?.includes('?') ? [name] : []));
  database
    .prepare(
      `INSERT INTO taxonomy_term (${columns.join(', ')})
        WITH RECURSIVE s(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM s WHERE value < ?)
        SELECT ${columns.map((column) => values[column] ?? `t.${column}`).join(', ')} FROM s CROSS JOIN taxonomy_term t WHERE t.id = ?`,
    )
    .run([count, ...args, termId]);
  database.close();
}
