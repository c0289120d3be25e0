import type { Static } from '@sinclair/typebox';
import { nameOf } from '../base/check-shape.ts';
import { BASE_FIELD_NAMES } from './base-field-names.ts';
import {
  CONFIG_TYPES,
  type ConfigType,
  ENTITY_TYPES,
  type EntityType,
  FIELD_TYPES,
  type FieldDefinition,
  type FieldTypeName,
  type Item,
  type TargetType,
} from './content-model.ts';
import { checkDefaultValue } from './default-value.ts';
import { isConfigurable, neededSettings, strangeSettings } from './field-settings.ts';
import { FieldSchema } from './model-schema.ts';
import type { Reading } from './reading.ts';

/** As in Drupal, where the setting may be left out too. */
const DEFAULT_MAX_LENGTH: Partial<Record<FieldTypeName, number>> = { string: 255, text: 255 };
const DEFAULT_FILE_DIRECTORY = '[date:custom:Y]-[date:custom:m]';
const DEFAULT_URI_SCHEME = 'public';
const UPLOAD_TYPES: ReadonlySet<FieldTypeName> = new Set(['file', 'image', 'media_track']);

/** What stands on its own. A paragraph belongs to what refers to it, which only a reference to its revision can say. */
const INDEPENDENT = ENTITY_TYPES.filter((type) => type !== 'paragraph');
const TARGET_TYPES_OF: Readonly<Partial<Record<FieldTypeName, readonly TargetType[]>>> = {
  config_reference: CONFIG_TYPES,
  entity_reference: [...INDEPENDENT, ...CONFIG_TYPES],
  entity_reference_revisions: ENTITY_TYPES,
};

type Labels = Readonly<Record<string, string>>;
type FieldFile = Partial<Static<typeof FieldSchema>>;

/** What a field may refer to by name. */
export interface FieldScope {
  /** The names of the bundles of each entity type that has any. */
  readonly bundles: Readonly<Record<EntityType, ReadonlySet<string>>>;
  readonly lists: ReadonlyMap<string, Labels>;
  readonly configNames: Readonly<Record<ConfigType, ReadonlySet<string>>>;
  readonly languages: readonly string[];
  /** Why an item cannot be a default of a field; undefined for one that can. */
  refusedDefault(item: Item, definition: FieldDefinition): string | undefined;
  /** The schemes that files can be kept under; undefined where they are not known. */
  readonly schemes: ReadonlySet<string> | undefined;
}

/** The top-level key under which the bundles of an entity type stand. */
export const BUNDLE_KEYS: Readonly<Partial<Record<EntityType, string>>> = {
  node: 'node_types',
  media: 'media_types',
  taxonomy_term: 'vocabularies',
  paragraph: 'paragraph_types',
};
const BUNDLE_WORDS: Readonly<Partial<Record<EntityType, string>>> = {
  node: 'node type',
  media: 'media type',
  taxonomy_term: 'vocabulary',
  paragraph: 'paragraph type',
};

/** Reads one field of a bundle. Answers undefined, and has reported why, where not even its type is known. */
export function parseField(
  reading: Reading,
  scope: FieldScope,
  entityType: EntityType,
  name: string,
  value: unknown,
  path: string[],
): FieldDefinition | undefined {
  if (BASE_FIELD_NAMES[entityType].has(name)) {
    reading.report(path, `${nameOf(path)}: every ${entityType} has a field ${name} already; choose another name`);
  }
  const file = reading.checkedMap(FieldSchema, value, path);
  if (file.type === undefined) return undefined;
  const type = FIELD_TYPES.find((known) => known === file.type);
  if (type === undefined || !isConfigurable(type)) {
    reading.reportUnknown([...path, 'type'], 'field type', file.type, FIELD_TYPES.filter(isConfigurable));
    return undefined;
  }
  checkSettings(reading, type, file, value, path);
  const definition: FieldDefinition = {
    name,
    label: file.label ?? name,
    type,
    cardinality: file.cardinality === 'unlimited' ? -1 : (file.cardinality ?? 1),
    required: file.required ?? false,
    translatable: file.translatable ?? false,
    defaultValue: [],
    maxLength: file.max_length ?? DEFAULT_MAX_LENGTH[type],
    size: type === 'integer' ? (file.size ?? 'normal') : undefined,
    unsigned: file.unsigned ?? false,
    min: file.min,
    max: file.max,
    ...readTarget(reading, scope, entityType, type, file, path),
    relationTypes: readLabels(reading, scope, file.rel_types, [...path, 'rel_types']),
    authoritySources: readSources(reading, scope, file.authority_sources, [...path, 'authority_sources']),
    allowedValues: readLabels(reading, scope, file.allowed_values, [...path, 'allowed_values']),
    fileExtensions: file.file_extensions,
    uriScheme: UPLOAD_TYPES.has(type) ? (file.uri_scheme ?? DEFAULT_URI_SCHEME) : undefined,
    fileDirectory: UPLOAD_TYPES.has(type) ? (file.file_directory ?? DEFAULT_FILE_DIRECTORY) : undefined,
    maxFileBytes: file.max_file_bytes,
    altFieldRequired: file.alt_field_required ?? false,
    mustBeImage: file.must_be_image ?? false,
    linkType: type === 'link' || type === 'authority_link' ? (file.link_type ?? 'any') : undefined,
    autoCreate: file.auto_create ?? false,
    autoCreateBundle: file.auto_create_bundle,
  };
  const { uriScheme } = definition;
  if (uriScheme !== undefined && scope.schemes?.has(uriScheme) === false)
    reading.reportUnknown([...path, 'uri_scheme'], 'scheme', uriScheme, scope.schemes);
  const at = [...path, 'default_value'];
  if (definition.targetType === 'paragraph' && file.default_value !== undefined) {
    reading.report(at, `${nameOf(at)}: a paragraph belongs to one thing alone and cannot be a default; leave this out`);
    return definition;
  }
  return { ...definition, defaultValue: checkDefaultValue(reading, scope, definition, file.default_value ?? [], at) };
}

function checkSettings(reading: Reading, type: FieldTypeName, file: FieldFile, value: unknown, path: string[]): void {
  for (const { setting, isFor } of strangeSettings(type, Object.keys(file))) {
    const at = [...path, setting];
    reading.report(at, `${nameOf(at)} means nothing for a ${type} field; it is for ${isFor.join(', ')}`);
  }
  for (const setting of neededSettings(type)) {
    // One that is there but wrong has been reported.
    if (Object.hasOwn(value as object, setting)) continue;
    const at = [...path, setting];
    reading.report(
      at,
      `${nameOf(at)} is missing; a field of type ${type} needs ${FieldSchema.properties[setting as 'label'].description}`,
    );
  }
  if (file.min !== undefined && file.max !== undefined && file.min > file.max) {
    reading.report(
      [...path, 'max'],
      `${nameOf([...path, 'max'])} must be at least min, ${file.min}, found ${file.max}`,
    );
  }
  if (file.unsigned && file.min !== undefined && file.min < 0) {
    reading.report(
      [...path, 'min'],
      `${nameOf([...path, 'min'])} must be at least 0, as unsigned is true, found ${file.min}`,
    );
  }
  const directory = file.file_directory;
  if (directory !== undefined && (directory.split('/').includes('..') || /^\/|[\\\p{Cc}]/u.test(directory))) {
    const at = [...path, 'file_directory'];
    reading.report(at, `${nameOf(at)} must be a relative folder without "..", found "${directory}"`);
  }
}

function readTarget(
  reading: Reading,
  scope: FieldScope,
  entityType: EntityType,
  type: FieldTypeName,
  file: FieldFile,
  path: string[],
): Pick<FieldDefinition, 'targetType' | 'targetBundles'> {
  if (UPLOAD_TYPES.has(type)) return { targetType: 'file', targetBundles: undefined };
  if (file.target_type === undefined) return { targetType: undefined, targetBundles: undefined };
  const ofType = TARGET_TYPES_OF[type] ?? INDEPENDENT;
  const possible = entityType === 'user' ? ofType.filter((each) => each !== 'paragraph') : ofType;
  const targetType = possible.find((known) => known === file.target_type);
  if (targetType === undefined) {
    reading.reportUnknown([...path, 'target_type'], 'target type', file.target_type, possible);
    return { targetType: undefined, targetBundles: undefined };
  }
  const target = ENTITY_TYPES.find((known) => known === targetType);
  const key = target && BUNDLE_KEYS[target];
  const bundles = target === undefined ? new Set<string>() : scope.bundles[target];
  const word = (target && BUNDLE_WORDS[target]) ?? 'bundle';
  const named: [string, string[]][] = (file.target_bundles ?? []).map((name, index) => [
    name,
    [...path, 'target_bundles', `${index}`],
  ]);
  if (file.auto_create_bundle !== undefined) named.push([file.auto_create_bundle, [...path, 'auto_create_bundle']]);
  for (const [bundle, at] of named) {
    if (key === undefined) reading.report(at, `${nameOf(at)}: a ${targetType} has no bundles; leave this out`);
    else if (!bundles.has(bundle)) reading.reportUnknown(at, word, bundle, bundles, key);
  }
  if (file.target_bundles && file.auto_create_bundle && !file.target_bundles.includes(file.auto_create_bundle)) {
    const at = [...path, 'auto_create_bundle'];
    reading.report(at, `${nameOf(at)} must be one of target_bundles, found "${file.auto_create_bundle}"`);
  }
  return { targetType, targetBundles: file.target_bundles };
}

function readLabels(
  reading: Reading,
  scope: FieldScope,
  value: string | Labels | undefined,
  path: string[],
): Labels | undefined {
  if (typeof value !== 'string') return value;
  const list = scope.lists.get(value);
  if (list === undefined) reading.reportUnknown(path, 'list', value, scope.lists.keys(), 'lists');
  return list;
}

function readSources(
  reading: Reading,
  scope: FieldScope,
  names: readonly string[] | undefined,
  path: string[],
): Labels | undefined {
  if (names === undefined) return undefined;
  const known = scope.lists.get('authority_sources') ?? {};
  const sources: Record<string, string> = {};
  for (const [index, name] of Object.entries(names)) {
    const label = Object.hasOwn(known, name) ? known[name] : undefined;
    if (label === undefined) reading.reportUnknown([...path, index], 'authority source', name, Object.keys(known));
    else sources[name] = label;
  }
  return sources;
}
