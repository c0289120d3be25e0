import { Elysia, ValidationError } from 'elysia';
import { ServiceError } from '../base/errors.ts';
import { statusOf } from './error-status.ts';
import { recordOf } from './request-log.ts';

/** Turns a failure into an answer of the right form for a request: text here, JSON or a page elsewhere. */
export type RenderError = (
  status: number,
  publicMessage: string,
  headers: Record<string, string>,
  request: Request,
) => Response;

/** Names what a schema of a route rejects. */
export type NameInvalid = (error: ValidationError, request: Request) => ServiceError;

/** The message of a schema is its author's sentence about the member that is wrong. */
const malformedBySchema: NameInvalid = ({ message }) => new ServiceError('malformed', message);

/**
 * The one exit for failures. What has no name is a 500 that says nothing; its cause is kept for the
 * log, which writes it once.
 */
export function createErrorPlugin(render: RenderError, nameInvalid: NameInvalid = malformedBySchema) {
  return new Elysia({ name: 'errors' }).onError({ as: 'global' }, ({ code, error, request }) => {
    const failure = error instanceof ValidationError ? nameInvalid(error, request) : nameFailure(code, error);
    return answerFailure(render, failure ?? error, request);
  });
}

/** Answers a failure, and keeps it for the log. */
function answerFailure(render: RenderError, failure: unknown, request: Request): Response {
  recordOf(request).failure = failure;
  if (!(failure instanceof ServiceError)) return render(500, 'Internal Server Error', {}, request);
  return render(statusOf(failure.kind), failure.publicMessage, failure.headers, request);
}

export type Handle = (request: Request) => Promise<Response>;

/** Wraps a handler so that an answer waits until its caller is confirmed. A caller who is refused gets that failure instead. */
export function whenConfirmed(render: RenderError, handle: Handle): Handle {
  return async (request) => {
    const answer = await handle(request);
    const { confirmed } = recordOf(request);
    if (confirmed === undefined) return answer;
    try {
      await confirmed;
      return answer;
    } catch (error) {
      await answer.body?.cancel();
      return answerFailure(render, error, request);
    }
  };
}

function nameFailure(code: string | number, error: unknown): ServiceError | undefined {
  if (error instanceof ServiceError) return error;
  // The library for queries puts an error of its own, with all values, around what the database says.
  if (error instanceof Error && error.cause instanceof ServiceError) return error.cause;
  switch (code) {
    case 'NOT_FOUND':
      return new ServiceError('not-found', 'Not Found');
    case 'PARSE':
    case 'INVALID_COOKIE_SIGNATURE':
      return new ServiceError('malformed', 'The request is malformed.', { cause: error });
    default:
      return undefined;
  }
}

/** An error as one plain sentence (spec: processor, "Errors"). */
export const renderPlainText: RenderError = (status, publicMessage, headers) =>
  new Response(`${publicMessage}\n`, {
    status,
    headers: { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff', ...headers },
  });
