import type { Static } from '@sinclair/typebox';
import type { ConfigType, EntityType, FieldDefinition, Item, TargetType } from './content-model.ts';
import type { FieldSchema } from './model-schema.ts';

/** The settings of a field as a model file has them. */
export type FieldFile = Partial<Static<typeof FieldSchema>>;

/** The names that the value of a default may have. */
export interface DefaultScope {
  readonly configNames: Readonly<Record<ConfigType, ReadonlySet<string>>>;
  readonly languages: readonly string[];
}

/** The kinds of values that lists compare. */
export type PropertyKind = 'text' | 'number' | 'boolean';

/** The part of a field type that the content model is read and checked with. */
export interface FieldFacts {
  /** The member that a bare scalar stands for; undefined where an item has no main one. */
  readonly main: string | undefined;
  /** The members one of which a default must have; empty if any members will do. */
  readonly mains: readonly string[];
  /** False for types that only the repository's own fields have. */
  readonly isConfigurable: boolean;
  /** The names of its settings in a model file, beside those that every field has. */
  readonly settings: readonly string[];
  /** The settings that a field of the type cannot do without. */
  readonly neededSettings: readonly string[];
  /** The types of entities and configuration that a field may refer to. */
  readonly targetTypes: readonly TargetType[];
  /** Returns the settings that have a default, or that follow from the type. */
  defaults(file: FieldFile): Partial<FieldDefinition>;
  /** Returns what the main member of a default must be, if it is something else. */
  expectedMain(value: unknown, definition: FieldDefinition, scope: DefaultScope): string | undefined;
  /** The scalar members of an item, as lists use them. The first is meant where a list names none. */
  readonly properties: Readonly<Record<string, PropertyKind>>;
  /** True if a value may be a web address that a Signposting link leads to. */
  readonly mayBeAddress: boolean;
  /** True if Signposting links may lead to the targets. */
  readonly isSignpost: boolean;
}

/** The entity types that stand on their own: only a reference to its revision holds a paragraph. */
export const INDEPENDENT_TYPES = ['node', 'media', 'taxonomy_term', 'file', 'user'] as const satisfies EntityType[];

/** The names that a field may refer to. */
export interface FieldScope {
  readonly fieldTypes: ReadonlyMap<string, FieldFacts>;
  /** The names of the bundles of each entity type that has any. */
  readonly bundles: Readonly<Record<EntityType, ReadonlySet<string>>>;
  readonly lists: ReadonlyMap<string, Readonly<Record<string, string>>>;
  readonly configNames: Readonly<Record<ConfigType, ReadonlySet<string>>>;
  readonly languages: readonly string[];
  /** Returns the reason why an item cannot be a default of a field. */
  refusedDefault(item: Item, definition: FieldDefinition): string | undefined;
  /** The schemes that files can be kept under; undefined where they are not known. */
  readonly schemes: ReadonlySet<string> | undefined;
}
