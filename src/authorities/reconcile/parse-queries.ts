import { malformed, ServiceError } from '../../base/errors.ts';
import { numberText } from '../../base/in-words.ts';
import { isMap } from '../../base/is-map.ts';

/** Queries in one request: each reads terms, and others wait. OpenRefine sends ten. */
export const MAX_QUERIES = 100;
const MAX_CANDIDATES = 50;
const DEFAULT_CANDIDATES = 5;
const MAX_TEXT_CHARACTERS = 255;
const MAX_PROPERTIES = 20;

/** A property that a candidate should have, with the values of which one suffices. */
interface WantedProperty {
  readonly pid: string;
  readonly values: readonly string[];
}

/** A query of the Reconciliation API. */
export interface ReconciliationQuery {
  /** Empty for a query of properties alone. */
  readonly text: string;
  /** The vocabularies to search; undefined for all. */
  readonly types: readonly string[] | undefined;
  readonly limit: number;
  readonly properties: readonly WantedProperty[];
}

/** Parses a batch of queries. Throws `malformed` for an invalid one, and `too-large` for too many. */
export function parseBatch(json: string): Map<string, ReconciliationQuery> {
  const batch = parseMap(json, 'queries');
  const entries = Object.entries(batch);
  if (entries.length > MAX_QUERIES) {
    const count = numberText(entries.length);
    throw new ServiceError(
      'too-large',
      `A batch has at most ${MAX_QUERIES} queries, found ${count}. Send smaller batches.`,
    );
  }
  return new Map(entries.map(([name, query]) => [name, parseQuery(query, `queries.${name.slice(0, 40)}`)]));
}

/** Parses a single query: an object as in a batch, or a text. */
export function parseSingle(text: string): ReconciliationQuery {
  return text.trimStart().startsWith('{')
    ? parseQuery(parseMap(text, 'query'), 'query')
    : parseQuery({ query: text }, 'query');
}

/** Parses the JSON object of a parameter. Throws `malformed`. */
export function parseMap(json: string, name: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw malformed(`The parameter "${name}" is not valid JSON.`, error);
  }
  if (!isMap(value)) throw malformed(`The parameter "${name}" must be a JSON object.`);
  return value;
}

function parseQuery(value: unknown, name: string): ReconciliationQuery {
  if (!isMap(value)) throw malformed(`${name} must be an object with a query.`);
  const { query = '', type, limit = DEFAULT_CANDIDATES, properties = [] } = value;
  if (typeof query !== 'string') throw malformed(`${name}.query must be a text.`);
  if (typeof limit !== 'number' || !(limit >= 1)) throw malformed(`${name}.limit must be a number from 1.`);
  if (!Array.isArray(properties)) throw malformed(`${name}.properties must be a list.`);
  const wanted = properties.slice(0, MAX_PROPERTIES).map((each) => parseProperty(each, name));
  if (query.trim() === '' && wanted.length === 0) throw malformed(`${name} needs a query or properties.`);
  return {
    text: query.slice(0, MAX_TEXT_CHARACTERS).toWellFormed().trim(),
    types: typesOf(type, name),
    limit: Math.min(Math.floor(limit), MAX_CANDIDATES),
    properties: wanted,
  };
}

function typesOf(type: unknown, name: string): readonly string[] | undefined {
  if (type === undefined || type === null) return undefined;
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  const ids = types.map((each) => (isMap(each) ? each.id : each));
  if (!ids.every((id) => typeof id === 'string'))
    throw malformed(`${name}.type must be the id of a type, or a list of ids.`);
  return ids.length === 0 ? undefined : (ids as string[]);
}

function parseProperty(value: unknown, name: string): WantedProperty {
  if (!isMap(value) || typeof value.pid !== 'string')
    throw malformed(`${name}.properties: each needs a pid and a value v.`);
  const values: readonly unknown[] = Array.isArray(value.v) ? value.v : [value.v];
  return { pid: value.pid, values: values.map((each) => String(isMap(each) ? each.id : (each ?? ''))) };
}
