import type { JsonValue } from '../base/json.ts';
import type { FieldDefinition, Item } from '../model/content-model.ts';

/** One thing that is wrong with a submitted value: where (`title.0.value`) and what, in the API's words. */
export interface Violation {
  readonly path: string;
  readonly message: string;
}

/** What a field type may need to know to compute a member. */
export interface FieldContext {
  readonly languages: readonly string[];
  /** The HTML that a text in a format shows as. An unknown or missing format is the fallback. */
  process(text: string, format: string | null): string;
  readonly textFormats: ReadonlySet<string>;
  /** Whether the program itself answers at a path, so that nothing else can be found there. */
  isOwnPath(path: string): boolean;
}

/**
 * How the items of one type are read, checked and kept. All functions are pure. The items that `parse`
 * and `complete` make are those of the API, members in their order (spec: rest-behaviour, 3.2).
 */
export interface FieldType {
  /** The member that a bare scalar stands for; undefined where an item has no main one. */
  readonly main: string | undefined;
  /**
   * One submitted item, an object, as a stored one: members that are computed, read-only or unknown are
   * dropped, numbers and booleans that came as text become what they are. Undefined for an empty item.
   * A value that cannot be what it should be is kept as it came, for `violations` to name.
   * Reference types answer `target_id` (number, or text of a configuration id) or `target_uuid` alone,
   * and their own members; the repository adds the rest.
   */
  parse(raw: { [member: string]: JsonValue }, definition: FieldDefinition): Item | undefined;
  /** What is wrong with an item that `parse` answered; paths are relative to the item (`value`, or empty). */
  violations(item: Item, definition: FieldDefinition, context: FieldContext): Violation[];
  /** Adds the members that are computed from the others, in the order of the API. */
  complete(item: Item, definition: FieldDefinition, context: FieldContext): Item;
}
