import type { TObject, TSchema } from '@sinclair/typebox';
import type { FailureStatus } from './openapi/failures.ts';
import type { HeaderName } from './openapi/headers.ts';

/** The chapters of the description, in its order. */
export const TAGS = {
  content: 'Nodes, media and taxonomy terms.',
  files: 'The bytes of files, and the records of them.',
  lists: 'Read-only lists.',
  model: 'What kinds of content there are, which fields they have, and what else a bulk loader asks first.',
  addresses: 'Other addresses of content, and old addresses that lead to new ones.',
  revisions: 'What nodes and media were before, and the way back.',
  pages: 'Pages for people that tell how something is done.',
  accounts: 'Users, sessions and tokens.',
  derivatives: 'What is made of source files, and how far that is.',
  operation: 'The state, the settings and the description of the repository.',
} as const;
export type Tag = keyof typeof TAGS;

/** What a route answers with one status. */
export interface ResponseDescription {
  readonly description: string;
  readonly headers?: readonly HeaderName[];
  /** The shape of the body for each media type; left out where there is no body. */
  readonly content?: Readonly<Record<string, TSchema>>;
}

/**
 * What a route is for and how it is called. Nothing here checks a request: the order of checks is that of
 * `routes.ts`. What every route answers alike (`document.ts`) is left out.
 */
export interface RouteDescription {
  /** A name that no other route has. */
  readonly operationId: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  /** The parameters of the path; text where nothing else is said. */
  readonly params?: TObject;
  readonly query?: TObject;
  /** Of the request. */
  readonly headers?: TObject;
  /** The shape of the request's body for each media type. */
  readonly body?: Readonly<Record<string, TSchema>>;
  /** Whether someone without credentials may be let in; reads if left out. */
  readonly isForAnyone?: boolean;
  readonly responses: Readonly<Record<number, ResponseDescription>>;
  /** The errors that this route may answer beside those of every route. */
  readonly failures: readonly FailureStatus[];
}
