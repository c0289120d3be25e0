import type { JsonValue } from '../base/json.ts';
import type { AccessPreset } from './access-presets.ts';
import type { DefaultTerm } from './default-term.ts';
import type { BundleDisplay, BundleForm } from './field-groups.ts';
import type { HarvestModel } from './harvest-model.ts';
import type { ItemModels } from './item-models.ts';
import type { FieldPlacement } from './model-schema.ts';
import type { Permission, Role } from './permissions.ts';
import type { AuthenticationType, ResourceAccess } from './rest.ts';
import type { SearchModel } from './search-model.ts';
import type { SignpostingRules } from './signposting.ts';
import type { TextFormat } from './text-format.ts';

export const ENTITY_TYPES = ['node', 'media', 'taxonomy_term', 'paragraph', 'file', 'user'] as const;
export type EntityType = (typeof ENTITY_TYPES)[number];

/** Configuration that fields can refer to: bundles and roles. Their ids are machine names. */
export const CONFIG_TYPES = ['node_type', 'media_type', 'taxonomy_vocabulary', 'paragraphs_type', 'user_role'] as const;
export type ConfigType = (typeof CONFIG_TYPES)[number];

export type TargetType = EntityType | ConfigType;

/** One item of a field, as in the API and the database. */
export type Item = Record<string, JsonValue>;

/** The values of an entity's fields by machine name; an empty field is an empty list. */
export type FieldValues = Record<string, Item[]>;

/** A field of a bundle. Settings that its type lacks are undefined. */
export interface FieldDefinition {
  readonly name: string;
  readonly label: string;
  /** The name of its field type. */
  readonly type: string;
  /** The maximum number of items; -1 for no limit. */
  readonly cardinality: number;
  readonly required: boolean;
  readonly translatable: boolean;
  readonly defaultValue: readonly Item[];
  /** The maximum length of strings, in characters. */
  readonly maxLength: number | undefined;
  /** The size of integers: 32 or 64 bits. */
  readonly size: 'normal' | 'big' | undefined;
  readonly unsigned: boolean;
  readonly min: number | undefined;
  readonly max: number | undefined;
  /** The type that references point to. */
  readonly targetType: TargetType | undefined;
  /** The bundles that a reference may point to; undefined for any. */
  readonly targetBundles: readonly string[] | undefined;
  /** The types of typed relations: `relators:aut` to `Author`. */
  readonly relationTypes: Readonly<Record<string, string>> | undefined;
  /** The sources of authority links: `viaf` to its label. */
  readonly authoritySources: Readonly<Record<string, string>> | undefined;
  /** The values of lists: value to label. */
  readonly allowedValues: Readonly<Record<string, string>> | undefined;
  /** The extensions of files and images, in lower case, without the dot. */
  readonly fileExtensions: readonly string[] | undefined;
  readonly uriScheme: string | undefined;
  /** May contain tokens, such as `[date:custom:Y]-[date:custom:m]`. */
  readonly fileDirectory: string | undefined;
  readonly maxFileBytes: number | undefined;
  readonly altFieldRequired: boolean;
  /** True if the bytes of an upload for the field must be an image. */
  readonly mustBeImage: boolean;
  /** The addresses that links accept: any, or absolute ones only. */
  readonly linkType: 'any' | 'external' | undefined;
  /** True if `repo import` creates missing terms, in `autoCreateBundle` if given; a write over REST never does. */
  readonly autoCreate: boolean;
  readonly autoCreateBundle: string | undefined;
  /** Its place on pages and in manifests: among the details, as a text before them, or nowhere. */
  readonly shownAs: FieldPlacement;
}

/** A node type, media type, vocabulary or paragraph type, or the one bundle of users: a name and its fields. */
export interface Bundle {
  readonly entityType: EntityType;
  readonly name: string;
  readonly label: string;
  /** Derived from entity type and name, so the same in every installation. */
  readonly uuid: string;
  /** The configured fields in the order of the API (spec: rest-behaviour, 3.1). */
  readonly fields: readonly FieldDefinition[];
  readonly fieldNamed: ReadonlyMap<string, FieldDefinition>;
  /** Changes when a field is added, removed or redefined. Documents of another layout are converted when read. */
  readonly layout: number;
  /** True if a change creates a new revision. */
  readonly newRevision: boolean;
  readonly form: BundleForm;
  readonly display: BundleDisplay;
}

export interface NodeType extends Bundle {
  readonly entityType: 'node';
  readonly promote: boolean;
  readonly displaySubmitted: boolean;
}

/** The attributes that a media copies from its source. */
export const SOURCE_ATTRIBUTES = ['name', 'mimetype', 'filesize', 'width', 'height', 'content'] as const;
export type SourceAttribute = (typeof SOURCE_ATTRIBUTES)[number];

export interface MediaType extends Bundle {
  readonly entityType: 'media';
  readonly source: 'image' | 'audio_file' | 'video_file' | 'file' | 'remote_video';
  /** The field of the source: a file, or the address of a remote video. */
  readonly sourceField: FieldDefinition;
  /** Attribute to the field that it fills; `name` is the name of the media. */
  readonly autoFilled: ReadonlyMap<SourceAttribute, string>;
}

export interface Vocabulary extends Bundle {
  readonly entityType: 'taxonomy_term';
  /** The word of readers for one of its terms, without an article: `person`. */
  readonly noun: string;
  /** The field of a term's URI. */
  readonly uriField: 'field_external_uri' | 'field_authority_link' | undefined;
  readonly terms: readonly DefaultTerm[];
}

export interface ParagraphType extends Bundle {
  readonly entityType: 'paragraph';
}

/** Conversions of values for a graph. */
export const RDF_CALLBACKS = ['iso8601', 'edtf', 'node_url', 'thumbnail_url'] as const;
export type RdfCallback = (typeof RDF_CALLBACKS)[number];

/** The RDF mapping of a field. */
export interface RdfField {
  /** IRIs. A typed relation may have none: its role is another predicate. */
  readonly predicates: readonly string[];
  readonly callback: RdfCallback | undefined;
}

/** The RDF mapping of a bundle. */
export interface RdfMapping {
  /** IRIs, at least one. */
  readonly types: readonly string[];
  readonly fields: ReadonlyMap<string, RdfField>;
}

export interface Rdf {
  /** Prefix to namespace: `dcterms` to `http://purl.org/dc/terms/`. */
  readonly prefixes: ReadonlyMap<string, string>;
  /** By entity type and bundle. */
  readonly mappings: Readonly<Record<EntityType, ReadonlyMap<string, RdfMapping>>>;
}

/** The entity types that lists contain. */
export const VIEW_TYPES = ['node', 'media', 'taxonomy_term'] as const;
export type ViewType = (typeof VIEW_TYPES)[number];

export const VIEW_OPERATORS = ['equals', 'contains', 'starts'] as const;
export type ViewOperator = (typeof VIEW_OPERATORS)[number];

/** A property of the items of a field that a list compares, sorts by or shows. */
export interface ViewField {
  /** As configured: `title`, or `field_linked_agent.rel_type`. */
  readonly text: string;
  readonly name: string;
  readonly property: string;
  readonly type: string;
  /** Set for the property that names the target of a reference. */
  readonly targetType: TargetType | undefined;
  /** The type of its values. `id` is the id of another entity. */
  readonly kind: 'text' | 'number' | 'boolean' | 'id';
}

export interface ViewFilter {
  readonly field: ViewField;
  readonly operator: ViewOperator;
}

/** A filter with a value from the request. */
export interface ExposedFilter extends ViewFilter {
  /** The query parameter. */
  readonly parameter: string;
  /** True if the list is empty without the parameter. */
  readonly isRequired: boolean;
}

/** A filter with a configured value. */
export interface FixedFilter extends ViewFilter {
  readonly value: string | number | boolean;
}

export interface ViewOrder {
  readonly field: ViewField;
  readonly isDescending: boolean;
}

/** A configured list. */
export interface View {
  readonly name: string;
  readonly path: string;
  readonly entityType: ViewType;
  /** The bundles in the list; undefined for all. */
  readonly bundles: readonly string[] | undefined;
  readonly exposed: readonly ExposedFilter[];
  readonly fixed: readonly FixedFilter[];
  /** Equal entries follow in the order of their ids. */
  readonly order: readonly ViewOrder[];
  /** The number of entries of a page; undefined if a request without a page returns the whole list. */
  readonly pageSize: number | undefined;
  /** The fields of each entry, as texts; undefined for whole entities. */
  readonly fields: readonly ViewField[] | undefined;
  /** The permission for the list itself. Each entry needs its own permission too. */
  readonly permission: Permission | undefined;
  readonly authentication: readonly AuthenticationType[] | undefined;
}

/** The checked content model, read once from configuration. */
export interface ContentModel {
  readonly defaultLanguage: string;
  readonly languages: readonly string[];
  readonly textFormats: ReadonlyMap<string, TextFormat>;
  /** The format of texts without a format. */
  readonly fallbackFormat: string;
  readonly nodeTypes: ReadonlyMap<string, NodeType>;
  readonly mediaTypes: ReadonlyMap<string, MediaType>;
  readonly vocabularies: ReadonlyMap<string, Vocabulary>;
  /** Paragraphs belong to other content and have no page of their own. The default model has no type. */
  readonly paragraphTypes: ReadonlyMap<string, ParagraphType>;
  readonly userBundle: Bundle;
  readonly roles: ReadonlyMap<string, Role>;
  /** The access rules that editors choose by name, in order. */
  readonly accessPresets: ReadonlyMap<string, AccessPreset>;
  /** By resource name: `entity.node`, `entity.media`, `file.upload` … */
  readonly rest: ReadonlyMap<string, ResourceAccess>;
  readonly rdf: Rdf;
  /** By entity type and bundle. */
  readonly signposting: Readonly<Record<EntityType, ReadonlyMap<string, SignpostingRules>>>;
  readonly harvest: HarvestModel;
  /** The configured lists, by name. */
  readonly views: ReadonlyMap<string, View>;
  readonly search: SearchModel;
  /** The models of items: what `field_model` means. */
  readonly models: ItemModels;
  /** Changes with any other member. */
  readonly fingerprint: string;
}
