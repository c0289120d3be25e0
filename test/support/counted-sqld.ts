import { type Sqld, startSqld } from './sqld.ts';

/** The periodic statements of a process: changes, its queue, the state of the search index, and work in the background. */
const PERIODIC =
  /^select "value" from "generation"$|^select "type", "id" from "removed_target"|sum\(length\("text"\)\)|\b(?:derivative_job|search_index|search_pending|search_pending_term|guard|run|bulk_item|upload_part)\b|^(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE)/;
/** The value in the periodic statement that reads the schedule of verifications. */
const SCHEDULE = 'storage.verify';

interface Statement {
  readonly sql: string;
  readonly args?: ReadonlyArray<{ value?: unknown }>;
}

const isPeriodic = ({ sql, args = [] }: Statement) =>
  PERIODIC.test(sql) || args.some(({ value }) => value === SCHEDULE);

/** A libSQL server behind something that counts what is asked of it. */
export interface CountedSqld {
  /** The address of the proxy that counts statements. */
  readonly url: string;
  readonly sqld: Sqld;
  /** The statements of each request since `forget`, without periodic ones. */
  readonly requests: readonly string[][];
  forget(): void;
  /** Called with the statements of each request before they are passed on, if it is set. */
  beforePassing: ((statements: readonly string[]) => Promise<void>) | undefined;
  /** Runs a statement past the counter, as another process would. */
  runBeside(sql: string): Promise<void>;
  stop(): Promise<void>;
}

export async function startCountedSqld(): Promise<CountedSqld> {
  const sqld = await startSqld();
  let requests: string[][] = [];
  const send = (body: string) => fetch(`${sqld.url}/v3/pipeline`, { method: 'POST', body });
  const counter = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const body = await request.text();
      const { batch } = JSON.parse(body).requests[0] as { batch: { steps: Array<{ stmt: Statement }> } };
      const statements = batch.steps.map(({ stmt }) => stmt.sql);
      if (!batch.steps.every(({ stmt }) => isPeriodic(stmt))) requests.push(statements);
      await counted.beforePassing?.(statements);
      const answer = await send(body);
      return new Response(await answer.text(), { status: answer.status });
    },
  });
  const counted: CountedSqld = {
    beforePassing: undefined,
    url: `http://127.0.0.1:${counter.port}`,
    sqld,
    get requests() {
      return requests;
    },
    forget() {
      requests = [];
    },
    async runBeside(sql) {
      const answer = await send(JSON.stringify({ requests: [{ type: 'execute', stmt: { sql } }, { type: 'close' }] }));
      const { results } = (await answer.json()) as { results: Array<{ type: string }> };
      if (results[0]?.type !== 'ok') throw new Error(`${sql}: ${JSON.stringify(results)}`);
    },
    async stop() {
      counter.stop(true);
      await sqld.stop();
    },
  };
  return counted;
}
