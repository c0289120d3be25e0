import { DEFAULT_SERVER_CONFIG, type RepositoryConfig } from '../../src/config/server-config.ts';
import type { Pace } from '../../src/jobs/outbox.ts';
import {
  type Answerer,
  describedSource,
  type StubCall,
  type StubProcessor,
  startStubProcessor,
} from './stub-processor.ts';
import { createTestRepository, type EntityJson, type TestRepository } from './test-repository.ts';
import { until } from './until.ts';

/** A repository whose derivatives a stub makes. */
export interface DerivativeSite {
  readonly repository: TestRepository;
  readonly stub: StubProcessor;
  stop(): Promise<void>;
}

/** A row of the outbox. */
export interface JobRow {
  readonly id: number;
  readonly action: string;
  readonly node_id: number;
  readonly media_id: number | null;
  readonly user_id: number;
  readonly version: number;
  readonly state: string;
  readonly attempts: number;
  readonly available_at: number;
  readonly lease: string | null;
  readonly status: number | null;
  readonly message: string | null;
  readonly stderr: string | null;
  readonly chain: string;
  readonly event_id: string;
}

export interface SiteOptions extends Partial<RepositoryConfig['derivatives']> {
  readonly answer?: Answerer;
  readonly pace?: Pace;
  /** URL of another processor beside the stub. */
  readonly second?: string;
}

/** Starts both. */
export async function startDerivativeSite(options: SiteOptions = {}): Promise<DerivativeSite> {
  const { pace, answer, second, ...derivatives } = options;
  const stub = await startStubProcessor(answer);
  const usual = DEFAULT_SERVER_CONFIG.derivatives;
  const repository = await createTestRepository(
    { derivatives: { ...usual, processors: [stub.url, ...(second === undefined ? [] : [second])], ...derivatives } },
    pace && { pace },
  );
  return {
    repository,
    stub,
    async stop() {
      await repository.stop();
      await stub.down();
    },
  };
}

/** The jobs of a repository, or of one node, in the order in which they were queued. */
export async function jobsOf(repository: TestRepository, node?: EntityJson): Promise<JobRow[]> {
  const { rows, columns } = await repository.running.services.database.client.execute({
    sql: 'SELECT * FROM derivative_job WHERE ?1 IS NULL OR node_id = ?1 ORDER BY id',
    args: [node?.nid[0].value ?? null],
  });
  return rows.map((row) => Object.fromEntries(columns.map((name, at) => [name, row[at]])) as unknown as JobRow);
}

/** Changes rows of the outbox, as a clock or another process might. */
export async function changeJobs(repository: TestRepository, sql: string, args: (string | number | null)[] = []) {
  const [result] = await repository.running.services.database.write([{ sql, args }]);
  return result?.rowsAffected ?? 0;
}

/** Makes those that wait for another try wait no longer. */
export function hurry(repository: TestRepository): Promise<number> {
  return changeJobs(
    repository,
    "UPDATE derivative_job SET available_at = 0 WHERE state = 'queued' AND lease IS NULL AND available_at > unixepoch()",
  );
}

/** Waits until nothing is queued any more and returns what became of the jobs. */
export function settled(repository: TestRepository, node?: EntityJson): Promise<JobRow[]> {
  return until(
    async () => {
      const jobs = await jobsOf(repository, node);
      return jobs.every(({ state }) => state !== 'queued') && jobs;
    },
    { what: 'the jobs have settled' },
  );
}

/** The media of a node by the URI of their use. */
export async function mediaByUse(repository: TestRepository, node: EntityJson): Promise<Map<string, EntityJson>> {
  const media: EntityJson[] = [];
  for (let page = 0, isMore = true; isMore; page++) {
    const response = await repository.get(`/node/${node.nid[0].value}/media?_format=json&page=${page}`, 'admin');
    const part = (await response.json()) as EntityJson[];
    media.push(...part);
    isMore = part.length > 0;
  }
  const terms = new Map<number, string>();
  const { rows } = await repository.running.services.database.client.execute('SELECT term_id, uri FROM term_uri');
  for (const row of rows) terms.set(Number(row[0]), String(row[1]));
  return new Map(media.map((each) => [terms.get(each.field_media_use?.[0]?.target_id) ?? 'none', each]));
}

/** Returns the content of a file of a media. */
export async function contentOf(
  repository: TestRepository,
  media: EntityJson,
  field = 'field_media_image',
): Promise<string> {
  const { pathname } = new URL(media[field][0].url);
  return (await repository.get(pathname, 'admin')).text();
}

/** Holds calls until they are let go, in the order in which they came. */
export function holdCalls(
  stub: StubProcessor,
  answer: Answerer = describedSource,
): { next(): Promise<StubCall>; letGo(): void } {
  const held: PromiseWithResolvers<void>[] = [];
  let seen = stub.calls.length;
  stub.answer = async (call) => {
    const gate = Promise.withResolvers<void>();
    held.push(gate);
    await gate.promise;
    return answer(call);
  };
  return {
    next: () => until(() => stub.calls.length > seen && stub.calls[seen++], { what: 'the processor is asked' }),
    letGo: () => held.shift()?.resolve(),
  };
}
