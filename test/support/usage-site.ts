import { setSystemTime } from 'bun:test';
import type { RepositoryConfig } from '../../src/config/server-config.ts';
import { DEFAULT_SERVER_CONFIG } from '../../src/config/server-config.ts';
import { createTestRepository, type TestRepository } from './test-repository.ts';
import { until } from './until.ts';

export const BROWSER = 'Mozilla/5.0 (X11; Linux x64; rv:140.0) Gecko/20100101 Firefox/140.0';
const HOUR_MS = 3_600_000;

/** Numbers as the database has them: total and unique investigations, total and unique requests. */
export type Numbers = readonly [number, number, number, number];
type Subject = 'item' | 'file' | 'within' | 'repository';
const KINDS: Readonly<Record<Subject, number>> = { item: 1, file: 2, within: 3, repository: 4 };

/** A repository behind a proxy on this machine, which tells the addresses of visitors. */
export function createUsageSite(
  usage: Partial<RepositoryConfig['usage']> = {},
  options: Parameters<typeof createTestRepository>[1] = {},
): Promise<TestRepository> {
  const config = { trustedProxies: ['127.0.0.1'], usage: { ...DEFAULT_SERVER_CONFIG.usage, ...usage } };
  return createTestRepository(config, options);
}

/** Sends a GET of a visitor with a browser. */
export function visit(
  repository: Pick<TestRepository, 'fetch'>,
  path: string,
  {
    address = '192.0.2.1',
    agent = BROWSER,
    method = 'GET',
    headers = {} as Record<string, string>,
    as = undefined as string | undefined,
  } = {},
): Promise<Response> {
  const all = { Accept: 'text/html', 'X-Forwarded-For': address, 'User-Agent': agent, ...headers };
  return repository.fetch(path, { method, headers: all, ...(as && { as }) });
}

/** Stops the server, which stores what it counted, and starts it when the hour is complete. Resolves with all numbers. */
export async function countHours(repository: TestRepository): Promise<void> {
  setSystemTime(new Date(Date.now() + 2 * HOUR_MS));
  await repository.restart();
  await until(async () => (await rows(repository, 'SELECT count(*) FROM usage_click'))[0]?.[0] === 0);
}

/** Returns the numbers of a subject on all days together. */
export async function numbersOf(repository: TestRepository, subject: Subject, id: number): Promise<Numbers> {
  const sums = ['total_investigations', 'unique_investigations', 'total_requests', 'unique_requests']
    .map((name) => `coalesce(sum(${name}), 0)`)
    .join(', ');
  const [row] = await rows(repository, `SELECT ${sums} FROM usage_day WHERE kind = ${KINDS[subject]} AND id = ${id}`);
  return row as unknown as Numbers;
}

/** Stores the numbers of a subject on a day such as `2031-05-06`. */
export async function addNumbers(
  repository: TestRepository,
  subject: Subject,
  id: number,
  day: string,
  numbers: Numbers,
): Promise<void> {
  const values = [KINDS[subject], id, Date.parse(`${day}T00:00:00Z`) / (24 * HOUR_MS), ...numbers];
  await rows(repository, `INSERT INTO usage_day VALUES (${values})`);
}

/** Runs a query on the database of a repository. */
export async function rows(repository: TestRepository, sql: string): Promise<(number | string)[][]> {
  const { rows: found } = await repository.running.services.database.client.execute(sql);
  return found.map((row) => [...(row as unknown as (number | string)[])]);
}
