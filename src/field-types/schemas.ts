import { type TObject, type TProperties, type TSchema, Type as t } from '@sinclair/typebox';
import { CONFIG_TYPES, type FieldDefinition, type TargetType } from '../model/content-model.ts';
import type { FieldType, NamedSchema } from './field-type.ts';

export const text = t.String();
export const textOrNull = t.Union([t.String(), t.Null()]);
export const integerOrNull = t.Union([t.Integer(), t.Null()]);

export const UUID_PATTERN = '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$';

/** A map of settings without a schema of its own. */
export const freeMap = t.Unknown({ description: 'A map, or an empty list instead of an empty map.' });

/** Returns the schema of an object without other members. */
export function closed(properties: TProperties, options: { title?: string; description?: string } = {}) {
  return t.Object(properties, { ...options, additionalProperties: false });
}

/** Returns the schema of a text with a fixed set of values. */
export function oneOf(values: readonly string[]): TSchema {
  return t.Unsafe<string>({ type: 'string', enum: [...values] });
}

/** Returns the `answer` of a type whose items have the same members in every field. */
export function answered(name: string, members: TProperties): () => NamedSchema {
  const named = { name, schema: closed(members) };
  return () => named;
}

/** Returns the `answer` of a reference with members in addition to those of its target. */
export function answeredReference(suffix: string, own: TProperties = {}): (definition: FieldDefinition) => NamedSchema {
  return ({ targetType = 'node' }) => ({
    name: pascal(targetType) + suffix,
    schema: closed({ ...targetMembers(targetType), ...own }),
  });
}

/** The members of a reference that a write may set. */
export const REFERENCE_MEMBERS: readonly string[] = ['target_id', 'target_uuid', 'target_type'];

/** Returns a machine name in the case of schema names: `IslandoraObject` for `islandora_object`. */
export function pascal(machineName: string): string {
  return machineName
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

function targetMembers(target: TargetType): TProperties {
  const kind = { target_type: t.Literal(target) };
  if (CONFIG_TYPES.some((type) => type === target))
    return { target_id: text, ...kind, target_uuid: t.String({ pattern: UUID_PATTERN }) };
  const known = { target_id: t.Integer(), ...kind, target_uuid: text };
  // A paragraph has no page of its own.
  if (target === 'paragraph') return known;
  const url =
    target === 'file'
      ? t.String({ format: 'uri', description: 'The address of the bytes.' })
      : t.String({ format: 'uri-reference', description: 'The path of the target.' });
  return { ...known, url };
}

/** Names a schema. An API description returns a reference to it, a validator the schema itself. */
type NameSchema = (name: string, schema: TSchema) => TSchema;

/**
 * Returns the schema of a field's member in a write: a list of items, whose members are as in an answer. Looser forms are
 * accepted, too, but not described (decision 98).
 */
export function inputSchema(
  type: FieldType,
  definition: FieldDefinition,
  answer: NamedSchema,
  named: NameSchema,
): TSchema {
  const { properties } = answer.schema as TObject;
  const members = Object.fromEntries(type.input.map((member) => [member, properties[member] ?? text]));
  const choices = type.choices(definition);
  const ofField = pascal(definition.name);
  if (choices !== undefined) {
    const choice = oneOf(choices.values);
    members[choices.member] = properties[choices.member]?.anyOf === undefined ? choice : t.Union([choice, t.Null()]);
  }
  const name = choices === undefined ? answer.name : `${ofField}Item`;
  return t.Array(named(`${name}Input`, t.Partial(t.Object(members))));
}
