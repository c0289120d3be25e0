import { type TProperties, type TSchema, Type as t } from '@sinclair/typebox';
import { CONFIG_TYPES, type FieldDefinition, type TargetType } from '../model/content-model.ts';
import type { FieldType, InputSchema, NamedSchema } from './field-type.ts';
import { refersToConfig } from './reference.tsx';

export const text = t.String();
export const textOrNull = t.Union([t.String(), t.Null()]);
export const integerOrNull = t.Union([t.Integer(), t.Null()]);

/** A scalar of any type in a write. */
export const anyScalar = t.Unsafe({ type: ['string', 'number', 'boolean', 'null'] });
/** The id or UUID of a target in a write. `""`, null and false mean no target. */
const anyId = t.Unsafe({ type: ['string', 'integer', 'boolean', 'null'] });
export const UUID_PATTERN = '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$';

/** A map of settings without a schema of its own. */
export const freeMap = t.Union([t.Array(t.Unknown(), { maxItems: 0 }), t.Record(t.String(), t.Unknown())], {
  description: 'An empty map is an empty list.',
});

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

/** Returns the schema of an item in a write, with members of any scalar type. */
export function scalars(name: string, members: readonly string[]): InputSchema {
  return { name, members: Object.fromEntries(members.map((member) => [member, anyScalar])) };
}

/** Returns the schema of a reference in a write. */
export function referenceInput(name: string, own: readonly string[] = []): InputSchema {
  const target = { target_id: anyId, target_uuid: anyId, target_type: t.Unknown() };
  return { name, members: { ...target, ...scalars(name, own).members } };
}

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

const NO_TEXT = t.Unsafe({ type: ['number', 'boolean', 'null'] });

/**
 * Returns the schema of a field's member in a write: a list of items, one bare item or null, with numbers as text and
 * bare scalars for main members. Other members of an item are accepted and dropped (decision 90).
 */
export function inputSchema(
  type: FieldType,
  definition: FieldDefinition,
  named: NameSchema = (_name, schema) => schema,
): TSchema {
  const { main } = type;
  const isConfig = refersToConfig(definition);
  const choices = type.choices(definition);
  const ofField = pascal(definition.name);
  let { name, members } = type.input;
  let bare: TSchema = anyScalar;
  if (isConfig) name = 'ConfigReferenceInput';
  if (choices !== undefined) {
    const choice = t.Union([named(`${ofField}Choice`, oneOf([...choices.values, ''])), NO_TEXT]);
    name = `${ofField}Input`;
    members = { ...members, [choices.member]: choice };
    if (choices.member === main) bare = choice;
  }
  const item = named(`${name}Item`, t.Partial(t.Object(members)));
  const scalars = main === undefined ? [t.Null()] : [bare, t.Null()];
  const bareBundle = isConfig && choices === undefined ? [t.String()] : [];
  return named(name, t.Union([t.Array(t.Union([item, ...scalars])), item, ...bareBundle, t.Null()]));
}
