import type { JsonValue } from '../base/json.ts';
import type { EntityType, FieldDefinition, Item } from '../model/content-model.ts';

/** The parts of the shown entity that its values depend on. */
export interface PageView {
  /** The path prefix of the site. */
  readonly root: string;
  readonly language: string;
  /** The address of the outline of the world, for maps. Undefined without maps. */
  readonly worldOutline: string | undefined;
  /** The source field of a media, and its field with the file size in bytes. */
  readonly sourceField: Pick<FieldDefinition, 'name'> | undefined;
  readonly sizeField: string | undefined;
  /** The path of a media's source file, if the caller may read it. */
  readonly sourcePath: string | undefined;
  /** Returns the target of an item. Undefined if the caller may not view it. */
  targetOf(item: Item): PageTarget | undefined;
}

/** The target of a reference. */
interface PageTarget {
  readonly type: Exclude<EntityType, 'file'>;
  readonly id: number;
  readonly label: string;
  /** The language of the label, for terms. */
  readonly language?: string | undefined;
  readonly externalUri?: string | undefined;
  readonly authorityUri?: string | undefined;
  /** True for a term of a preview that does not exist yet: it has no page. */
  readonly isNew?: boolean;
}

/** Returns a scalar as text. Undefined for empty text, lists and objects. */
export function textOf(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}
