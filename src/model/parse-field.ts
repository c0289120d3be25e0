import { nameOf } from '../base/check-shape.ts';
import type { ConfigReader } from '../base/config-reader.ts';
import { BASE_FIELD_NAMES } from './base-field-names.ts';
import { ENTITY_TYPES, type EntityType, type FieldDefinition } from './content-model.ts';
import { checkDefaultValue } from './default-value.ts';
import { defineField } from './define-field.ts';
import type { FieldFacts, FieldFile, FieldScope } from './field-facts.ts';
import { FieldSchema } from './model-schema.ts';

/** The settings that every field has. */
const COMMON = ['label', 'type', 'cardinality', 'required', 'translatable', 'default_value', 'shown_as'];

type Labels = Readonly<Record<string, string>>;

/** The top-level key of the bundles of an entity type. */
const BUNDLE_KEYS: Readonly<Partial<Record<EntityType, string>>> = {
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

/** Reads a field of a bundle. Reports an unknown type and returns undefined. */
export function parseField(
  reader: ConfigReader,
  scope: FieldScope,
  entityType: EntityType,
  name: string,
  value: unknown,
  path: string[],
): FieldDefinition | undefined {
  if (BASE_FIELD_NAMES[entityType].has(name)) {
    reader.report(path, `${nameOf(path)}: every ${entityType} has a field ${name} already; choose another name`);
  }
  // Values are members of objects, which have these names without a value.
  if (name in Object.prototype)
    reader.report(path, `${nameOf(path)}: the name ${name} is reserved; choose another name`);
  const file = reader.map(FieldSchema, value, path);
  if (file.type === undefined) return undefined;
  const { type } = file;
  const facts = scope.fieldTypes.get(type);
  if (facts === undefined || !facts.isConfigurable) {
    const known = [...scope.fieldTypes].flatMap(([each, { isConfigurable }]) => (isConfigurable ? each : []));
    reader.reportUnknown([...path, 'type'], 'field type', type, known);
    return undefined;
  }
  checkSettings(reader, scope, type, facts, file, value, path);
  const defaults = facts.defaults(file);
  const definition = defineField(name, file.label ?? name, type, {
    cardinality: file.cardinality === 'unlimited' ? -1 : (file.cardinality ?? 1),
    required: file.required ?? false,
    translatable: file.translatable ?? false,
    maxLength: file.max_length,
    unsigned: file.unsigned ?? false,
    min: file.min,
    max: file.max,
    ...(defaults.targetType === undefined && readTarget(reader, scope, entityType, facts, file, path)),
    relationTypes: readLabels(reader, scope, file.rel_types, [...path, 'rel_types']),
    authoritySources: readSources(reader, scope, file.authority_sources, [...path, 'authority_sources']),
    allowedValues: readLabels(reader, scope, file.allowed_values, [...path, 'allowed_values']),
    fileExtensions: file.file_extensions,
    maxFileBytes: file.max_file_bytes,
    altFieldRequired: file.alt_field_required ?? false,
    mustBeImage: file.must_be_image ?? false,
    autoCreate: file.auto_create ?? false,
    autoCreateBundle: file.auto_create_bundle,
    shownAs: file.shown_as ?? 'row',
    ...defaults,
  });
  const { uriScheme } = definition;
  if (uriScheme !== undefined && scope.schemes?.has(uriScheme) === false)
    reader.reportUnknown([...path, 'uri_scheme'], 'scheme', uriScheme, scope.schemes);
  const at = [...path, 'default_value'];
  if (definition.targetType === 'paragraph' && file.default_value !== undefined) {
    reader.report(at, `${nameOf(at)}: a paragraph belongs to one entity and cannot be a default; leave this out`);
    return definition;
  }
  return { ...definition, defaultValue: checkDefaultValue(reader, scope, definition, file.default_value ?? [], at) };
}

function checkSettings(
  reader: ConfigReader,
  { fieldTypes }: FieldScope,
  type: string,
  { settings, neededSettings }: FieldFacts,
  file: FieldFile,
  value: unknown,
  path: string[],
): void {
  for (const setting of Object.keys(file)) {
    if (COMMON.includes(setting) || settings.includes(setting)) continue;
    const at = [...path, setting];
    const isFor = [...fieldTypes].flatMap(([name, known]) => (known.settings.includes(setting) ? name : []));
    reader.report(at, `${nameOf(at)} means nothing for a ${type} field; it is for ${isFor.join(', ')}`);
  }
  for (const setting of neededSettings) {
    // An invalid value is already reported.
    if (Object.hasOwn(value as object, setting)) continue;
    const at = [...path, setting];
    reader.report(
      at,
      `${nameOf(at)} is missing; a field of type ${type} needs ${FieldSchema.properties[setting as 'label'].description}`,
    );
  }
  if (file.min !== undefined && file.max !== undefined && file.min > file.max) {
    reader.report([...path, 'max'], `${nameOf([...path, 'max'])} must be at least min, ${file.min}, found ${file.max}`);
  }
  if (file.unsigned && file.min !== undefined && file.min < 0) {
    reader.report(
      [...path, 'min'],
      `${nameOf([...path, 'min'])} must be at least 0, as unsigned is true, found ${file.min}`,
    );
  }
  const directory = file.file_directory;
  if (directory !== undefined && (directory.split('/').includes('..') || /^\/|[\\\p{Cc}]/u.test(directory))) {
    const at = [...path, 'file_directory'];
    reader.report(at, `${nameOf(at)} must be a relative folder without "..", found "${directory}"`);
  }
}

function readTarget(
  reader: ConfigReader,
  scope: FieldScope,
  entityType: EntityType,
  { targetTypes }: FieldFacts,
  file: FieldFile,
  path: string[],
): Pick<FieldDefinition, 'targetType' | 'targetBundles'> {
  if (file.target_type === undefined) return { targetType: undefined, targetBundles: undefined };
  const possible = entityType === 'user' ? targetTypes.filter((each) => each !== 'paragraph') : targetTypes;
  const targetType = possible.find((known) => known === file.target_type);
  if (targetType === undefined) {
    reader.reportUnknown([...path, 'target_type'], 'target type', file.target_type, possible);
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
    if (key === undefined) reader.report(at, `${nameOf(at)}: a ${targetType} has no bundles; leave this out`);
    else if (!bundles.has(bundle)) reader.reportUnknown(at, word, bundle, bundles, key);
  }
  if (file.target_bundles && file.auto_create_bundle && !file.target_bundles.includes(file.auto_create_bundle)) {
    const at = [...path, 'auto_create_bundle'];
    reader.report(at, `${nameOf(at)} must be one of target_bundles, found "${file.auto_create_bundle}"`);
  }
  return { targetType, targetBundles: file.target_bundles };
}

function readLabels(
  reader: ConfigReader,
  scope: FieldScope,
  value: string | Labels | undefined,
  path: string[],
): Labels | undefined {
  if (typeof value !== 'string') return value;
  const list = scope.lists.get(value);
  if (list === undefined) reader.reportUnknown(path, 'list', value, scope.lists.keys(), 'lists');
  return list;
}

function readSources(
  reader: ConfigReader,
  scope: FieldScope,
  names: readonly string[] | undefined,
  path: string[],
): Labels | undefined {
  if (names === undefined) return undefined;
  const known = scope.lists.get('authority_sources') ?? {};
  const sources: Record<string, string> = {};
  for (const [index, name] of Object.entries(names)) {
    const label = Object.hasOwn(known, name) ? known[name] : undefined;
    if (label === undefined) reader.reportUnknown([...path, index], 'authority source', name, Object.keys(known));
    else sources[name] = label;
  }
  return sources;
}
