import type { Subprocess } from 'bun';
import type { Database } from '../../src/database/database.ts';

/** What a command with pipes for its output has said when it ended. */
export async function outcomeOf(child: Subprocess<'ignore' | 'pipe', 'pipe', 'pipe'>) {
  const [code, out, err] = await Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code, out, err };
}

/** The number that a query answers, as other processes have left it. */
export async function countIn(database: Database, sql: string): Promise<number> {
  database.refresh();
  return Number((await database.client.first(sql, []))?.[0]);
}
