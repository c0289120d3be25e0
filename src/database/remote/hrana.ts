/**
 * The wire format of libSQL servers, Hrana 3 over HTTP, as far as it is used: one batch of statements to a request.
 * See https://github.com/tursodatabase/libsql/blob/main/docs/HRANA_3_SPEC.md
 */

export type HranaValue =
  | { readonly type: 'null' }
  | { readonly type: 'integer'; readonly value: string }
  | { readonly type: 'float'; readonly value: number }
  | { readonly type: 'text'; readonly value: string }
  | { readonly type: 'blob'; readonly base64: string };

export interface HranaStatement {
  readonly sql: string;
  readonly args: readonly HranaValue[];
  readonly want_rows: true;
}

/** What must hold for a step to run; a step that was left out is neither `ok` nor `error`. */
export type Condition =
  | { readonly type: 'ok' | 'error'; readonly step: number }
  | { readonly type: 'not'; readonly cond: Condition }
  | { readonly type: 'and'; readonly conds: readonly Condition[] }
  | { readonly type: 'is_autocommit' };

export interface Step {
  readonly stmt: HranaStatement;
  readonly condition?: Condition | undefined;
}

export interface HranaError {
  readonly message: string;
  readonly code?: string | null;
}

export interface StepResult {
  readonly cols: ReadonlyArray<{ readonly name: string | null }>;
  readonly rows: ReadonlyArray<readonly HranaValue[]>;
  readonly affected_row_count: number;
  readonly last_insert_rowid: string | null;
}

/** For each step: its result, its error, or neither if it was left out. */
export interface BatchResult {
  readonly step_results: ReadonlyArray<StepResult | null>;
  readonly step_errors: ReadonlyArray<HranaError | null>;
  /** How far the log of the database had been applied where the batch ran. */
  readonly replication_index?: string | null;
}

/** The body of a request that runs a batch, on a server that has applied the log as far as `replicationIndex`. */
export function batchRequest(steps: readonly Step[], replicationIndex: number): string {
  const batch = { steps, ...(replicationIndex > 0 && { replication_index: String(replicationIndex) }) };
  return JSON.stringify({ requests: [{ type: 'batch', batch }, { type: 'close' }] });
}

/** The first result of an answer: what the batch did, or why none of it was run. Undefined for what is no answer. */
export function parseBatchAnswer(answer: unknown): { result: BatchResult } | { error: HranaError } | undefined {
  const { results } = (answer ?? {}) as Partial<Answer>;
  const [first] = Array.isArray(results) ? (results as Answer['results']) : [];
  if (first?.type === 'error' && typeof first.error?.message === 'string') return { error: first.error };
  const result = first?.type === 'ok' ? first.response?.result : undefined;
  return Array.isArray(result?.step_results) && Array.isArray(result.step_errors) ? { result } : undefined;
}

interface Answer {
  readonly results: ReadonlyArray<
    | { readonly type: 'ok'; readonly response?: { readonly result?: BatchResult } }
    | { readonly type: 'error'; readonly error?: HranaError }
    | undefined
  >;
}
