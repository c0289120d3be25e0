import type { Static } from '@sinclair/typebox';
import { hash } from 'bun';
import { nameOf } from '../base/check-shape.ts';
import type { ConfigReader } from '../base/config-reader.ts';
import { configUuid } from './config-uuid.ts';
import type {
  Bundle,
  ConfigType,
  EntityType,
  FieldDefinition,
  NodeType,
  ParagraphType,
  Vocabulary,
} from './content-model.ts';
import type { DefaultTerm } from './default-term.ts';
import type { FieldScope } from './field-facts.ts';
import { NodeTypeSchema, ParagraphTypeSchema, VocabularySchema } from './model-schema.ts';
import { parseField } from './parse-field.ts';
import { parseDisplay, parseForm } from './parse-field-groups.ts';
import { parseTerms } from './parse-terms.ts';

/** The common settings of bundles in a model file. */
export interface BundleFile {
  label?: string;
  new_revision?: boolean;
  fields?: Record<string, unknown>;
  form?: unknown;
  display?: unknown;
}

type BundledType = Exclude<EntityType, 'file'>;

const CONFIG_TYPE_OF: Readonly<Record<BundledType, ConfigType | 'user'>> = {
  node: 'node_type',
  media: 'media_type',
  taxonomy_term: 'taxonomy_vocabulary',
  paragraph: 'paragraphs_type',
  user: 'user',
};

/** Reads the common settings of a bundle, and its fields at `fieldsPath`. */
export function parseBundle<Type extends BundledType>(
  reader: ConfigReader,
  scope: FieldScope,
  entityType: Type,
  name: string,
  file: BundleFile,
  fieldsPath: string[],
): Bundle & { entityType: Type } {
  const parsed = reader.eachNamed(file.fields, fieldsPath, (field, value, at) =>
    parseField(reader, scope, entityType, field, value, at),
  );
  const fields = [...parsed.values()]
    .filter((field) => field !== undefined)
    .toSorted((a, b) => compareFieldNames(a.name, b.name));
  const fieldNamed = new Map(fields.map((field) => [field.name, field]));
  const path = fieldsPath.slice(0, -1);
  return {
    entityType,
    name,
    label: file.label ?? name,
    uuid: configUuid(CONFIG_TYPE_OF[entityType], name),
    fields,
    fieldNamed,
    layout: bundleLayout(fields),
    // As in Drupal, terms, paragraphs and users keep no history by default.
    newRevision: file.new_revision ?? (entityType === 'node' || entityType === 'media'),
    form: parseForm(reader, { entityType, fieldNamed }, file.form, [...path, 'form']),
    display: parseDisplay(reader, { entityType, fieldNamed }, file.display, [...path, 'display']),
  };
}

export function parseNodeType(
  reader: ConfigReader,
  scope: FieldScope,
  name: string,
  value: unknown,
  path: string[],
): NodeType {
  const file: Partial<Static<typeof NodeTypeSchema>> = reader.map(NodeTypeSchema, value, path);
  return {
    ...parseBundle(reader, scope, 'node', name, file as BundleFile, [...path, 'fields']),
    promote: file.promote ?? false,
    displaySubmitted: file.display_submitted ?? false,
  };
}

export function parseParagraphType(
  reader: ConfigReader,
  scope: FieldScope,
  name: string,
  value: unknown,
  path: string[],
): ParagraphType {
  const file = reader.map(ParagraphTypeSchema, value, path) as BundleFile;
  return parseBundle(reader, scope, 'paragraph', name, file, [...path, 'fields']);
}

/** Reports that a bundle lacks a field: at the line that removes the field, or at `path`, which names it. */
export function reportMissingField(
  reader: ConfigReader,
  bundle: Bundle,
  name: string,
  path: readonly string[],
  fieldPath: readonly string[],
): void {
  if (reader.hasProblem(fieldPath)) return;
  if (reader.isRemoved(fieldPath)) {
    reader.report(fieldPath, `${nameOf(fieldPath)} cannot be removed: ${nameOf(path)} refers to it`);
  } else reader.reportUnknown(path, 'field', name, bundle.fieldNamed.keys());
}

const STORAGE_SETTINGS = [
  ['type', 'type'],
  ['cardinality', 'cardinality'],
  ['targetType', 'target_type'],
] as const;

/**
 * Reports fields whose storage settings differ between bundles of an entity type: the API shows them once per entity
 * type (`/entity/field_storage_config/node.field_x`).
 */
export function checkSharedStorage(reader: ConfigReader, bundles: Iterable<Bundle>, key: string): void {
  const first = new Map<string, { bundle: string; field: FieldDefinition }>();
  for (const bundle of bundles) {
    for (const field of bundle.fields) {
      const earlier = first.get(field.name);
      if (earlier === undefined) first.set(field.name, { bundle: bundle.name, field });
      for (const [member, setting] of earlier === undefined ? [] : STORAGE_SETTINGS) {
        if (earlier === undefined || earlier.field[member] === field[member]) continue;
        const [here, there] = [bundle.name, earlier.bundle].map((name) => [key, name, 'fields', field.name, setting]);
        if (here === undefined || there === undefined) continue;
        // The report names the user's definition, which the user can correct.
        const [at, other] = reader.isBuiltIn(here) && !reader.isBuiltIn(there) ? [there, here] : [here, there];
        const [actual, expected] = at === here ? [field, earlier.field] : [earlier.field, field];
        reader.report(
          at,
          `${nameOf(at)} must be the same in every bundle: ${show(expected[member])} in ${other[1]}, found ${show(actual[member])}`,
        );
        break;
      }
    }
  }
}

function show(value: string | number | undefined): string {
  return value === -1 ? 'unlimited' : String(value ?? 'none');
}

/**
 * Returns a 32-bit hash of the facts on which stored values depend: the names, types, targets and order of the fields.
 * Labels, limits and defaults may change without touching stored values.
 */
function bundleLayout(fields: readonly FieldDefinition[]): number {
  return hash.xxHash32(fields.map(({ name, type, targetType }) => `${name}:${type}:${targetType ?? ''}`).join('\n'));
}

/**
 * Compares field names in the order of the API: in upper case, so that `_` follows the letters and a name precedes its
 * extensions (spec: rest-behaviour, 3.1).
 */
function compareFieldNames(a: string, b: string): number {
  const [left, right] = [a.toUpperCase(), b.toUpperCase()];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

const URI_FIELD_TYPES = { field_external_uri: 'link', field_authority_link: 'authority_link' } as const;

/** Reads a vocabulary, and its initial terms from `terms`. */
export function parseVocabulary(
  reader: ConfigReader,
  scope: FieldScope,
  name: string,
  value: unknown,
  path: string[],
  terms: Readonly<Record<string, unknown>>,
): Vocabulary {
  const file: Partial<Static<typeof VocabularySchema>> = reader.map(VocabularySchema, value, path);
  const bundle = parseBundle(reader, scope, 'taxonomy_term', name, file as BundleFile, [...path, 'fields']);
  const uriField = file.uri_field as Vocabulary['uriField'];
  if (uriField !== undefined) checkUriField(uriField);
  const readTerms = Object.hasOwn(terms, name)
    ? parseTerms(reader, { ...bundle, uriField }, terms[name], ['terms', name])
    : (): DefaultTerm[] => [];
  return {
    ...bundle,
    noun: file.noun ?? bundle.label.toLowerCase(),
    uriField,
    get terms() {
      return readTerms();
    },
  };

  function checkUriField(fieldName: keyof typeof URI_FIELD_TYPES): void {
    const at = [...path, 'uri_field'];
    const fieldPath = [...path, 'fields', fieldName];
    const type = bundle.fieldNamed.get(fieldName)?.type;
    if (type === undefined) reportMissingField(reader, bundle, fieldName, at, fieldPath);
    else if (type !== URI_FIELD_TYPES[fieldName]) {
      const typePath = [...fieldPath, 'type'];
      const needed = URI_FIELD_TYPES[fieldName];
      reader.report(typePath, `${nameOf(typePath)} must be ${needed}, as it is the uri_field, found ${type}`);
    }
  }
}
