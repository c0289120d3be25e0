import { elementsOf } from './page.ts';

/** The addresses that a crawler has visited, and what it met. */
export interface Crawl {
  /** Path and query of each address, in the order of the visits. */
  readonly visited: readonly string[];
  /** Addresses by their status, apart from 200. */
  readonly others: ReadonlyMap<number, readonly string[]>;
}

interface CrawlOptions {
  readonly from: string;
  /** Returns true for an address that the crawler follows. */
  readonly follows: (address: string) => boolean;
  /** The number of addresses after which it ends. */
  readonly most: number;
  readonly fetch: (path: string) => Promise<Response>;
}

const LINKS = 'a[href], area[href], link[rel=next][href], link[rel=canonical][href]';

/** Follows every link of pages, also those with `nofollow`, as a robot without manners does. It sends no forms. */
export async function crawl({ from, follows, most, fetch }: CrawlOptions): Promise<Crawl> {
  const visited = new Set<string>([from]);
  const others = new Map<number, string[]>();
  for (const address of visited) {
    const response = await fetch(address);
    if (response.status !== 200) others.set(response.status, [...(others.get(response.status) ?? []), address]);
    const location = response.headers.get('Location');
    const isPage = response.headers.get('Content-Type')?.startsWith('text/html') ?? false;
    const html = isPage ? await response.text() : '';
    const links = elementsOf(html, LINKS).map(({ attributes }) => attributes.href ?? '');
    for (const link of location === null ? links : [...links, location]) {
      const { origin, pathname, search } = new URL(link, `http://site${address}`);
      const next = pathname + search;
      if ((origin === 'http://site' || origin === new URL(response.url).origin) && follows(next)) visited.add(next);
      if (visited.size >= most) return { visited: [...visited], others };
    }
  }
  return { visited: [...visited], others };
}
