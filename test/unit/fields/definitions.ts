import type { JsonValue } from '../../../src/base/json.ts';
import { completeItems } from '../../../src/fields/complete-items.ts';
import type { FieldContext, Violation } from '../../../src/fields/field-type.ts';
import { parseItems } from '../../../src/fields/parse-items.ts';
import { validateField } from '../../../src/fields/validate-field.ts';
import type { FieldDefinition, FieldTypeName, Item } from '../../../src/model/content-model.ts';

export const CONTEXT: FieldContext = {
  isOwnPath: (path) => path === '/own',
  languages: ['en', 'und', 'zxx'],
  process: (text, format) => `<${format}>${text}`,
  textFormats: new Set(['basic_html', 'plain_text']),
};

export function define(type: FieldTypeName, settings: Partial<FieldDefinition> = {}): FieldDefinition {
  return {
    name: 'field_x',
    label: 'X',
    type,
    cardinality: -1,
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
    ...settings,
  };
}

export function parsed(raw: JsonValue, definition: FieldDefinition): Item[] {
  return parseItems([raw], definition);
}

export function answered(raw: JsonValue, definition: FieldDefinition): Item[] {
  return completeItems(parsed(raw, definition), definition, CONTEXT);
}

export function violations(raw: JsonValue, definition: FieldDefinition): Violation[] {
  return validateField(parsed(raw, definition), definition, CONTEXT);
}

/** As the lines of an answer: `field_x.0.value: what is wrong`. */
export function lines(raw: JsonValue, definition: FieldDefinition): string[] {
  return violations(raw, definition).map(({ path, message }) => `${path}: ${message}`);
}
