import type { TestRepository } from './test-repository.ts';

/** The tables that a request with a session writes by itself. */
const OF_REQUESTS: ReadonlySet<unknown> = new Set(['session', 'flood_event']);

/** Returns all rows of all tables as JSON, by table. */
export async function databaseRows({ running }: TestRepository): Promise<Record<string, string>> {
  const { database } = running.services;
  const [tables] = await database.read(["SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"]);
  const names = (tables?.rows ?? []).map((row) => row[0]).filter((name) => !OF_REQUESTS.has(name));
  const results = await database.read(names.map((name) => `SELECT * FROM "${name}"`));
  const textOf = (rows: unknown) =>
    JSON.stringify(rows, (_key, value) => (typeof value === 'bigint' ? String(value) : value));
  return Object.fromEntries(names.map((name, at) => [name, textOf(results[at]?.rows)]));
}
