import type { BulkAction } from '../../bulk/bulk-action.ts';
import type { ListRow } from '../../repository/lists/list-rows.ts';
import type { FormProblem } from '../forms/error-summary.tsx';

/** The lists for editors. */
export type ManagedList = 'node' | 'media';

/** A value that a form offers. */
export interface Choice {
  readonly value: string;
  readonly label: string;
}

/** A filter that is set. */
interface ChosenFilter {
  /** Its name in the address. */
  readonly name: string;
  readonly value: string;
  /** The address of the list without it. */
  readonly href: string;
}

/** The values that the filters of a list offer. Undefined: too many, so that a form asks for a number. */
export interface ListChoices {
  readonly types: readonly Choice[];
  /** Models of nodes, or uses of media. */
  readonly terms: readonly Choice[] | undefined;
  readonly collections: readonly Choice[] | undefined;
}

/** A column by which a list can be sorted. */
export interface SortLink {
  readonly href: string;
  /** Undefined if the list has another order. */
  readonly direction: 'ascending' | 'descending' | undefined;
}

/** A page of a list for editors. Addresses begin at the root of the site. */
export interface ContentListData {
  readonly list: ManagedList;
  /** The filters as they were typed, by name. */
  readonly texts: Readonly<Record<string, string>>;
  readonly problems: readonly FormProblem[];
  readonly chosen: readonly ChosenFilter[];
  /** The order in the address. */
  readonly sort: string | undefined;
  readonly sorts: Readonly<Record<'label' | 'changed', SortLink>>;
  readonly choices: ListChoices;
  readonly rows: readonly (ListRow & { readonly type: string })[];
  /** The kind of rows that the list shows, with the addresses of both. Undefined where it is no choice. */
  readonly shows: { readonly present: 'works' | 'all'; readonly works: string; readonly all: string } | undefined;
  /** The address of completions for the item that others are members of. */
  readonly completions: string | undefined;
  /** Undefined if counting takes too long. */
  readonly total: number | undefined;
  readonly links: Readonly<Partial<Record<'first' | 'previous' | 'next' | 'last', string>>>;
  /** The actions that the caller may choose. */
  readonly actions: readonly BulkAction[];
  /** The filters, encoded as in an address. */
  readonly filter: string;
}
