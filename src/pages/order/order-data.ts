import type { Thumbnail } from '../../repository/content/lists/find-cards.ts';
import type { FormProblem } from '../forms/error-summary.tsx';

/** A member on the page of an order. */
export interface OrderRow {
  readonly id: number;
  readonly label: string;
  readonly language: string;
  readonly isPublished: boolean;
  readonly thumbnail: Thumbnail | undefined;
  /** The position that the field shows: the one in the list, or what was typed. */
  readonly position: string;
  /** True if it became a member after the page was opened. */
  readonly isAdded: boolean;
}

/** The reason why a caller cannot order the members of an item. */
export type OrderRefusal =
  | { readonly reason: 'few' }
  | { readonly reason: 'many'; readonly most: number }
  | { readonly reason: 'locked' | 'fieldless'; readonly count: number; readonly of: number };

/** The page on which the members of an item are put in order. */
export interface OrderPageData {
  readonly id: number;
  readonly title: string;
  readonly token: string;
  readonly rows: readonly OrderRow[];
  /** Identifies the order that the page shows as the present one. */
  readonly opened: string;
  readonly refusal: OrderRefusal | undefined;
  readonly messages: readonly FormProblem[];
  /** True if the rows are in an order that is not saved. */
  readonly isChanged: boolean;
  /** The changes since the page was opened, if they prevented saving the order. */
  readonly conflict: { readonly added: number; readonly removed: number } | undefined;
  /** The change that saves another order of the members at present, with its path if the caller may open it. */
  readonly running: { readonly path: string | undefined } | undefined;
  /** The change that was stopped before all members had their places. */
  readonly stopped: { readonly path: string | undefined; readonly waiting: number } | undefined;
  /** The number of members that belong to other items, too. */
  readonly shared: number;
}

const POSITION = 'position.';

/** The name of the field with the position of a member. */
export const positionField = (member: number) => `${POSITION}${member}`;

/** Returns the id in the name of a field with a position, as it is written there. Undefined for another field. */
export const memberOfField = (name: string) => (name.startsWith(POSITION) ? name.slice(POSITION.length) : undefined);

/** The hidden field with `opened` of a page. */
export const OPENED = 'opened';
