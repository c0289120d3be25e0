import type { FieldValues, Item } from '../../model/content-model.ts';
import type { Draft } from './base-field.ts';
import type { ContentKind } from './kinds.ts';
import { entityTarget } from './resolve-references.ts';

/** The field whose value is an entity's place among its siblings. */
const WEIGHT_FIELD = 'field_weight';

/** One row of the index of references: field, delta, type and id of the target. */
export type ReferenceRow = [field: string, delta: number, targetType: string, targetId: number];

/** Everything that content refers to. */
export function referenceRows(kind: ContentKind, draft: Draft, values: FieldValues): ReferenceRow[] {
  const bundle = kind.bundles.get(draft.bundle);
  const rows = (bundle?.fields ?? []).flatMap((definition) => {
    const type = entityTarget(definition);
    return type === undefined ? [] : rowsOf(definition.name, type, values[definition.name] ?? []);
  });
  rows.push(...rowsOf('parent', 'taxonomy_term', draft.base.parent ?? []));
  rows.push(...rowsOf('thumbnail', 'file', draft.base.thumbnail ?? []));
  return rows;
}

function rowsOf(field: string, type: string, items: readonly Item[]): ReferenceRow[] {
  return items.flatMap(({ target_id }, delta): ReferenceRow[] =>
    typeof target_id === 'number' ? [[field, delta, type, target_id]] : [],
  );
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
