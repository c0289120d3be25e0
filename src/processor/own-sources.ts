import { sourceFailed } from './errors.ts';

/** The files of the repository that a processor is part of, as sources. */
export interface OwnSources {
  /** Returns true if an address is one of the repository. It is then an allowed source. */
  isOwn(url: URL): boolean;
  /** Answers a GET of such an address as the repository would over the network. */
  answer(request: Request): Promise<Response>;
}

/** The sources of a repository that starts after its processor. */
interface OwnAddresses extends OwnSources {
  /** Starts to answer. `baseUrl` is the base URL of the repository without a slash at the end. */
  begin(baseUrl: string, answer: (request: Request) => Promise<Response>): void;
}

/** Creates sources without any address until `begin` is called. */
export function createOwnAddresses(): OwnAddresses {
  let own: { readonly prefix: string; readonly path: string; answer(request: Request): Promise<Response> } | undefined;
  return {
    begin(baseUrl, answer) {
      const { origin, pathname } = new URL(baseUrl);
      own = { prefix: `${baseUrl}/`, path: `${origin}${pathname}`.replace(/\/$/, ''), answer };
    },
    isOwn: (url) => own !== undefined && url.href.startsWith(own.prefix),
    async answer(request) {
      if (own === undefined) throw new Error('the repository has not begun to answer');
      // The repository does not know a path prefix that a proxy adds.
      const { origin } = new URL(request.url);
      return own.answer(new Request(`${origin}${request.url.slice(own.path.length)}`, request));
    },
  };
}

/**
 * Asks the repository for a source without a socket. Throws `source-failed` if it throws, and the reason of `signal` as
 * soon as that aborts.
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
    // Ends a late answer. A late failure changes nothing.
    void answered.then((late) => late.body?.cancel()).catch(() => undefined);
    throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
