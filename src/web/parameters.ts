import {
  Kind,
  type TObject,
  type TProperties,
  type TSchema,
  type TUnsafe,
  TypeRegistry,
  Type as t,
} from '@sinclair/typebox';
import { malformed, type ServiceError } from '../base/errors.ts';
import type { Page } from '../repository/content/lists/lists.ts';
import type { Call } from './call.ts';

const PARAMETER = 'Parameter';
TypeRegistry.Set<Parameter>(PARAMETER, (schema, value) => typeof value === 'string' && schema.matches(value));

/** A schema with the error for an invalid value. */
interface RefusalSchema {
  readonly refuse: (value: unknown, name: string, call: Call) => ServiceError | undefined;
}

interface Parameter extends TSchema, RefusalSchema {
  readonly matches: (text: string) => boolean;
}

/**
 * Creates the schema of a parameter. `shown` is its JSON Schema in the document, and `matches` checks its text. Elysia's
 * own coercion accepts `1e3` and ` 12` as numbers.
 */
export function parameter<T extends string = string>(
  shown: Readonly<Record<string, unknown>>,
  matches: (text: string) => boolean,
  refuse: RefusalSchema['refuse'],
): TUnsafe<T> {
  return t.Unsafe<T>({ ...shown, [Kind]: PARAMETER, matches, refuse });
}

/** Creates the schema of a query. Other parameters are ignored: without this, Elysia rejects them. */
export function queryOf<T extends TProperties>(properties: T): TObject<T> {
  return t.Object(properties, { additionalProperties: true });
}

const ID = 'Id';
// The checks of the route have rejected every invalid id.
TypeRegistry.Set(ID, () => true);

/** Creates the schema of an id in a path. The checks of the route parse it (`Call.id`). */
export function id(description: string): TUnsafe<string> {
  return t.Unsafe<string>({ type: 'integer', minimum: 1, description, [Kind]: ID });
}

/** Returns true for a schema of `id`. */
export function isId(schema: TSchema): boolean {
  return schema[Kind] === ID;
}

/** The query of a route with pages. */
export const PAGE_QUERY = {
  page: t.Optional(
    parameter(
      { type: 'integer', minimum: 0, maximum: 999_999_999, description: 'The page of the list, from 0.' },
      (text) => /^\d{1,9}$/.test(text),
      (value) =>
        malformed(`The query parameter "page" must be a number from 0, found "${String(value).slice(0, 20)}".`),
    ),
  ),
};

/** The parsed `PAGE_QUERY`. */
export interface PageQuery {
  readonly page?: string;
}

/** The highest page. Requests for a later one get this page. */
const MAX_PAGE = 1_000_000;

/** Returns the requested page of `size` entries. Undefined for the whole list. */
export function pageOf({ page }: PageQuery, size: number): Page | undefined {
  return page === undefined ? undefined : { limit: size, offset: Math.min(Number(page), MAX_PAGE) * size };
}

/** Returns the requested page of `size` entries, or the first one. */
export function pageOrFirst(query: PageQuery, size: number): Page {
  return pageOf(query, size) ?? { limit: size, offset: 0 };
}
