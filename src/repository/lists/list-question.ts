/** The kinds of entities with a list. */
export type ListName = 'node' | 'media' | 'taxonomy_term' | 'file' | 'user';

/** The orders of lists. `title` is that of nodes, `name` that of all others. */
export type ListSort = 'id' | 'created' | 'changed' | 'title' | 'name';

/** The filters of lists. */
export type ListFilter =
  | 'type'
  | 'vocabulary'
  | 'model'
  | 'use'
  | 'collection'
  | 'parent'
  | 'works'
  | 'published'
  | 'changedSince'
  | 'changedBefore'
  | 'title'
  | 'name'
  | 'owner'
  | 'permanent'
  | 'mimeType'
  | 'scheme'
  | 'active'
  | 'role';

/** The values of the filters of a request. Booleans are 1 and 0. */
export type FilterValues = Readonly<Partial<Record<ListFilter, string | number>>>;

/** A row's place in the order of a list: the value that it is sorted by, and its id. */
export interface Position {
  readonly key: string | number;
  readonly id: number;
}

/** The part of a list to find: its start, its end, what follows a place, or what precedes it. */
export type ListPart = 'start' | 'end' | { readonly after: Position } | { readonly before: Position };

/** A page of a list. */
export interface ListQuestion {
  readonly list: ListName;
  readonly filters: FilterValues;
  readonly sort: ListSort;
  readonly isDescending: boolean;
  readonly size: number;
  readonly part: ListPart;
}

/** A found page. */
export interface ListPage {
  /** Its rows in the order of the list. */
  readonly rows: readonly Position[];
  readonly hasNext: boolean;
  readonly hasPrevious: boolean;
  /** The number of rows of the list that the actor may view, for its start. Undefined if counting them takes too long. */
  readonly total: number | undefined;
}
