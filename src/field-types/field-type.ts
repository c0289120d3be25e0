import type { TSchema } from '@sinclair/typebox';
import type { ComponentChild } from 'preact';
import type { JsonObject } from '../base/json.ts';
import type { AccessNames } from '../model/access-rules.ts';
import type { FieldDefinition, Item } from '../model/content-model.ts';
import type { FieldFacts } from '../model/field-facts.ts';
import type { CellFault, CellTarget } from './cell.ts';
import type { Control, ControlContext } from './control.ts';
import type { PageView } from './page-view.ts';
import type { RdfRequest, RdfValue } from './rdf.ts';

/** A problem of a submitted value: its path (`title.0.value`) and the message of the API. */
export interface Violation {
  readonly path: string;
  readonly message: string;
}

/** The settings of the repository that field types depend on. */
export interface FieldContext {
  readonly languages: readonly string[];
  readonly textFormats: ReadonlySet<string>;
  /** The names that access rules may use. */
  readonly access: AccessNames;
  /** Returns the HTML of a text in a format. An unknown or missing format is the fallback. */
  process(text: string, format: string | null): string;
  /** Returns true if the program itself answers at a path. */
  isOwnPath(path: string): boolean;
}

/** The field types of a repository, with the settings that they depend on. */
export interface Fields extends FieldContext {
  readonly types: FieldTypes;
}

/** A schema under the name that an API description gives it. */
export interface NamedSchema {
  readonly name: string;
  readonly schema: TSchema;
}

/**
 * A field type. All functions are pure. `defineFieldType` provides defaults. A new type is one file that calls it, and one
 * line in `registry.ts`.
 */
export interface FieldType extends FieldFacts {
  /** Returns the schema of an item as answers hold it, members in their order. */
  answer(definition: FieldDefinition): NamedSchema;
  /** The members of an item that a write may set. Others are accepted and dropped. */
  readonly input: readonly string[];
  /** Returns the member with a fixed set of values. */
  choices(definition: FieldDefinition): Choices | undefined;

  /**
   * Returns a submitted item as it is stored: computed, read-only and unknown members are dropped, numbers and booleans
   * sent as text are converted. Returns undefined for an empty item. Keeps a value of the wrong type, which `violations`
   * then reports. References return `target_id` (a number, or the text of a configuration id) or
   * `target_uuid` alone, with their own members; the repository adds the rest.
   */
  parse(raw: JsonObject, definition: FieldDefinition): Item | undefined;
  /** Returns the problems of an item that `parse` returned; paths are relative to the item (`value`, or empty). */
  violations(item: Item, definition: FieldDefinition, context: FieldContext): Violation[];
  /** Returns an item with its computed members, in the order of the API (spec: rest-behaviour, 3.2). */
  complete(item: Item, definition: FieldDefinition, context: FieldContext): Item;
  /** The expensive processing of long values before they are stored. */
  readonly effort: 'markup' | 'dates' | undefined;

  /** Returns an item of another repository without the ids in it, which would name other things here. */
  portable(item: Item): Item;

  /** True if an item without a member differs from one with it: a write that leaves a member out removes it. */
  readonly isWhole: boolean;
  /** Returns a submitted reference with missing members from a stored one to the same target. */
  keep(submitted: Item, stored: readonly Item[]): Item;
  /** Returns the members that the target's file determines. */
  ofFile(file: { readonly width: number | null; readonly height: number | null } | undefined): Item;
  /** True if the `Link` header names the targets as related. */
  readonly isRelated: boolean;
  /** True if an item is a track for the player of a media's source. */
  readonly isTrack: boolean;

  /** Returns the values of an item in a graph, which adds references to entities itself. */
  rdf(item: Item, request: RdfRequest): RdfValue[];
  /** Returns the role of a reference's target, such as `relators:aut`, which becomes a predicate. */
  role(item: Item): string | undefined;

  /** Returns the controls of the form of one value, in their order. Undefined for a field that forms leave as it is. */
  controls(definition: FieldDefinition, context: ControlContext): readonly Control[] | undefined;

  /** Returns an item for an HTML page. Undefined if there is nothing to show. */
  show(item: Item, definition: FieldDefinition, view: PageView): ComponentChild | undefined;

  /**
   * Returns the text of an item for the search index; undefined for none. The index adds the names of linked terms, and
   * the years of dates.
   */
  searchText(item: Item, definition: FieldDefinition): string | undefined;
  /** Returns the first and the last year of a date; undefined if the item has none. */
  years(item: Item): Years | undefined;

  /** True if a table cell holds the items as JSON. */
  readonly isJsonInCells: boolean;
  /** The member of an item that a cell may hold as plain text, if `isJsonInCells`. Undefined for none. */
  readonly shortCell: string | undefined;
  /** Returns an item as the text of a table cell, which `readCell` parses. */
  writeCell(item: Item): string;
  /** Parses a value of a cell into a submitted item, or returns the reason why it is invalid. */
  readCell(text: string, definition: FieldDefinition, options: { readonly textFormat: string | undefined }): CellRead;
  /** Writes and parses the cell of a reference around the text that names the target. */
  readonly cellTarget: CellTarget;
  /** Returns the parts of an item that a cell cannot represent, for the report of an export. */
  cellLosses(item: Item): string[];
  /** Returns the possible values of a member, for messages about a table. */
  cellChoices(member: string | undefined, definition: FieldDefinition, names: ChoiceNames): readonly string[];
  /** The kind of value for messages about a table: "a whole number". */
  readonly cellKind: string | undefined;

  /** The module of Islandora that defines the type, or `core`. */
  readonly module: string;
  /** The form element of the field. */
  readonly widget: string;
  /** Returns the settings of a field of one bundle, for `/entity/field_config`. */
  fieldSettings(definition: FieldDefinition): JsonObject;
  /** The settings of all fields of one name, for `/entity/field_storage_config`, without the common ones. */
  readonly storageSettings: JsonObject;
}

/** The years of a date, both included. */
export interface Years {
  readonly from: number;
  readonly to: number;
}

/** A member with a fixed set of values. */
interface Choices {
  readonly member: string;
  readonly values: readonly string[];
}

/** Names of the repository that may be values of a member. */
interface ChoiceNames {
  readonly languages: readonly string[];
  readonly textFormats: readonly string[];
}

/** One value of a cell. */
type CellRead = { readonly raw: JsonObject } | CellFault;

/** The field types of a repository by name. */
export class FieldTypes extends Map<string, FieldType> {
  /** Lookups in a plain object are faster than in a map. They are made for each item of each field. */
  readonly #byName: Readonly<Record<string, FieldType>>;

  constructor(types: Readonly<Record<string, FieldType>>) {
    super(Object.entries(types));
    this.#byName = { ...types };
  }

  /** Returns the type of a field. Throws RangeError for an unknown one, which a loaded model does not have. */
  of({ type }: Pick<FieldDefinition, 'type'>): FieldType {
    const fieldType = this.#byName[type];
    if (fieldType === undefined) throw new RangeError(`unknown field type "${type}"`);
    return fieldType;
  }
}
