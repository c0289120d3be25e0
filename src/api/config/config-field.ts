import type { JsonObject } from '../../base/json.ts';
import { nonEmpty } from '../../field-types/convert-value.ts';
import { configUuid } from '../../model/config-uuid.ts';
import type { Bundle, ContentModel, EntityType, FieldDefinition } from '../../model/content-model.ts';
import { bundleReference, type ConfigSource, dependencies, referenceTo } from './config-dependencies.ts';

/** Returns a field of a bundle for `/entity/field_config/{type}.{bundle}.{field}`. */
export function fieldConfigJson(
  bundle: Bundle,
  field: FieldDefinition,
  { model, fieldTypes }: ConfigSource,
): JsonObject {
  const { entityType, name: bundleName } = bundle;
  const id = `${entityType}.${bundleName}.${field.name}`;
  const type = fieldTypes.of(field);
  return {
    uuid: configUuid('field_config', id),
    langcode: model.defaultLanguage,
    status: true,
    dependencies: dependencies(
      [`field.storage.${entityType}.${field.name}`, ownReference(bundle), ...targetReferences(field, model)],
      [type.module],
    ),
    id,
    field_name: field.name,
    entity_type: entityType,
    bundle: bundleName,
    label: field.label,
    description: '',
    required: field.required,
    translatable: field.translatable,
    default_value: [...field.defaultValue],
    default_value_callback: '',
    settings: type.fieldSettings(field),
    field_type: field.type,
  };
}

/**
 * Returns the bundle of a field. Undefined for terms: clients would take the vocabulary for a target of the field, and
 * require names with a vocabulary prefix.
 */
function ownReference(bundle: Bundle): string | undefined {
  return bundle.entityType === 'taxonomy_term' ? undefined : referenceTo(bundle);
}

/**
 * Returns the targets of a field. For any vocabulary it lists all, unlike Islandora: clients search for terms only in the
 * vocabularies that are listed here.
 */
function targetReferences({ targetType, targetBundles }: FieldDefinition, { vocabularies }: ContentModel) {
  if (targetType === undefined) return [];
  const bundles = targetBundles ?? (targetType === 'taxonomy_term' ? [...vocabularies.keys()] : []);
  return bundles.map((name) => bundleReference(targetType, name));
}

/** The modules of the entity types. */
const ENTITY_MODULES: Readonly<Record<EntityType, string>> = {
  node: 'node',
  media: 'media',
  taxonomy_term: 'taxonomy',
  paragraph: 'paragraphs',
  file: 'file',
  user: 'user',
};

/**
 * Returns the common settings of a field in all bundles of an entity type, for
 * `/entity/field_storage_config/{type}.{field}`. Undefined if no bundle has the field.
 */
export function fieldStorageJson(
  bundles: readonly Bundle[],
  fieldName: string,
  { model, fieldTypes }: ConfigSource,
): JsonObject | undefined {
  const fields = bundles.map(({ fieldNamed }) => fieldNamed.get(fieldName)).filter((field) => field !== undefined);
  const [first] = fields;
  const entityType = bundles[0]?.entityType;
  if (first === undefined || entityType === undefined) return undefined;
  const id = `${entityType}.${fieldName}`;
  const { module, storageSettings } = fieldTypes.of(first);
  return {
    uuid: configUuid('field_storage_config', id),
    langcode: model.defaultLanguage,
    status: true,
    dependencies: dependencies([], [ENTITY_MODULES[entityType], module]),
    id,
    field_name: fieldName,
    entity_type: entityType,
    type: first.type,
    settings: { ...commonSettings(first, fields), ...storageSettings },
    module,
    locked: false,
    cardinality: first.cardinality,
    translatable: fields.some(({ translatable }) => translatable),
    indexes: {},
    persist_with_no_fields: false,
    custom_storage: false,
  };
}

/** Returns the settings of the storage that bundles may override. Type, cardinality and target are the same in all. */
function commonSettings(first: FieldDefinition, fields: readonly FieldDefinition[]): JsonObject {
  const { targetType } = first;
  const uriScheme = common(fields, 'uriScheme');
  const size = common(fields, 'size');
  return {
    ...maxLength(fields),
    ...(targetType !== undefined && { target_type: targetType }),
    ...(uriScheme !== undefined && { uri_scheme: uriScheme }),
    ...(size !== undefined && { size, unsigned: fields.every(({ unsigned }) => unsigned) }),
    ...nonEmpty('allowed_values', Object.assign({}, ...fields.map(({ allowedValues }) => allowedValues))),
  };
}

/**
 * Returns the highest limit of any bundle: clients truncate values to it. A bundle with a lower limit then rejects a longer
 * value, instead of storing a truncated one.
 */
function maxLength(fields: readonly FieldDefinition[]): JsonObject {
  let longest = 0;
  for (const { maxLength } of fields) {
    if (maxLength === undefined) return {};
    longest = Math.max(longest, maxLength);
  }
  return { max_length: longest };
}

/** Returns the value that all fields share. Undefined if they differ. */
function common<Key extends keyof FieldDefinition>(
  fields: readonly FieldDefinition[],
  key: Key,
): FieldDefinition[Key] | undefined {
  const value = fields[0]?.[key];
  for (const field of fields) if (field[key] !== value) return undefined;
  return value;
}
