import type { InStatement, InValue, ResultSet, Row, Value } from '@libsql/client';
import { createResultSet, hasNul, nulRefused } from '../driver-values.ts';

/**
 * The wire format of libSQL servers, Hrana 3 over HTTP. A request holds one batch of statements.
 * See https://github.com/tursodatabase/libsql/blob/main/docs/HRANA_3_SPEC.md
 */

type HranaValue =
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

/** The condition of a step. A skipped step is neither `ok` nor `error`. */
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

/** For each step: its result, its error, or neither if it was skipped. */
export interface BatchResult {
  readonly step_results: ReadonlyArray<StepResult | null>;
  readonly step_errors: ReadonlyArray<HranaError | null>;
  /** The position in the replication log that the server had applied when the batch ran. */
  readonly replication_index?: string | null;
}

/** Returns the body of a request that runs a batch once the server has applied the log up to `replicationIndex`. */
export function batchRequest(steps: readonly Step[], replicationIndex: number): string {
  const batch = { steps, ...(replicationIndex > 0 && { replication_index: String(replicationIndex) }) };
  return JSON.stringify({ requests: [{ type: 'batch', batch }, { type: 'close' }] });
}

/** Returns the body of a request that describes a statement. */
export function describeRequest(sql: string): string {
  return JSON.stringify({ requests: [{ type: 'describe', sql }, { type: 'close' }] });
}

/** A column of a result, as a server describes it. */
export interface DescribedColumn {
  readonly name: string;
  readonly decltype?: string | null;
}

/** Returns the columns of a described statement; undefined for another response. */
export function parseDescription(answer: unknown): readonly DescribedColumn[] | undefined {
  const { results } = (answer ?? {}) as {
    results?: ReadonlyArray<{ response?: { result?: { cols?: readonly DescribedColumn[] } } }>;
  };
  return results?.[0]?.response?.result?.cols;
}

/** Returns the result of the batch, or the error if no statement ran; undefined for an invalid response. */
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

/** Converts a statement to the wire format. Throws `malformed` for a text with NUL, and TypeError for an unsupported value. */
export function toHranaStatement(statement: InStatement): HranaStatement {
  const { sql, args = [] } = typeof statement === 'string' ? { sql: statement } : statement;
  if (!Array.isArray(args)) throw new TypeError('parameters must be a list, not an object');
  return { sql, args: args.map(toHranaValue), want_rows: true };
}

function toHranaValue(value: InValue): HranaValue {
  switch (typeof value) {
    case 'string':
      if (hasNul(value)) throw nulRefused();
      // The server rejects a request with a lone surrogate. A local file stores the same replacement.
      return { type: 'text', value: value.toWellFormed() };
    case 'number':
      if (Number.isSafeInteger(value)) return { type: 'integer', value: String(value) };
      if (!Number.isFinite(value)) throw new TypeError(`a database cannot store ${value}`);
      return { type: 'float', value };
    case 'bigint':
      return { type: 'integer', value: String(value) };
    case 'boolean':
      return { type: 'integer', value: value ? '1' : '0' };
    default:
      if (value === null) return { type: 'null' };
      if (value instanceof ArrayBuffer) return { type: 'blob', base64: Buffer.from(value).toString('base64') };
      if (!ArrayBuffer.isView(value))
        throw new TypeError(`a database cannot store ${Object.prototype.toString.call(value)}`);
      return {
        type: 'blob',
        base64: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64'),
      };
  }
}

/** A statement that checks whether a server responds. */
export const PING = toHranaStatement('SELECT 1');

/** Converts the result of a statement. Throws RangeError for an integer that a number cannot hold. */
export function toResultSet(result: StepResult): ResultSet {
  return createResultSet(
    result.cols.map(({ name }) => name ?? ''),
    result.rows.map((row) => row.map(fromHranaValue) as unknown as Row),
    result.affected_row_count,
    result.last_insert_rowid === null ? undefined : BigInt(result.last_insert_rowid),
  );
}

function fromHranaValue(value: HranaValue): Value {
  switch (value.type) {
    case 'null':
      return null;
    case 'integer': {
      const number = Number(value.value);
      if (!Number.isSafeInteger(number)) throw new RangeError(`${value.value} is too large for a number`);
      return number;
    }
    case 'float':
    case 'text':
      return value.value;
    case 'blob':
      return Buffer.from(value.base64, 'base64') as unknown as ArrayBuffer;
  }
}

/** The codes of errors of a primary: a replica forwards only their messages. */
const CODES_OF_MESSAGES: ReadonlyArray<readonly [RegExp, string]> = [
  [/constraint failed/, 'SQLITE_CONSTRAINT'],
  [/database (table )?is locked/, 'SQLITE_BUSY'],
  [/database or disk is full/, 'SQLITE_FULL'],
  [/disk I\/O error/, 'SQLITE_IOERR'],
  [/database disk image is malformed/, 'SQLITE_CORRUPT'],
];

/** The code of a statement that returns a text which is not UTF-8. */
export const INVALID_TEXT = 'SQLITE_CORRUPT_TEXT';

/** Returns the error of a response of a server that could not send a text which is not UTF-8; undefined for another response. */
export function invalidTextIn(status: number, body: string): StatementError | undefined {
  const isInvalid = status === 500 && /invalid utf-8 sequence|incomplete utf-8 byte sequence/.test(body);
  return isInvalid ? new StatementError({ message: 'a text is not valid UTF-8', code: INVALID_TEXT }) : undefined;
}

/** A failed statement, with a code such as `SQLITE_CONSTRAINT` for `errors.ts`. */
export class StatementError extends Error {
  override readonly name = 'StatementError';
  readonly code: string;

  constructor({ message, code }: HranaError) {
    super(message);
    const isForwarded = code === 'PROXY_ERROR';
    const known = isForwarded ? CODES_OF_MESSAGES.find(([pattern]) => pattern.test(message))?.[1] : undefined;
    this.code = known ?? code ?? '';
  }
}
