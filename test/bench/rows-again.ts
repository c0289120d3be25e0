import Database from 'libsql';

const ROWS_AT_A_TIME = 5_000;

/**
 * The baseline of an import: every row of a database once more, one INSERT each, in one transaction of another database
 * with the same tables and indexes. Only the inserts and the commit are measured, not the reading.
 */
export async function insertRowsAgain(from: string, to: string): Promise<{ rows: number; seconds: number }> {
  const source = new Database(from, { readonly: true });
  const target = new Database(to);
  target.exec('PRAGMA journal_mode = WAL');
  target.exec('PRAGMA synchronous = FULL');
  // The text index is a virtual table, whose rows are in tables of its own: these are copied as any others.
  const schema = source.prepare(`SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL
    AND name NOT LIKE 'sqlite_%' AND sql NOT LIKE 'CREATE VIRTUAL %'`);
  const parts = schema.all() as { type: string; name: string; sql: string }[];
  for (const type of ['table', 'index']) for (const part of parts) if (part.type === type) target.exec(part.sql);
  let rows = 0;
  let spentMs = 0;
  const timed = (work: () => void) => {
    const startedAt = performance.now();
    work();
    spentMs += performance.now() - startedAt;
  };
  timed(() => target.exec('BEGIN IMMEDIATE'));
  for (const { name } of parts.filter(({ type }) => type === 'table')) {
    const reading = source.prepare(`SELECT * FROM "${name}"`).raw();
    const columns = (
      source.prepare(`SELECT count(*) AS count FROM pragma_table_info('${name}')`).get() as { count: number }
    ).count;
    const insert = target.prepare(`INSERT INTO "${name}" VALUES (${Array(columns).fill('?').join(', ')})`);
    let waiting: unknown[][] = [];
    const write = () => {
      timed(() => {
        for (const row of waiting) insert.run(...row);
      });
      rows += waiting.length;
      waiting = [];
    };
    for (const row of reading.iterate() as Iterable<unknown[]>) {
      waiting.push(row);
      if (waiting.length === ROWS_AT_A_TIME) write();
    }
    write();
  }
  timed(() => target.exec('COMMIT'));
  source.close();
  target.close();
  return { rows, seconds: spentMs / 1000 };
}
