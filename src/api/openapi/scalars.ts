import { type TSchema, Type as t } from '@sinclair/typebox';

/** Returns a schema that may be null, too. */
export function orNull(schema: TSchema): TSchema {
  return t.Union([schema, t.Null()]);
}

/** The id of an entity in a path. */
export function entityId(what: string): TSchema {
  return t.Integer({ minimum: 1, description: what });
}
