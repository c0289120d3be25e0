import { type TObject, type TSchema, Type as t } from '@sinclair/typebox';
import type { DocumentDecoration } from 'elysia';
import type { FailureStatus } from './failures.ts';
import { CONTENT_HEADERS, type HeaderName, VERSION_HEADERS } from './headers.ts';

/** The tags of operations with their descriptions, in the order of the document. */
export const TAGS = {
  content: 'Nodes, media and taxonomy terms.',
  files: 'The bytes of files, and their records.',
  lists: 'Read-only lists.',
  harvesting: 'Metadata for harvesters.',
  search: 'Search for items, and completions.',
  model: 'Bundles, fields and other data that a bulk loader reads first.',
  addresses: 'Aliases of content, and redirects from old addresses.',
  revisions: 'Earlier versions of nodes and media, and reverting to them.',
  pages: 'Files and data that the pages of browsers load.',
  accounts: 'Users, sessions and tokens.',
  derivatives: 'Files generated from source files, and the state of their jobs.',
  operation: 'The state, the settings and the description of the repository.',
} as const;
type Tag = keyof typeof TAGS;

/** A response with one status. */
export interface ResponseDescription {
  readonly description: string;
  readonly headers?: readonly HeaderName[];
  /** The schema of the body by media type. Undefined without a body. */
  readonly content?: Content;
}
type Content = Readonly<Record<string, TSchema>>;
type Responses = Readonly<Record<number, ResponseDescription>>;

/**
 * The `detail` of a route. The document takes parameters and JSON bodies from the schemas of the route, and adds what
 * all routes have in common (`operations.ts`).
 */
export interface Description {
  /** Unique among all routes. */
  readonly operationId: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  /** Request headers. Any text is valid in them. A schema of the route would make Elysia copy all headers of each request. */
  readonly headers?: TObject;
  /** The schema of a streamed body by media type. */
  readonly stream?: Content;
  /** True if the route accepts requests without credentials (default: for reads). */
  readonly isForAnyone?: boolean;
  readonly responses: Responses;
  /** The error statuses of this route in addition to those of every route. */
  readonly failures: readonly FailureStatus[];
}

const DESCRIPTION = 'x-description';

/** The `detail` of a route in Elysia. */
type Detail = DocumentDecoration & { readonly [DESCRIPTION]: Description };

/** Returns the `detail` of a route. */
export function describe(description: Description): Detail {
  return { [DESCRIPTION]: description };
}

/** Returns the description that `describe` was given. */
export function descriptionIn(detail: Detail): Description {
  return detail[DESCRIPTION];
}

/** The `detail` of a route that the document leaves out: a page or its form, which no program reads or sends. */
export const HIDDEN = { hide: true } as const;

/** Returns true for the `detail` of a route that the document leaves out. */
export function isHidden(detail: DocumentDecoration | undefined): boolean {
  return detail?.hide === true;
}

export const JSON_TYPE = 'application/json';
export const GRAPH_TYPE = 'application/ld+json';
const PAGE_TYPE = 'text/html';
export const LINKSET_TYPE = 'application/linkset';
export const LINKSET_JSON_TYPE = 'application/linkset+json';
export const PAGE_CONTENT = { [PAGE_TYPE]: t.String({ description: 'An HTML page.' }) };

/** Returns the 200 of a read without a version. */
export function answered(description: string, schema: TSchema, also: readonly HeaderName[] = []): Responses {
  return { 200: { description, headers: [...CONTENT_HEADERS, ...also], content: { [JSON_TYPE]: schema } } };
}

/** Returns the 200 of a read without a version, in several media types. */
export function answeredAs(description: string, content: Content): Responses {
  return { 200: { description, headers: CONTENT_HEADERS, content } };
}

/** Returns the 200 of a list without a version. */
export function listOf(entry: TSchema, also: readonly HeaderName[] = []): Responses {
  return answered('The entries that the caller may view.', t.Array(entry), also);
}

/** Returns the 200 and 304 of an entity with versions. */
export function versioned(description: string, content: Content, also: readonly HeaderName[] = []): Responses {
  const headers = [...VERSION_HEADERS, ...also];
  return { 200: { description, headers, content }, 304: { description: 'The caller has this version.', headers } };
}

/** Returns the 201 of a write that creates an entity. */
export function created(description: string, schema: TSchema): Responses {
  return { 201: { description, headers: [...CONTENT_HEADERS, 'Location'], content: { [JSON_TYPE]: schema } } };
}

/** Returns the 200 of a write that changes an entity. */
export function changed(description: string, schema: TSchema, also: readonly HeaderName[] = []): Responses {
  return { 200: { description, headers: [...VERSION_HEADERS, ...also], content: { [JSON_TYPE]: schema } } };
}

/** Returns a response without a body. */
export function nothing(description: string): ResponseDescription {
  return { description, headers: ['X-Content-Type-Options'] };
}

/** The response of a DELETE. */
export const DELETED: Responses = { 204: nothing('Deleted.') };

/** The response of a DELETE of a node, with which members may be deleted. */
export const DELETED_WITH_NOTICE: Responses = {
  204: { description: 'Deleted.', headers: ['X-Content-Type-Options', 'X-Repo-Notice'] },
};

const etags = t.String({ description: 'ETags in quotes, or `*`.' });
const date = t.String({ description: 'A date in the format of Last-Modified.' });

/** The request headers of a conditional read. */
export const READ_CONDITIONS = t.Object({
  'If-None-Match': t.Optional(etags),
  'If-Modified-Since': t.Optional(date),
});

/** The request headers that prevent lost updates. */
export const WRITE_CONDITIONS = t.Object({
  'If-Match': t.Optional(etags),
  'If-Unmodified-Since': t.Optional(date),
});
