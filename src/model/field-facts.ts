import type { Static } from '@sinclair/typebox';
import type { ConfigType, EntityType, FieldDefinition, Item, TargetType } from './content-model.ts';
import type { FieldSchema } from './model-schema.ts';

/** The settings of a field as a model file has them. */
export type FieldFile = Partial<Static<typeof FieldSchema>>;

/** The names that the value of a default may have. */
interface DefaultScope {
  readonly configNames: Readonly<Record<ConfigType, ReadonlySet<string>>>;
  readonly languages: readonly string[];
}

/** The types of values that lists compare. */
type PropertyKind = 'text' | 'number' | 'boolean';

/** The part of a field type with which the content model is read and checked. */
export interface FieldFacts {
  /** The member that a bare scalar sets; undefined if an item has no main member. */
  readonly main: string | undefined;
  /** A default must have one of these members; empty if it may have any. */
  readonly mains: readonly string[];
  /** False for types of base fields only. */
  readonly isConfigurable: boolean;
  /** The names of its settings in a model file, besides the common ones. */
  readonly settings: readonly string[];
  /** The required settings. */
  readonly neededSettings: readonly string[];
  /** The types of entities and configuration that a field may refer to. */
  readonly targetTypes: readonly TargetType[];
  /** Returns settings with a default, and those that follow from the type. */
  defaults(file: FieldFile): Partial<FieldDefinition>;
  /** Returns the expected value of the main member of a default; undefined if it is valid. */
  expectedMain(value: unknown, definition: FieldDefinition, scope: DefaultScope): string | undefined;
  /** The scalar members of an item, for lists. The first is the default. */
  readonly properties: Readonly<Record<string, PropertyKind>>;
  /** True if a value may be the web address of a Signposting link. */
  readonly mayBeAddress: boolean;
  /** True if a value has years (`FieldType.years`). */
  readonly hasYears: boolean;
  /** True if Signposting links may point to the targets. */
  readonly isSignpost: boolean;
}

/** All entity types except paragraphs, which only a reference to their revision can hold. */
export const INDEPENDENT_TYPES = ['node', 'media', 'taxonomy_term', 'file', 'user'] as const satisfies EntityType[];

/** The names to which a field may refer. */
export interface FieldScope {
  readonly fieldTypes: ReadonlyMap<string, FieldFacts>;
  /** The names of the bundles of each entity type. */
  readonly bundles: Readonly<Record<EntityType, ReadonlySet<string>>>;
  readonly lists: ReadonlyMap<string, Readonly<Record<string, string>>>;
  readonly configNames: Readonly<Record<ConfigType, ReadonlySet<string>>>;
  readonly languages: readonly string[];
  /** Returns the reason why an item cannot be a default of a field. */
  refusedDefault(item: Item, definition: FieldDefinition): string | undefined;
  /** The configured storage schemes; undefined if unknown. */
  readonly schemes: ReadonlySet<string> | undefined;
}
