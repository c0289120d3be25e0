import { Kind, type TSchema, type TUnsafe, TypeRegistry, Type as t } from '@sinclair/typebox';
import type { JsonObject } from '../base/json.ts';
import type { Call } from './call.ts';
import { type NamedShape, shape } from './openapi/components.ts';

const LENIENT = 'LenientBody';
// What a lenient schema reads is valid: reading rejects everything else.
TypeRegistry.Set(LENIENT, () => true);

interface LenientBody extends TSchema {
  /** The schema that the description of the API shows. */
  readonly shown: TSchema;
  readonly read: (body: JsonObject, call: Call) => unknown;
}

/**
 * Creates the schema of a body that may look different from the value it stands for (decisions: lenient in what a write
 * may look like). `read` returns that value, before Elysia validates, and throws for any body that has none. Not a
 * TypeBox transform: Elysia never decodes an empty object, and errors of a transform have no status.
 */
export function lenientBody<T>(name: NamedShape, read: (body: JsonObject, call: Call) => T): TUnsafe<T> {
  return t.Unsafe<T>({ [Kind]: LENIENT, shown: shape(name), read });
}

/** Reads a JSON body by the schema of its route. A body that is not lenient is returned as it is, for Elysia to validate. */
export function readLenient(schema: TSchema | undefined, body: JsonObject, call: Call): unknown {
  return isLenient(schema) ? schema.read(body, call) : body;
}

/** Returns true for a schema of `lenientBody`. */
export function isLenient(schema: TSchema | undefined): schema is LenientBody {
  return schema?.[Kind] === LENIENT;
}
