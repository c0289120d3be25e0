import { type ServiceError, unprocessable } from '../../base/errors.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { nearest } from '../../base/nearest.ts';
import type { FieldTypes } from '../../field-types/field-type.ts';
import { parseItems } from '../../field-types/parse-items.ts';
import type { Bundle, Item } from '../../model/content-model.ts';
import { definitionOf, type SubmittedValues } from '../../repository/content/check-values.ts';
import type { ContentKind } from '../../repository/content/kinds.ts';

/** The bundle that a body names. Throws `unprocessable` if it names none, or one that there is not. */
export function parseBundle(kind: ContentKind, body: JsonObject): Bundle {
  const member = kind.bundleMember;
  const raw = Object.hasOwn(body, member) ? body[member] : undefined;
  const first = Array.isArray(raw) ? raw[0] : raw;
  const name = typeof first === 'object' && first !== null && !Array.isArray(first) ? first.target_id : first;
  if (name === undefined || name === null || name === '')
    throw unprocessable(`Could not determine entity type bundle: "${member}" field is missing.`);
  // A list or an object names nothing, and may be nested deeper than it can be written out.
  const shown = typeof name === 'object' ? typeof name : String(name);
  const bundle = typeof name === 'object' ? undefined : kind.bundles.get(shown);
  if (bundle === undefined) throw unprocessable(`"${clip(shown)}" is not a valid bundle type for denormalization.`);
  return bundle;
}

/** More than any entity has, and few enough to be checked and looked up without keeping others waiting. */
const MAX_VALUES = 10_000;

/** The fields that a body sends, as items. Throws `unprocessable` for a field that the bundle does not have. */
export function parseFields(kind: ContentKind, bundle: Bundle, body: JsonObject, types: FieldTypes): SubmittedValues {
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

/** A member of a body that is none of those that there are (422), with the one that was probably meant. */
export function unknownField(name: string, known: readonly string[]): ServiceError {
  const guess = nearest(name, known);
  return unprocessable(`Field "${clip(name)}" is unknown.${guess ? ` Did you mean "${guess}"?` : ''}`);
}

/** A UUID alone is looked up by type: a wrong type beside it is a mistake, not a detail (decisions: lenient in what a write may look like). */
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

const MAX_SHOWN_CHARS = 100;

function clip(text: string): string {
  return text.length > MAX_SHOWN_CHARS ? `${text.slice(0, MAX_SHOWN_CHARS)}…` : text;
}
