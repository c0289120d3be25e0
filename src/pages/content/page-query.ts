import { malformed, type ServiceError } from '../../base/errors.ts';
import type { CardSort } from '../../repository/content/lists/card-list.ts';
import { parseId } from '../../web/call.ts';
import { parametersOf } from '../../web/formats.ts';

/** The orders of a list of items on a page. The first one is the default. */
export const PAGE_SORTS = ['order', 'title', 'date', 'newest'] as const;
/** The number of items of such a list on one page. */
export const CARDS_PER_PAGE = 48;
/** The layouts of such a list. The first one is the default. */
export const PAGE_VIEWS = ['grid', 'list'] as const;

/** The query of a content page. */
export interface PageQuery {
  /** The page of the list, from 0. */
  readonly page: number;
  readonly sort: (typeof PAGE_SORTS)[number];
  readonly view: (typeof PAGE_VIEWS)[number];
  /** The page of the list of all files, from 0. Undefined for the first files alone. */
  readonly files: number | undefined;
  /** The id of the collection through which the reader came. Undefined for the first one. */
  readonly collection: number | undefined;
}

/** The query of a page without parameters. */
export const FIRST_PAGE: PageQuery = {
  ...{ page: 0, sort: PAGE_SORTS[0], view: PAGE_VIEWS[0] },
  ...{ files: undefined, collection: undefined },
};
const MAX_SHOWN_CHARACTERS = 20;

/** Returns the query of a content page. Throws `malformed` for an invalid value, and ignores other parameters. */
export function pageQuery({ url }: Request): PageQuery {
  if (!url.includes('?')) return FIRST_PAGE;
  const parameters = parametersOf(url);
  // An empty value counts as missing, as in all routes.
  const given = (name: string) => parameters.get(name) || null;
  const numbered = (name: string) => {
    const text = given(name);
    if (text !== null && !/^\d{1,6}$/.test(text)) throw invalid(name, 'a number from 0', text);
    return text === null ? undefined : Number(text);
  };
  const collection = given('in');
  if (collection !== null && parseId(collection) === undefined)
    throw invalid('in', 'the number of a collection', collection);
  return {
    page: numbered('page') ?? 0,
    sort: choice('sort', PAGE_SORTS, given('sort')),
    view: choice('view', PAGE_VIEWS, given('view')),
    files: numbered('files'),
    collection: parseId(collection ?? undefined),
  };
}

/** Returns the order of a list in a query; undefined for that of the list itself. */
export function cardSort({ sort }: PageQuery): CardSort | undefined {
  return sort === 'order' ? undefined : sort;
}

function choice<Name extends string>(parameter: string, names: readonly [Name, ...Name[]], given: string | null): Name {
  if (given === null) return names[0];
  const known = names.find((name) => name === given);
  if (known === undefined) throw invalid(parameter, `one of ${names.join(', ')}`, given);
  return known;
}

function invalid(parameter: string, expected: string, given: string): ServiceError {
  return malformed(
    `The query parameter "${parameter}" must be ${expected}, found "${given.slice(0, MAX_SHOWN_CHARACTERS)}".`,
  );
}
