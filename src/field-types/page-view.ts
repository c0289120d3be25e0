import type { JsonValue } from '../base/json.ts';
import type { EntityType, FieldDefinition, Item } from '../model/content-model.ts';

/** The entity that a page shows, as far as its values depend on it. */
export interface PageView {
  /** The beginning of every path of the site. */
  readonly root: string;
  readonly language: string;
  /** Of a media: the field of its file, and the one with the size of that file in bytes. */
  readonly sourceField: Pick<FieldDefinition, 'name'> | undefined;
  readonly sizeField: string | undefined;
  /** The path of a media's own file, if the caller may read it. */
  readonly sourcePath: string | undefined;
  /** Returns the target of an item; undefined if the caller may not view it. */
  targetOf(
    item: Item,
  ): { readonly type: Exclude<EntityType, 'file'>; readonly id: number; readonly label: string } | undefined;
}

/** Returns a scalar as text; undefined if it is empty or has parts. */
export function textOf(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}
