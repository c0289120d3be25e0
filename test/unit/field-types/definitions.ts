import type { JsonValue } from '../../../src/base/json.ts';
import type { Fields, Violation } from '../../../src/field-types/field-type.ts';
import { parseItems } from '../../../src/field-types/parse-items.ts';
import { type BuiltInName, builtInTypes } from '../../../src/field-types/registry.ts';
import { completeItems, validateField } from '../../../src/field-types/validate-field.ts';
import type { FieldDefinition, Item } from '../../../src/model/content-model.ts';
import { defineField } from '../../../src/model/define-field.ts';

export const CONTEXT: Fields = {
  types: builtInTypes,
  isOwnPath: (path) => path === '/own',
  languages: ['en', 'und', 'zxx'],
  process: (text, format) => `<${format}>${text}`,
  textFormats: new Set(['basic_html', 'plain_text']),
  access: { presets: new Map(), roles: new Set(['editor']), networks: new Set(['campus']) },
};

export function define(type: BuiltInName, settings: Partial<FieldDefinition> = {}): FieldDefinition {
  return defineField('field_x', 'X', type, { cardinality: -1, ...settings });
}

export function parsed(raw: JsonValue, definition: FieldDefinition): Item[] {
  return parseItems([raw], definition, builtInTypes);
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
