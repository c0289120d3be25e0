import { type TSchema, Type as t } from '@sinclair/typebox';
import { type NamedShape, shape } from './components.ts';
import type { ResponseDescription } from './describe.ts';
import { CONTENT_HEADERS, type HeaderName, VERSION_HEADERS } from './headers.ts';

/** Answers that several routes share. */

type Content = Readonly<Record<string, TSchema>>;
type Responses = Readonly<Record<number, ResponseDescription>>;

export const JSON_TYPE = 'application/json';
export const GRAPH_TYPE = 'application/ld+json';
export const PAGE_TYPE = 'text/html';
export const LINKSET_TYPE = 'application/linkset';
export const LINKSET_JSON_TYPE = 'application/linkset+json';

/** A body of JSON in this shape. */
export function jsonOf(name: NamedShape): Content {
  return { [JSON_TYPE]: shape(name) };
}

/** Something that has versions: 200, or 304 for whoever has this one. */
export function versioned(description: string, content: Content, also: readonly HeaderName[] = []): Responses {
  const headers = [...VERSION_HEADERS, ...also];
  return { 200: { description, headers, content }, 304: { description: 'The caller has this version.', headers } };
}

/** A list of things in this shape, without a version. */
export function listOf(name: NamedShape): Responses {
  const content = { [JSON_TYPE]: t.Array(shape(name)) };
  return { 200: { description: 'The entries that the caller may see.', headers: CONTENT_HEADERS, content } };
}

/** The answer of a write that created an entity. */
export function createdOf(description: string, name: NamedShape): Responses {
  return { 201: { description, headers: [...CONTENT_HEADERS, 'Location'], content: jsonOf(name) } };
}

/** Done, and nothing to say. */
export function nothing(description: string): ResponseDescription {
  return { description, headers: ['X-Content-Type-Options'] };
}

const etags = t.String({ description: 'ETags in quotes, or `*`.' });
const date = t.String({ description: 'As Last-Modified says it.' });

/** What a read may ask for: only what differs from what the caller has. */
export const READ_CONDITIONS = t.Object({
  'If-None-Match': t.Optional(etags),
  'If-Modified-Since': t.Optional(date),
});

/** What a write may insist on: that nobody has changed it since. */
export const WRITE_CONDITIONS = t.Object({
  'If-Match': t.Optional(etags),
  'If-Unmodified-Since': t.Optional(date),
});
