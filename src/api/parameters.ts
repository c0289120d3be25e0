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
import type { Page } from '../repository/content/lists.ts';
import { type Call, parseId } from './call.ts';

const PARAMETER = 'Parameter';
TypeRegistry.Set<Parameter>(PARAMETER, (schema, value) => typeof value === 'string' && schema.matches(value));

/** A schema that says how the API refuses a value. */
export interface Refusing {
  readonly refuse: (value: unknown, name: string, call: Call) => ServiceError | undefined;
}

interface Parameter extends TSchema, Refusing {
  readonly matches: (text: string) => boolean;
}

/**
 * Creates the schema of a parameter, which is text in an address: `shown` is the JSON Schema of what the text stands for,
 * `matches` checks the text. Elysia's own coercion would take `1e3` and ` 12` for numbers.
 */
export function parameter<T extends string = string>(
  shown: Readonly<Record<string, unknown>>,
  matches: (text: string) => boolean,
  refuse: Refusing['refuse'],
): TUnsafe<T> {
  return t.Unsafe<T>({ ...shown, [Kind]: PARAMETER, matches, refuse });
}

/** Creates the schema of a query. Other parameters are ignored: without this, Elysia rejects them. */
export function queryOf<T extends TProperties>(properties: T): TObject<T> {
  return t.Object(properties, { additionalProperties: true });
}

/** The id of an entity in a path. Text that is no id names nothing (404). */
export function id(description: string): TUnsafe<string> {
  return parameter(
    { type: 'integer', minimum: 1, description },
    (text) => parseId(text) !== undefined,
    (_value, name, call) => call.notFound(name),
  );
}

/** The page of a list, from 0. */
export const PAGE_QUERY = {
  page: t.Optional(
    parameter(
      { type: 'integer', minimum: 0, maximum: 999_999_999, description: 'A page of the list, from 0.' },
      (text) => /^\d{1,9}$/.test(text),
      (value) =>
        malformed(`The query parameter "page" must be a number from 0, found "${String(value).slice(0, 20)}".`),
    ),
  ),
};

/** The query of a route with `PAGE_QUERY`. */
export interface PageQuery {
  readonly page?: string;
}

/** The last page that is looked for. */
const MAX_PAGE = 1_000_000;

/** Returns the page that a query asks for, of `size` entries. Undefined for the whole list. */
export function pageOf({ page }: PageQuery, size: number): Page | undefined {
  return page === undefined ? undefined : { limit: size, offset: Math.min(Number(page), MAX_PAGE) * size };
}

/** Returns the page that a query asks for, or else the first one. */
export function pageOrFirst(query: PageQuery, size: number): Page {
  return pageOf(query, size) ?? { limit: size, offset: 0 };
}
