import type { FieldTypeName } from './content-model.ts';

/** Settings that every field has. */
const COMMON = ['label', 'type', 'cardinality', 'required', 'translatable', 'default_value'];

const TEXT = ['max_length'];
const NUMBER = ['min', 'max'];
const REFERENCE = ['target_type', 'target_bundles', 'auto_create', 'auto_create_bundle'];
const UPLOAD = ['file_extensions', 'uri_scheme', 'file_directory', 'max_file_bytes'];

/** The settings of each type beside those that every field has. */
const OWN_SETTINGS: Readonly<Partial<Record<FieldTypeName, readonly string[]>>> = {
  string: TEXT,
  text: TEXT,
  edtf: TEXT,
  email: TEXT,
  uri: TEXT,
  textfield_attr: TEXT,
  list_string: ['allowed_values', ...TEXT],
  integer: ['size', 'unsigned', ...NUMBER],
  decimal: ['unsigned', ...NUMBER],
  float: ['unsigned', ...NUMBER],
  entity_reference: REFERENCE,
  entity_reference_revisions: ['target_type', 'target_bundles'],
  config_reference: ['target_type'],
  typed_relation: [...REFERENCE, 'rel_types'],
  link: ['link_type'],
  authority_link: ['link_type', 'authority_sources'],
  file: UPLOAD,
  media_track: UPLOAD,
  image: [...UPLOAD, 'alt_field_required', 'must_be_image'],
};

/** Without these a field of the type makes no sense. */
const NEEDED_SETTINGS: Readonly<Partial<Record<FieldTypeName, readonly string[]>>> = {
  entity_reference: ['target_type'],
  entity_reference_revisions: ['target_type'],
  config_reference: ['target_type'],
  typed_relation: ['target_type', 'rel_types'],
  authority_link: ['authority_sources'],
  list_string: ['allowed_values'],
  file: ['file_extensions'],
  image: ['file_extensions'],
  media_track: ['file_extensions'],
};

/** The repository fills these by itself, on fields of its own. */
const NOT_CONFIGURABLE: ReadonlySet<FieldTypeName> = new Set(['created', 'changed', 'uuid', 'path']);

/** Whether a configured field may be of the type. */
export function isConfigurable(type: FieldTypeName): boolean {
  return !NOT_CONFIGURABLE.has(type);
}

/** Which of the settings have no meaning for the type, each with the types that it is for. */
export function strangeSettings(type: FieldTypeName, given: Iterable<string>): { setting: string; isFor: string[] }[] {
  const known = new Set([...COMMON, ...(OWN_SETTINGS[type] ?? [])]);
  return [...given]
    .filter((setting) => !known.has(setting))
    .map((setting) => ({
      setting,
      isFor: Object.entries(OWN_SETTINGS).flatMap(([name, settings]) => (settings.includes(setting) ? name : [])),
    }));
}

/** Which settings the type cannot do without. */
export function neededSettings(type: FieldTypeName): readonly string[] {
  return NEEDED_SETTINGS[type] ?? [];
}
