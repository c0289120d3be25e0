import type { AuthenticationType, TargetType } from './content-model.ts';

/** The kinds of entity that lists are made of. */
export const VIEW_TYPES = ['node', 'media', 'taxonomy_term'] as const;
export type ViewType = (typeof VIEW_TYPES)[number];

export const VIEW_OPERATORS = ['equals', 'contains', 'starts'] as const;
export type ViewOperator = (typeof VIEW_OPERATORS)[number];

/** What of an entity is compared, sorted by, or shown: one property of the items of a field. */
export interface ViewField {
  /** As configured: `title`, or `field_linked_agent.rel_type`. */
  readonly text: string;
  readonly name: string;
  readonly property: string;
  readonly type: string;
  /** Of the property that names the target of a reference. */
  readonly targetType: TargetType | undefined;
  /** What its values are. An id is that of another entity. */
  readonly kind: 'text' | 'number' | 'boolean' | 'id';
}

export interface ViewFilter {
  readonly field: ViewField;
  readonly operator: ViewOperator;
}

/** A filter whose value comes with the request. */
export interface ExposedFilter extends ViewFilter {
  /** The query parameter. */
  readonly parameter: string;
  /** Whether the list is empty without it. */
  readonly isRequired: boolean;
}

/** A filter that holds of every entry. */
export interface FixedFilter extends ViewFilter {
  readonly value: string | number | boolean;
}

export interface ViewOrder {
  readonly field: ViewField;
  readonly isDescending: boolean;
}

/** A list that a site has configured for itself. */
export interface View {
  readonly name: string;
  readonly path: string;
  readonly entityType: ViewType;
  /** Those that count; undefined for all. */
  readonly bundles: readonly string[] | undefined;
  readonly exposed: readonly ExposedFilter[];
  readonly fixed: readonly FixedFilter[];
  /** Entries that are the same in all of this come in the order of their ids. */
  readonly order: readonly ViewOrder[];
  /** So many entries are answered at once; undefined where the whole list is, unless a page is asked for. */
  readonly pageSize: number | undefined;
  /** What is told of each entry, as texts; undefined for whole entities. */
  readonly fields: readonly ViewField[] | undefined;
  /** What a caller needs besides what each entry needs to be seen. */
  readonly permission: string | undefined;
  readonly authentication: readonly AuthenticationType[] | undefined;
}
