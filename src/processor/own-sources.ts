import { sourceFailed } from './errors.ts';

/** The repository that a processor is part of, as a place where sources are. */
export interface OwnSources {
  /** Whether an address is one of the repository's own: it then counts as an allowed source. */
  isOwn(url: URL): boolean;
  /** Answers a GET of such an address as the repository would over the network. */
  answer(request: Request): Promise<Response>;
}

/**
 * Asks the repository for a source without a socket. Throws `source-failed` if it throws, and what
 * `signal` was aborted with as soon as it is, however long the answer takes.
 */
export async function askRepository(repository: OwnSources, request: Request, signal: AbortSignal): Promise<Response> {
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort);
  if (signal.aborted) onAbort();
  const answered = repository.answer(request).catch((cause: unknown) => {
    throw sourceFailed('The source file cannot be fetched.', cause);
  });
  try {
    return await Promise.race([answered, aborted.promise]);
  } catch (error) {
    // Nobody takes an answer that still comes. If it fails instead, that changes nothing any more.
    void answered.then((late) => late.body?.cancel()).catch(() => undefined);
    throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
