import { type TProperties, type TSchema, Type as t } from '@sinclair/typebox';

/** Small shapes that the others are made of. */

export const text = t.String();
export const textOrNull = orNull(t.String());
export const integerOrNull = orNull(t.Integer());

export function orNull(schema: TSchema): TSchema {
  return t.Union([schema, t.Null()]);
}

/** One of these texts. */
export function oneOf(values: readonly string[]): TSchema {
  return t.Unsafe<string>({ type: 'string', enum: [...values] });
}

/** An object with these members and no other. */
export function closed(properties: TProperties, options: { title?: string; description?: string } = {}) {
  return t.Object(properties, { ...options, additionalProperties: false });
}

/** A value of any scalar type, as writes take it. */
export const anyScalar = t.Unsafe({ type: ['string', 'number', 'boolean', 'null'] });
/** What may name a target in a write: `""`, null and false name none. */
export const anyId = t.Unsafe({ type: ['string', 'integer', 'boolean', 'null'] });

export const UUID_PATTERN = '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$';

/** The id of an entity in a path. */
export function entityId(what: string): TSchema {
  return t.Integer({ minimum: 1, description: what });
}
