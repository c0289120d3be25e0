import type { TSchema } from '@sinclair/typebox';
import { inputSchema } from '../../field-types/input-schema.ts';
import type { FieldDefinition } from '../../model/content-model.ts';
import type { Components } from './components.ts';

/** Returns the schema of an item of a field as an answer holds it (spec: rest-behaviour, 3.2). */
export function itemShape(components: Components, definition: FieldDefinition): TSchema {
  const { name, schema } = components.fieldTypes.of(definition).answer(definition);
  return components.ref(name, schema);
}

/** Returns the schema of a field's member in a write. */
export function inputShape(components: Components, definition: FieldDefinition): TSchema {
  const type = components.fieldTypes.of(definition);
  return inputSchema(type, definition, (name, schema) => components.ref(name, schema));
}
