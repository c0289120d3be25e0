import type { FieldValues, Item } from '../../model/content-model.ts';
import type { Draft } from './base-field.ts';
import type { ContentKind } from './kinds.ts';
import { referringFields } from './referring-fields.ts';

/** The field whose value is an entity's place among its siblings. */
const WEIGHT_FIELD = 'field_weight';

/** One row of the index of references: field, delta, type and id of the target. */
export type ReferenceRow = [field: string, delta: number, targetType: string, targetId: number];

/** Everything that content refers to. */
export function referenceRows(kind: ContentKind, draft: Draft, values: FieldValues): ReferenceRow[] {
  const rows: ReferenceRow[] = [];
  const bundle = kind.bundles.get(draft.bundle);
  if (bundle) for (const { name, type } of referringFields(bundle)) addRows(rows, name, type, values[name]);
  addRows(rows, 'parent', 'taxonomy_term', draft.base.parent);
  addRows(rows, 'thumbnail', 'file', draft.base.thumbnail);
  return rows;
}

function addRows(rows: ReferenceRow[], field: string, type: string, items: readonly Item[] = []): void {
  for (let delta = 0; delta < items.length; delta++) {
    const id = items[delta]?.target_id;
    if (typeof id === 'number') rows.push([field, delta, type, id]);
  }
}

/** The place among siblings, or null for content without one. */
export function weightOf(values: FieldValues): number | null {
  const weight = values[WEIGHT_FIELD]?.[0]?.value;
  return typeof weight === 'number' ? weight : null;
}

/** The addresses by which a term can be found: field, delta, URI. */
export function uriRows(kind: ContentKind, values: FieldValues): [string, number, string][] {
  if (kind.type !== 'taxonomy_term') return [];
  return Object.entries(values).flatMap(([field, items]) =>
    items.flatMap(({ uri }, delta): [string, number, string][] =>
      typeof uri === 'string' ? [[field, delta, uri]] : [],
    ),
  );
}
