/** A column of a result, as SQLite describes it. */
export interface ResultColumn {
  /** The declared type of the column of a table; null for an expression. */
  readonly type: string | null;
}

/** The values that a column of a result may have: `any` for an expression. */
export type ColumnKind = 'text' | 'bytes' | 'number' | 'any';

/** Returns the kind of a column by its declared type (https://sqlite.org/datatype3.html, 3.1). */
export function kindOf({ type }: ResultColumn): ColumnKind {
  if (type === null) return 'any';
  if (/CHAR|CLOB|TEXT/i.test(type)) return 'text';
  return /BLOB/i.test(type) ? 'bytes' : 'number';
}

/**
 * Returns SQL with the same rows in the same order, in which every text is a BLOB: the driver ends the process at a text that
 * is not UTF-8. In a column of any type, a BLOB is its hexadecimal digits. A damaged row may hold a text in a column of any type. Undefined for a statement that cannot be part of
 * another, such as PRAGMA and EXPLAIN.
 */
export function textsAsBytes(sql: string, columns: readonly ResultColumn[]): string | undefined {
  if (/^\s*(select|values)\b/i.test(sql)) return queryAsBytes(sql, kindsIn(sql, columns));
  if (!/^\s*(with|insert|update|delete|replace)\b/i.test(sql)) return undefined;
  const parts = splitReturning(sql);
  if (parts === undefined) return /^\s*with\b/i.test(sql) ? queryAsBytes(sql, kindsIn(sql, columns)) : undefined;
  return parts.before + parts.expressions.map(anyAsBytes).join(', ');
}

/** Returns the kinds of the columns. The types of a compound query are those of its first part alone. */
function kindsIn(sql: string, columns: readonly ResultColumn[]): ColumnKind[] {
  const isCompound = /\b(union|intersect|except)\b/i.test(sql);
  return columns.map((column) => (isCompound && kindOf(column) !== 'bytes' ? 'any' : kindOf(column)));
}

/** `any` values need their expression twice, so that it must be computed before: `WHERE` and `LIMIT` keep SQLite from merging it in. */
function queryAsBytes(sql: string, kinds: readonly ColumnKind[]): string {
  const names = kinds.map((_, index) => `c${index}`);
  const converted = kinds.map((kind, index) => converters[kind](`c${index}`)).join(', ');
  if (!kinds.includes('any')) return `WITH bytes (${names.join(', ')}) AS (${sql}\n) SELECT ${converted} FROM bytes`;
  return `WITH bytes (${names.join(', ')}) AS (SELECT * FROM (${sql}\n) LIMIT -1) SELECT ${converted} FROM bytes WHERE 1`;
}

const converters: Readonly<Record<ColumnKind, (expression: string) => string>> = {
  text: (expression) => `CAST(${expression} AS BLOB)`,
  bytes: (expression) => `CAST(${expression} AS BLOB)`,
  // Changes no number.
  number: (expression) => `CAST(${expression} AS NUMERIC)`,
  any: anyAsBytes,
};

function anyAsBytes(expression: string): string {
  return `CASE typeof(${expression}) WHEN 'text' THEN CAST(${expression} AS BLOB) WHEN 'blob' THEN hex(${expression}) ELSE ${expression} END`;
}

/** Strings, quoted names, brackets, commas and the keyword. */
const TOKENS = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|[(),]|\breturning\b/gi;

/** Splits a statement before the expressions of its clause RETURNING; undefined without such a clause. */
function splitReturning(sql: string): { before: string; expressions: string[] } | undefined {
  let depth = 0;
  let start = -1;
  let before = '';
  const expressions: string[] = [];
  for (const { 0: token, index } of sql.matchAll(TOKENS)) {
    if (token === '(') depth += 1;
    else if (token === ')') depth -= 1;
    else if (depth > 0) continue;
    else if (token === ',' && start >= 0) {
      expressions.push(sql.slice(start, index));
      start = index + 1;
    } else if (token.toLowerCase() === 'returning') {
      start = index + token.length;
      before = `${sql.slice(0, start)} `;
    }
  }
  if (start < 0) return undefined;
  expressions.push(sql.slice(start));
  return { before, expressions: expressions.map((each) => each.replace(/\s+as\s+("[^"]+"|\w+)\s*$/i, '').trim()) };
}
