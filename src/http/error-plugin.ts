import { Elysia, ValidationError } from 'elysia';
import { codeOf, ServiceError } from '../base/errors.ts';
import { statusOf } from './error-status.ts';
import { recordOf } from './request-log.ts';

/** Renders an error as text, JSON or an HTML page. */
export type RenderError = (
  status: number,
  publicMessage: string,
  headers: Record<string, string>,
  request: Request,
) => Response;

/** Returns the error for a request that a schema of the route rejects. */
export type NameInvalid = (error: ValidationError, request: Request) => ServiceError;

/** The schema's own message names the invalid member. */
const malformedBySchema: NameInvalid = ({ message }) => new ServiceError('malformed', message);

/** Creates the plugin that answers all errors. An unknown error is a 500 without details, which only the log shows. */
export function createErrorPlugin(render: RenderError, nameInvalid: NameInvalid = malformedBySchema) {
  return new Elysia({ name: 'errors' }).onError({ as: 'global' }, ({ code, error, request }) => {
    const failure = error instanceof ValidationError ? nameInvalid(error, request) : nameFailure(code, error);
    return answerFailure(render, failure ?? error, request);
  });
}

/** Renders an error and stores it for the log. */
function answerFailure(render: RenderError, failure: unknown, request: Request): Response {
  recordOf(request).failure = failure;
  if (!(failure instanceof ServiceError)) return render(500, 'Internal Server Error', {}, request);
  return render(statusOf(failure.kind), failure.publicMessage, failure.headers, request);
}

export type Handle = (request: Request) => Promise<Response>;

/** Wraps a handler so that a response waits until its caller is confirmed. If that fails, its error is returned instead. */
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

/** The codes of the system for too many open files, of this process and of all. */
const NO_DESCRIPTOR: ReadonlySet<string | undefined> = new Set(['EMFILE', 'ENFILE']);
const RETRY_SECONDS = '5';

/** Returns true if a failure has this cause. */
function lacksDescriptor(error: unknown): boolean {
  return error instanceof Error && (NO_DESCRIPTOR.has(codeOf(error)) || lacksDescriptor(error.cause));
}

function nameFailure(code: string | number, error: unknown): ServiceError | undefined {
  if (lacksDescriptor(error))
    return new ServiceError('over-capacity', 'Too many files are open at present. Try again shortly.', {
      cause: error,
      headers: { 'Retry-After': RETRY_SECONDS },
    });
  if (error instanceof ServiceError) return error;
  // The query library wraps errors of the database in its own, whose message contains all values.
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

/** Renders an error as a line of text (spec: processor, "Errors"). */
export const renderPlainText: RenderError = (status, publicMessage, headers) =>
  new Response(`${publicMessage}\n`, {
    status,
    headers: { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff', ...headers },
  });
