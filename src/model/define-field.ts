import type { FieldDefinition } from './content-model.ts';

/** The settings of an optional field of one value. */
const NO_SETTINGS: Omit<FieldDefinition, 'name' | 'label' | 'type'> = {
  cardinality: 1,
  required: false,
  translatable: false,
  defaultValue: [],
  maxLength: undefined,
  size: undefined,
  unsigned: false,
  min: undefined,
  max: undefined,
  targetType: undefined,
  targetBundles: undefined,
  relationTypes: undefined,
  authoritySources: undefined,
  allowedValues: undefined,
  fileExtensions: undefined,
  uriScheme: undefined,
  fileDirectory: undefined,
  maxFileBytes: undefined,
  altFieldRequired: false,
  mustBeImage: false,
  linkType: undefined,
  autoCreate: false,
  autoCreateBundle: undefined,
  shownAs: 'row',
};

/** Returns a definition with its members in a fixed order, on which the fingerprint of a model depends. */
export function defineField(
  name: string,
  label: string,
  type: string,
  settings: Partial<FieldDefinition>,
): FieldDefinition {
  return { name, label, type, ...NO_SETTINGS, ...settings };
}
