import { unprocessable } from '../../base/errors.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import type { FieldTypes } from '../../field-types/field-type.ts';
import { parseItems } from '../../field-types/parse-items.ts';
import type { Bundle, Item } from '../../model/content-model.ts';
import type { ContentType } from '../../repository/access-rule.ts';
import type { SubmittedValues } from '../../repository/content/fill/check-values.ts';
import { type ContentKind, definitionOf } from '../../repository/content/kinds.ts';
import { clip, lenientBody, unknownField } from '../../web/lenient-body.ts';
import { CONTENT_SCHEMAS } from './content-schemas.ts';

/** The body of a write of content: its bundle, and the items of each field. */
export interface ContentBody {
  readonly bundle: Bundle;
  readonly values: SubmittedValues;
}

/**
 * Creates the schema of the body of a write. It checks the bundle and the names of fields. The field types check the items
 * later, when their references are resolved (`FieldType.violations`). A change keeps the bundle of its content, whichever
 * valid one the body names (spec: rest-behaviour, 1.5).
 */
export function contentBody(type: ContentType, write: 'create' | 'change') {
  return lenientBody(CONTENT_SCHEMAS[type][write], (body, { api, content }): ContentBody => {
    const kind = api.kinds[type];
    const named = parseBundle(kind, body);
    const bundle = content?.bundle ?? named;
    return { bundle, values: parseFields(kind, bundle, body, api.services.fields.types) };
  });
}

/** Returns the bundle that a body names. Throws `unprocessable` if it is missing or unknown. */
export function parseBundle(kind: ContentKind, body: JsonObject): Bundle {
  const member = kind.bundleMember;
  const raw = Object.hasOwn(body, member) ? body[member] : undefined;
  const first = Array.isArray(raw) ? raw[0] : raw;
  const name = typeof first === 'object' && first !== null && !Array.isArray(first) ? first.target_id : first;
  if (name === undefined || name === null || name === '')
    throw unprocessable(`Could not determine entity type bundle: "${member}" field is missing.`);
  // A list or an object may be nested too deeply to be shown.
  const shown = typeof name === 'object' ? typeof name : String(name);
  const bundle = typeof name === 'object' ? undefined : kind.bundles.get(shown);
  if (bundle === undefined) throw unprocessable(`"${clip(shown)}" is not a valid bundle type for denormalization.`);
  return bundle;
}

/** Maximum number of values in a body: checks of more would delay other requests. */
const MAX_VALUES = 10_000;

/** Returns the fields of a body as items. Throws `unprocessable` for a field that the bundle does not have. */
function parseFields(kind: ContentKind, bundle: Bundle, body: JsonObject, types: FieldTypes): SubmittedValues {
  const values = new Map<string, Item[]>();
  let count = 0;
  for (const [name, raw] of Object.entries(body)) {
    const definition = definitionOf({ kind, bundle }, name);
    if (definition === undefined)
      throw unknownField(name, [...kind.baseFieldNamed.keys(), ...bundle.fieldNamed.keys()]);
    if (name === kind.bundleMember) continue;
    count += Array.isArray(raw) ? raw.length : 1;
    if (count > MAX_VALUES)
      throw unprocessable(`The field "${name}" is too large: with it the body holds more than ${MAX_VALUES} values.`);
    refuseForeignUuid(definition.name, definition.targetType, raw as JsonValue);
    values.set(name, parseItems(raw as JsonValue, definition, types));
  }
  return values;
}

/** Throws `unprocessable` for a UUID with the wrong target type, which matters only without an id (decision 90). */
function refuseForeignUuid(name: string, targetType: string | undefined, raw: JsonValue): void {
  if (targetType === undefined || !Array.isArray(raw)) return;
  for (const [delta, item] of raw.entries()) {
    if (typeof item !== 'object' || item === null || Array.isArray(item) || item.target_uuid === undefined) continue;
    if (item.target_id !== undefined) continue;
    if (item.target_uuid === '') throw unprocessable(`If provided "target_uuid" cannot be empty for field "${delta}".`);
    if (item.target_type !== undefined && item.target_type !== targetType)
      throw unprocessable(`The field "${name}" property "target_type" must be set to "${targetType}" or omitted.`);
  }
}
