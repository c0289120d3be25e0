import { linksIn } from './link-lines.ts';
import type { As, EntityJson, TestRepository } from './test-repository.ts';

/** A page of a list as a client reads it. */
export interface ListPage {
  readonly entries: EntityJson[];
  readonly total: string | null;
  /** The paths of the pages that it links to, by relation. */
  readonly links: Readonly<Record<string, string>>;
}

/** Reads a page of a list. */
export async function readPage(repository: TestRepository, path: string, as?: As): Promise<ListPage> {
  const response = await repository.get(path, as);
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  const links = linksIn(response).map(({ rel, href }) => [rel, href.replace(repository.url, '')]);
  return {
    entries: (await response.json()) as EntityJson[],
    total: response.headers.get('x-total-count'),
    links: Object.fromEntries(links),
  };
}

/** Follows a relation from a page to the end, and returns all pages in the order of reading. */
export async function walk(
  repository: TestRepository,
  path: string,
  as?: As,
  rel: 'next' | 'prev' = 'next',
  between: (page: ListPage, number: number) => unknown = () => {},
): Promise<ListPage[]> {
  const pages: ListPage[] = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const page: ListPage = await readPage(repository, next, as);
    await between(page, pages.push(page));
    next = page.links[rel];
  }
  return pages;
}

const ID_NAMES = ['nid', 'mid', 'tid', 'fid', 'uid'];

/** Returns the ids of entities of any kind. */
export function idsOf(entries: readonly EntityJson[]): number[] {
  return entries.map((entry) => {
    const name = ID_NAMES.find((each) => each in entry) ?? 'nid';
    return entry[name][0].value;
  });
}
