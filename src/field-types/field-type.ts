import type { TProperties, TSchema } from '@sinclair/typebox';
import type { ComponentChild } from 'preact';
import type { JsonObject } from '../base/json.ts';
import type { FieldDefinition, Item } from '../model/content-model.ts';
import type { FieldFacts } from '../model/field-facts.ts';
import type { CellFault, CellTarget } from './cell.ts';
import type { PageView } from './page-view.ts';
import type { RdfRequest, RdfValue } from './rdf.ts';

/** One problem of a submitted value: where (`title.0.value`) and what, in the words of the API. */
export interface Violation {
  readonly path: string;
  readonly message: string;
}

/** The settings of the repository that field types depend on. */
export interface FieldContext {
  readonly languages: readonly string[];
  readonly textFormats: ReadonlySet<string>;
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

/** The members of an item as a write may send them. Other members are accepted and dropped. */
export interface InputSchema {
  readonly name: string;
  readonly members: TProperties;
}

/**
 * A field type with all its faces. All functions are pure. `defineFieldType` fills in the faces that most types have in
 * common; a new type is one file that calls it and one line in `registry.ts`.
 */
export interface FieldType extends FieldFacts {
  /** Returns the schema of an item as answers hold it, members in their order. */
  answer(definition: FieldDefinition): NamedSchema;
  /** The schema of an item as writes send it, before `parse`. */
  readonly input: InputSchema;
  /** Returns the member that takes certain texts only, with these texts. */
  choices(definition: FieldDefinition): Choices | undefined;

  /**
   * Returns a submitted item as it is stored: computed, read-only and unknown members are dropped, numbers and booleans
   * sent as text are converted. Returns undefined for an empty item. A value of the wrong type is kept as it came, for
   * `violations` to name. References return `target_id` (a number, or the text of a configuration id) or
   * `target_uuid` alone, with their own members; the repository adds the rest.
   */
  parse(raw: JsonObject, definition: FieldDefinition): Item | undefined;
  /** Returns the problems of an item that `parse` returned; paths are relative to the item (`value`, or empty). */
  violations(item: Item, definition: FieldDefinition, context: FieldContext): Violation[];
  /** Returns an item with its computed members, in the order of the API (spec: rest-behaviour, 3.2). */
  complete(item: Item, definition: FieldDefinition, context: FieldContext): Item;
  /** The work that long values cause before they are accepted: markup is filtered, dates are parsed. */
  readonly effort: 'markup' | 'dates' | undefined;

  /** Returns a submitted reference with what a stored one to the same target knows and the client left out. */
  keep(submitted: Item, stored: readonly Item[]): Item;
  /** Returns the members that the file of the target decides. */
  ofFile(file: { readonly width: number | null; readonly height: number | null } | undefined): Item;
  /** True if the `Link` header names the targets as related. */
  readonly isRelated: boolean;
  /** True if an item is a track for the player of a media's source. */
  readonly isTrack: boolean;

  /** Returns an item's values in a graph. References to entities are said by the graph itself. */
  rdf(item: Item, request: RdfRequest): RdfValue[];
  /** Returns the role that the target of a reference plays, as `relators:aut`: it is a predicate of its own. */
  role(item: Item): string | undefined;

  /** Returns an item as a page shows it; undefined where it has nothing to show. */
  show(item: Item, definition: FieldDefinition, view: PageView): ComponentChild | undefined;

  /** True if a table cell holds the items as JSON. */
  readonly isJsonInCells: boolean;
  /** Returns an item as a cell of a table shows it: what `readCell` reads. */
  writeCell(item: Item): string;
  /** Returns one value of a cell as a submitted item, or why it cannot be read. */
  readCell(text: string, definition: FieldDefinition, options: { readonly textFormat: string | undefined }): CellRead;
  /** How a cell of a reference to an entity is written around the text that names the target. */
  readonly cellTarget: CellTarget;
  /** Returns what a cell has no place for, in words for the report of an export. */
  cellLosses(item: Item): string[];
  /** Returns the texts that a member may be, to be listed in messages about a table. */
  cellChoices(member: string | undefined, definition: FieldDefinition, names: ChoiceNames): readonly string[];
  /** What a value must be, for readers of a table: "a whole number". */
  readonly cellKind: string | undefined;

  /** The module of Islandora that the type comes from; `core` for none. */
  readonly module: string;
  /** The kind of form element that a field is filled in with. */
  readonly widget: string;
  /** Returns the settings of a field of one bundle, as `/entity/field_config` answers them. */
  fieldSettings(definition: FieldDefinition): JsonObject;
  /** The settings of all fields of one name, as `/entity/field_storage_config` answers them, beside the common ones. */
  readonly storageSettings: JsonObject;
}

/** A member that takes certain texts only. */
export interface Choices {
  readonly member: string;
  readonly values: readonly string[];
}

/** Names of the repository that a member may be. */
export interface ChoiceNames {
  readonly languages: readonly string[];
  readonly textFormats: readonly string[];
}

/** One value of a cell. */
export type CellRead = { readonly raw: JsonObject } | CellFault;

/** The field types of a repository by name. */
export class FieldTypes extends Map<string, FieldType> {
  /** A plain object is found faster than an entry of a map, and each item of each field asks. */
  readonly #byName: Readonly<Record<string, FieldType>>;

  constructor(types: Readonly<Record<string, FieldType>>) {
    super(Object.entries(types));
    this.#byName = { ...types };
  }

  /** Returns the type of a field. The model has only fields of known types. */
  of({ type }: Pick<FieldDefinition, 'type'>): FieldType {
    const found = this.#byName[type];
    if (found === undefined) throw new RangeError(`There is no field type "${type}".`);
    return found;
  }
}
