import type { OwnSources } from '../processor/own-sources.ts';

/** A repository that its own processor asks for sources, which it can do once the repository is there. */
export interface OwnAddresses extends OwnSources {
  /** `baseUrl` is what its addresses begin with, without a slash at the end. */
  begin(baseUrl: string, answer: (request: Request) => Promise<Response>): void;
}

/** No address is its own before it has begun. */
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
      // A path that a proxy puts before it is none that it answers to.
      const { origin } = new URL(request.url);
      return own.answer(new Request(`${origin}${request.url.slice(own.path.length)}`, request));
    },
  };
}
