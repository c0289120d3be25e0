import type { InStatement, InValue } from '@libsql/client';
import { fillPlaceholders, type Query } from 'drizzle-orm';

/**
 * A statement that Drizzle built once, with placeholders, as one of a batch: `values` by name of
 * placeholder. Building it anew for each write costs more than running it.
 */
export function statement(built: { toSQL(): Query }): (values: Record<string, InValue>) => InStatement {
  const { sql, params } = built.toSQL();
  return (values) => ({ sql, args: fillPlaceholders(params, values) as InValue[] });
}
