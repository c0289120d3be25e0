import type { As, TestRepository } from './test-repository.ts';

/** The JSON of a search. */
export interface SearchAnswer {
  readonly total: number;
  readonly page: number;
  readonly size: number;
  readonly items: readonly {
    readonly nid: number;
    readonly uuid: string;
    readonly title: string;
    readonly url: string;
    readonly type: string;
    readonly model: string | null;
    readonly thumbnail: string | null;
    readonly date: string | null;
    readonly snippet: string | null;
    readonly pageCount: number;
    readonly pages: readonly {
      readonly nid: number;
      readonly title: string;
      readonly url: string;
      readonly reader: string | null;
      readonly snippet: string | null;
    }[];
  }[];
  readonly facets: readonly {
    readonly name: string;
    readonly label: string;
    readonly values: readonly {
      readonly value: string;
      readonly label: string;
      readonly count: number;
      readonly url: string;
    }[];
  }[];
}

type Query = Readonly<Record<string, string | readonly string[]>>;

/** Returns the path of a search as JSON. */
export function searchPath(query: Query, path = '/search'): string {
  const parameters = Object.entries(query).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, value]),
  );
  return `${path}?${new URLSearchParams([...parameters, ['_format', 'json']])}`;
}

/** Searches as a caller. Throws if the search is refused. */
export async function search(repository: TestRepository, query: Query, as?: As): Promise<SearchAnswer> {
  const response = await repository.get(searchPath(query), as);
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as SearchAnswer;
}

/** Returns the values of a facet with their counts, by label. */
export function facet(answer: SearchAnswer, name: string): Record<string, number> {
  const values = answer.facets.find((each) => each.name === name)?.values ?? [];
  return Object.fromEntries(values.map(({ label, count }) => [label, count]));
}

/** Returns the addresses of a `Link` header by relation. */
export function linksIn(response: Response): Record<string, string> {
  const links = [...(response.headers.get('Link') ?? '').matchAll(/<([^>]*)>; rel="(\w+)"/g)];
  return Object.fromEntries(links.map(([, href = '', rel = '']) => [rel, href]));
}
