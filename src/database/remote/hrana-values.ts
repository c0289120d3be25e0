import type { InStatement, InValue, ResultSet, Row, Value } from '@libsql/client';
import { hasNul, nulRefused } from '../nul.ts';
import { resultOf } from '../result-set.ts';
import type { HranaError, HranaStatement, HranaValue, StepResult } from './hrana.ts';

/** A statement as a server takes it. Throws `malformed` for a text with NUL, and TypeError for what is no value. */
export function toHranaStatement(statement: InStatement): HranaStatement {
  const { sql, args = [] } = typeof statement === 'string' ? { sql: statement } : statement;
  if (!Array.isArray(args)) throw new TypeError('parameters are given in order, not by name');
  return { sql, args: args.map(toHranaValue), want_rows: true };
}

function toHranaValue(value: InValue): HranaValue {
  switch (typeof value) {
    case 'string':
      if (hasNul(value)) throw nulRefused();
      // Half a character would make the server refuse the whole request; a local file keeps it like this too.
      return { type: 'text', value: value.toWellFormed() };
    case 'number':
      if (Number.isSafeInteger(value)) return { type: 'integer', value: String(value) };
      if (!Number.isFinite(value)) throw new TypeError(`${value} is no value of a database`);
      return { type: 'float', value };
    case 'bigint':
      return { type: 'integer', value: String(value) };
    case 'boolean':
      return { type: 'integer', value: value ? '1' : '0' };
    default:
      if (value === null) return { type: 'null' };
      if (value instanceof ArrayBuffer) return { type: 'blob', base64: Buffer.from(value).toString('base64') };
      if (!ArrayBuffer.isView(value)) throw new TypeError(`${Object.prototype.toString.call(value)} is no value`);
      return {
        type: 'blob',
        base64: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64'),
      };
  }
}

/** Asks a server whether it is there. */
export const PING = toHranaStatement('SELECT 1');

/** What a statement answered. Throws RangeError for an integer that a number cannot hold. */
export function toResultSet(result: StepResult): ResultSet {
  return resultOf(
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

/** What a replica passes on of the failures of its primary is the message alone. */
const CODES_OF_MESSAGES: ReadonlyArray<readonly [RegExp, string]> = [
  [/constraint failed/, 'SQLITE_CONSTRAINT'],
  [/database (table )?is locked/, 'SQLITE_BUSY'],
  [/database or disk is full/, 'SQLITE_FULL'],
  [/disk I\/O error/, 'SQLITE_IOERR'],
  [/database disk image is malformed/, 'SQLITE_CORRUPT'],
];

/** A statement that failed, with a code such as `SQLITE_CONSTRAINT`; `errors.ts` understands it. */
export class StatementError extends Error {
  override readonly name = 'StatementError';
  readonly code: string;

  constructor({ message, code }: HranaError) {
    super(message);
    const isPassedOn = code === 'PROXY_ERROR';
    const known = isPassedOn ? CODES_OF_MESSAGES.find(([pattern]) => pattern.test(message))?.[1] : undefined;
    this.code = known ?? code ?? '';
  }
}
