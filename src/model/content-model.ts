import type { JsonValue } from '../base/json.ts';
import type { AuthenticationType, ResourceAccess } from './rest.ts';
import type { SignpostingRules } from './signposting.ts';
import type { TextFormat } from './text-format.ts';

/** The kinds of entity that the repository holds. */
export const ENTITY_TYPES = ['node', 'media', 'taxonomy_term', 'paragraph', 'file', 'user'] as const;
export type EntityType = (typeof ENTITY_TYPES)[number];

/** What is configuration but can be referred to like an entity: bundles and roles. Their ids are machine names. */
export const CONFIG_TYPES = ['node_type', 'media_type', 'taxonomy_vocabulary', 'paragraphs_type', 'user_role'] as const;
export type ConfigType = (typeof CONFIG_TYPES)[number];

export type TargetType = EntityType | ConfigType;

/** One item of a field, in the form in which the API speaks it and the database keeps it. */
export type Item = Record<string, JsonValue>;

/** The values of an entity's fields by machine name; an empty field is an empty list. */
export type FieldValues = Record<string, Item[]>;

/** What is known of one field of one bundle. Settings that a type does not have are undefined. */
export interface FieldDefinition {
  readonly name: string;
  readonly label: string;
  /** The name of its field type. */
  readonly type: string;
  /** The most items it may hold; -1 for any number. */
  readonly cardinality: number;
  readonly required: boolean;
  readonly translatable: boolean;
  readonly defaultValue: readonly Item[];
  /** Characters, of strings. */
  readonly maxLength: number | undefined;
  /** Of integers: 32 bit or 64 bit. */
  readonly size: 'normal' | 'big' | undefined;
  readonly unsigned: boolean;
  readonly min: number | undefined;
  readonly max: number | undefined;
  /** Of references. */
  readonly targetType: TargetType | undefined;
  /** The bundles that a reference may point to; undefined for any. */
  readonly targetBundles: readonly string[] | undefined;
  /** Of typed relations: `relators:aut` to `Author`. */
  readonly relationTypes: Readonly<Record<string, string>> | undefined;
  /** Of authority links: `viaf` to its label. */
  readonly authoritySources: Readonly<Record<string, string>> | undefined;
  /** Of lists: value to label. */
  readonly allowedValues: Readonly<Record<string, string>> | undefined;
  /** Of files and images: lower case, without the dot. */
  readonly fileExtensions: readonly string[] | undefined;
  readonly uriScheme: string | undefined;
  /** With tokens, as `[date:custom:Y]-[date:custom:m]`. */
  readonly fileDirectory: string | undefined;
  readonly maxFileBytes: number | undefined;
  readonly altFieldRequired: boolean;
  /** True if the bytes of an upload for the field must be an image. */
  readonly mustBeImage: boolean;
  /** Of links: whether only absolute addresses will do. */
  readonly linkType: 'any' | 'external' | undefined;
  /** True if `repo import` creates missing terms, in `autoCreateBundle` if given; a write over REST never does. */
  readonly autoCreate: boolean;
  readonly autoCreateBundle: string | undefined;
}

/** A node type, media type, vocabulary or paragraph type, or the one bundle of users: a name and its fields. */
export interface Bundle {
  readonly entityType: EntityType;
  readonly name: string;
  readonly label: string;
  /** Made from entity type and name, so that it is the same in every process and every installation. */
  readonly uuid: string;
  /** The configured fields in the order of the answer (spec: rest-behaviour, 3.1). */
  readonly fields: readonly FieldDefinition[];
  readonly fieldNamed: ReadonlyMap<string, FieldDefinition>;
  /** Changes when a field is added, removed or otherwise defined: what was stored under another one is read with care. */
  readonly layout: number;
  /** Whether a change makes a new revision. */
  readonly newRevision: boolean;
}

export interface NodeType extends Bundle {
  readonly entityType: 'node';
  readonly promote: boolean;
  readonly displaySubmitted: boolean;
}

/** What a media takes over from its source file, and the field that it goes to. */
export const SOURCE_ATTRIBUTES = ['name', 'mimetype', 'filesize', 'width', 'height', 'content'] as const;
export type SourceAttribute = (typeof SOURCE_ATTRIBUTES)[number];

export interface MediaType extends Bundle {
  readonly entityType: 'media';
  readonly source: 'image' | 'audio_file' | 'video_file' | 'file' | 'remote_video';
  /** The field that holds the source: a file, or the address of a remote video. */
  readonly sourceField: FieldDefinition;
  /** Attribute of the source to the field that it fills; `name` is the media's own name. */
  readonly autoFilled: ReadonlyMap<SourceAttribute, string>;
}

/** A term that a vocabulary starts with. */
export interface DefaultTerm {
  readonly name: string;
  readonly uri: string | undefined;
  readonly description: string | undefined;
  /** The name of the term above it in the same vocabulary. */
  readonly parent: string | undefined;
  readonly code: string | undefined;
  /** Of authority links, the `source` member. */
  readonly source: string | undefined;
}

export interface Vocabulary extends Bundle {
  readonly entityType: 'taxonomy_term';
  /** The field that holds a term's URI. */
  readonly uriField: 'field_external_uri' | 'field_authority_link' | undefined;
  readonly terms: readonly DefaultTerm[];
}

export interface ParagraphType extends Bundle {
  readonly entityType: 'paragraph';
}

export interface Role {
  readonly name: string;
  readonly label: string;
  readonly uuid: string;
  /** Has every permission. */
  readonly isAdmin: boolean;
  readonly permissions: ReadonlySet<string>;
}

/** What can be made of a value before it is said in a graph. */
export const RDF_CALLBACKS = ['iso8601', 'edtf', 'node_url', 'thumbnail_url'] as const;
export type RdfCallback = (typeof RDF_CALLBACKS)[number];

/** How a field is said in RDF. */
export interface RdfField {
  /** IRIs. Of a typed relation there may be none: its role is a predicate of its own. */
  readonly predicates: readonly string[];
  readonly callback: RdfCallback | undefined;
}

/** How the entities of a bundle are said in RDF. */
export interface RdfMapping {
  /** IRIs, at least one. */
  readonly types: readonly string[];
  readonly fields: ReadonlyMap<string, RdfField>;
}

export interface Rdf {
  /** Prefix to namespace: `dcterms` to `http://purl.org/dc/terms/`. */
  readonly prefixes: ReadonlyMap<string, string>;
  /** By entity type and name of the bundle. */
  readonly mappings: Readonly<Record<EntityType, ReadonlyMap<string, RdfMapping>>>;
}

/** The kinds of entity that lists are made of. */
export const VIEW_TYPES = ['node', 'media', 'taxonomy_term'] as const;
export type ViewType = (typeof VIEW_TYPES)[number];

export const VIEW_OPERATORS = ['equals', 'contains', 'starts'] as const;
export type ViewOperator = (typeof VIEW_OPERATORS)[number];

/** What of an entity is compared, sorted by, or shown: one property of the items of a field. */
export interface ViewField {
  /** As configured: `title`, or `field_linked_agent.rel_type`. */
  readonly text: string;
  readonly name: string;
  readonly property: string;
  readonly type: string;
  /** Of the property that names the target of a reference. */
  readonly targetType: TargetType | undefined;
  /** What its values are. An id is that of another entity. */
  readonly kind: 'text' | 'number' | 'boolean' | 'id';
}

export interface ViewFilter {
  readonly field: ViewField;
  readonly operator: ViewOperator;
}

/** A filter whose value comes with the request. */
export interface ExposedFilter extends ViewFilter {
  /** The query parameter. */
  readonly parameter: string;
  /** Whether the list is empty without it. */
  readonly isRequired: boolean;
}

/** A filter that holds of every entry. */
export interface FixedFilter extends ViewFilter {
  readonly value: string | number | boolean;
}

export interface ViewOrder {
  readonly field: ViewField;
  readonly isDescending: boolean;
}

/** A list that a site has configured for itself. */
export interface View {
  readonly name: string;
  readonly path: string;
  readonly entityType: ViewType;
  /** Those that count; undefined for all. */
  readonly bundles: readonly string[] | undefined;
  readonly exposed: readonly ExposedFilter[];
  readonly fixed: readonly FixedFilter[];
  /** Entries that are the same in all of this come in the order of their ids. */
  readonly order: readonly ViewOrder[];
  /** So many entries are answered at once; undefined where the whole list is, unless a page is asked for. */
  readonly pageSize: number | undefined;
  /** What is told of each entry, as texts; undefined for whole entities. */
  readonly fields: readonly ViewField[] | undefined;
  /** What a caller needs besides what each entry needs to be seen. */
  readonly permission: string | undefined;
  readonly authentication: readonly AuthenticationType[] | undefined;
}

/** The whole content model: read once from configuration, checked, and never changed afterwards. */
export interface ContentModel {
  readonly defaultLanguage: string;
  readonly languages: readonly string[];
  readonly textFormats: ReadonlyMap<string, TextFormat>;
  /** The format of a text that names none. */
  readonly fallbackFormat: string;
  readonly nodeTypes: ReadonlyMap<string, NodeType>;
  readonly mediaTypes: ReadonlyMap<string, MediaType>;
  readonly vocabularies: ReadonlyMap<string, Vocabulary>;
  /** Of what belongs to other content and has no page of its own; there are none by default. */
  readonly paragraphTypes: ReadonlyMap<string, ParagraphType>;
  readonly userBundle: Bundle;
  readonly roles: ReadonlyMap<string, Role>;
  /** By resource name: `entity.node`, `entity.media`, `file.upload` … */
  readonly rest: ReadonlyMap<string, ResourceAccess>;
  readonly rdf: Rdf;
  /** By entity type and name of the bundle. */
  readonly signposting: Readonly<Record<EntityType, ReadonlyMap<string, SignpostingRules>>>;
  /** Lists of the site's own, by name. */
  readonly views: ReadonlyMap<string, View>;
  /** Changes when any of the above does. */
  readonly fingerprint: string;
}
