import { PAGE_SORTS, PAGE_VIEWS, type PageQuery } from '../content/page-query.ts';

/** A list with an address for each of its states. */
export interface AddressedList {
  /** The path of its page, with the prefix of the site. */
  readonly path: string;
  readonly query: PageQuery;
  /** The id of the list in its page, to which the address leads. */
  readonly anchor?: string;
}

/** Returns the address of a list in another state: the values that differ from the defaults. */
export function listAddress({ path, query, anchor }: AddressedList, changes: Partial<PageQuery>): string {
  const { page, sort, view, files, collection } = { ...query, ...changes };
  const parameters = new URLSearchParams();
  if (page > 0) parameters.set('page', String(page));
  if (sort !== PAGE_SORTS[0]) parameters.set('sort', sort);
  if (view !== PAGE_VIEWS[0]) parameters.set('view', view);
  if (files !== undefined) parameters.set('files', String(files));
  if (collection !== undefined) parameters.set('in', String(collection));
  const search = parameters.size > 0 ? `?${parameters}` : '';
  return `${path}${search}${anchor === undefined ? '' : `#${anchor}`}`;
}
