import type { SpawnOptions, Subprocess } from 'bun';
import type { Database } from '../../src/database/database.ts';

/** Waits for the end of a command and returns its exit code and output. */
export async function outcomeOf(child: Subprocess<SpawnOptions.Writable, 'pipe', 'pipe'>) {
  const [code, out, err] = await Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code, out, err };
}

/** Returns the number that a query finds, including changes of other processes. */
export async function countIn(database: Database, sql: string): Promise<number> {
  database.refresh();
  return Number((await database.client.first(sql, []))?.[0]);
}
