import type { TObject, TSchema } from '@sinclair/typebox';
import type { DocumentDecoration } from 'elysia';
import type { FailureStatus } from './failures.ts';
import type { HeaderName } from './headers.ts';

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
 * What `detail` says of a route. Its parameters and its JSON body are in its schemas, and what all routes have in common
 * is added in `operations.ts`.
 */
export interface Description {
  /** A name that no other route has. */
  readonly operationId: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  /**
   * Headers of the request. As any text is valid in them, no schema of the route checks them, which would copy all
   * headers of each request.
   */
  readonly headers?: TObject;
  /** The schema of a body that streams, for each media type. */
  readonly stream?: Readonly<Record<string, TSchema>>;
  /** Whether a caller without credentials may be let in (default: for reads). */
  readonly isForAnyone?: boolean;
  readonly responses: Readonly<Record<number, ResponseDescription>>;
  /** The errors of this route beside those of every route. */
  readonly failures: readonly FailureStatus[];
}

const DESCRIPTION = 'x-description';

/** The `detail` of a route, which a request for the description of the API completes (`operations.ts`). */
export type Detail = DocumentDecoration & { readonly [DESCRIPTION]: Description };

/** Returns the `detail` of a route. */
export function describe(description: Description): Detail {
  return { [DESCRIPTION]: description };
}

/** Returns what `describe` was given. */
export function descriptionIn(detail: Detail): Description {
  return detail[DESCRIPTION];
}
