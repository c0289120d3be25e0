import { type SQL, sql } from 'drizzle-orm';
import type { Cache } from '../base/cache.ts';
import { query } from './query-builder.ts';
import { generations } from './schema/system.ts';
import { prepare } from './statement.ts';

/** A value with the generation of the database in which it was read (`Database.generation`). */
export interface Dated<Value> {
  readonly value: Value;
  readonly generation: number;
}

/** The generation as a field of a query that reads a `Dated` value. */
export const GENERATION: SQL<number> = sql`(SELECT ${generations.value} FROM ${generations})`;

/**
 * Returns a cached value, or reads and caches it. `cache` depends on the known generation. `read` returns the value
 * together with its generation, which saves a round trip to a server.
 */
export async function readDated<Value, Key extends string | number>(
  cache: Cache<Value, Key>,
  key: Key,
  read: () => Promise<Dated<Value> | undefined>,
): Promise<Dated<Value> | undefined> {
  const generation = cache.state();
  const known = generation === undefined ? undefined : cache.get(key);
  if (generation !== undefined && known !== undefined) return { value: known, generation };
  const dated = await read();
  if (dated !== undefined) cache.set(key, dated.value, { state: dated.generation });
  return dated;
}

/** Finds the generation (`Database.generation`). */
export const findGeneration = prepare(() => query.select({ value: generations.value }).from(generations));
