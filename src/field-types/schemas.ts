import { type TProperties, type TSchema, Type as t } from '@sinclair/typebox';
import { CONFIG_TYPES, type FieldDefinition, type TargetType } from '../model/content-model.ts';
import type { InputSchema, NamedSchema } from './field-type.ts';

export const text = t.String();
export const textOrNull = t.Union([t.String(), t.Null()]);
export const integerOrNull = t.Union([t.Integer(), t.Null()]);

/** A value of any scalar type, as writes may send it. */
export const anyScalar = t.Unsafe({ type: ['string', 'number', 'boolean', 'null'] });
/** The id or UUID of a target as writes may send it: `""`, null and false name none. */
export const anyId = t.Unsafe({ type: ['string', 'integer', 'boolean', 'null'] });
export const UUID_PATTERN = '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$';

/** A map of settings without a schema of its own. */
export const freeMap = t.Union([t.Array(t.Unknown(), { maxItems: 0 }), t.Record(t.String(), t.Unknown())], {
  description: 'An empty map is an empty list.',
});

/** Returns an object with these members and no other. */
export function closed(properties: TProperties, options: { title?: string; description?: string } = {}) {
  return t.Object(properties, { ...options, additionalProperties: false });
}

/** Returns the schema of one of these texts. */
export function oneOf(values: readonly string[]): TSchema {
  return t.Unsafe<string>({ type: 'string', enum: [...values] });
}

/** Makes the `answer` of a type whose items have the same members in every field. */
export function answered(name: string, members: TProperties): () => NamedSchema {
  const named = { name, schema: closed(members) };
  return () => named;
}

/** Makes the `answer` of a reference with members beside those of its target. */
export function answeredReference(suffix: string, own: TProperties = {}): (definition: FieldDefinition) => NamedSchema {
  return ({ targetType = 'node' }) => ({
    name: pascal(targetType) + suffix,
    schema: closed({ ...targetMembers(targetType), ...own }),
  });
}

/** The schema of an item as writes send it, whose members may be any scalars. */
export function scalars(name: string, members: readonly string[]): InputSchema {
  return { name, members: Object.fromEntries(members.map((member) => [member, anyScalar])) };
}

/** The schema of a reference as writes send it. */
export function referenceInput(name: string, own: readonly string[] = []): InputSchema {
  const target = { target_id: anyId, target_uuid: anyId, target_type: t.Unknown() };
  return { name, members: { ...target, ...scalars(name, own).members } };
}

/** Returns a machine name as names of schemas are written: `islandora_object` as `IslandoraObject`. */
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
      ? t.String({ format: 'uri', description: 'Where the bytes are fetched.' })
      : t.String({ format: 'uri-reference', description: 'The path of the target.' });
  return { ...known, url };
}
