import { Kind, type TSchema, type TUnsafe, TypeRegistry, Type as t } from '@sinclair/typebox';
import { type ServiceError, unprocessable } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import { nearest } from '../base/nearest.ts';
import { validationFailed } from '../repository/errors.ts';
import type { Call } from './call.ts';

const LENIENT = 'LenientBody';
const MAX_SHOWN_CHARS = 100;
// `read` has rejected every invalid body.
TypeRegistry.Set(LENIENT, () => true);

interface LenientBody extends TSchema {
  /** The schema in the document. */
  readonly shown: TSchema;
  readonly read: (body: JsonObject, call: Call) => unknown;
}

/**
 * Creates the schema of a body with several accepted forms (decision 90). `read`
 * parses it before Elysia validates, and throws for an invalid one. Not a TypeBox transform: Elysia never decodes an
 * empty object, and errors of a transform have no status.
 */
export function lenientBody<T>(shown: TSchema, read: (body: JsonObject, call: Call) => T): TUnsafe<T> {
  return t.Unsafe<T>({ [Kind]: LENIENT, shown, read });
}

/** Reads a JSON body by the schema of its route. Returns a body that is not lenient unchanged, for Elysia to validate. */
export function readLenient(schema: TSchema | undefined, body: JsonObject, call: Call): unknown {
  return isLenient(schema) ? schema.read(body, call) : body;
}

/** Returns true for a schema of `lenientBody`. */
export function isLenient(schema: TSchema | undefined): schema is LenientBody {
  return schema?.[Kind] === LENIENT;
}

/** Returns the schema of a member in a write: a list of items. Looser forms are accepted, too (decision 98). */
export function valueInput(description: string, value: TSchema = t.String()): TSchema {
  return t.Array(t.Object({ value }), { description });
}

/** Returns the error for an unknown member of a body (422), with the most similar known name. */
export function unknownField(name: string, known: readonly string[]): ServiceError {
  const guess = nearest(name, known);
  return unprocessable(`Field "${clip(name)}" is unknown.${guess ? ` Did you mean "${guess}"?` : ''}`);
}

/**
 * Returns the options of a body's schema with the members of `mustBe`, which says what each must be. The error (422) is
 * about a member that is unknown, or about all invalid ones.
 */
export function onlyMembers(mustBe: Readonly<Record<string, string>>) {
  const refuseBody = (body: object, invalid: readonly string[]): ServiceError => {
    const unknown = Object.keys(body).find((name) => !Object.hasOwn(mustBe, name));
    if (unknown !== undefined) return unknownField(unknown, Object.keys(mustBe));
    return validationFailed(
      Object.entries(mustBe)
        .filter(([name]) => invalid.includes(name))
        .map(([path, words]) => ({ path, message: `This must be ${words}.` })),
    );
  };
  return { additionalProperties: false, refuseBody } as const;
}

/** Returns the beginning of a text, for a message. */
export function clip(text: string): string {
  return text.length > MAX_SHOWN_CHARS ? `${text.slice(0, MAX_SHOWN_CHARS)}…` : text;
}
