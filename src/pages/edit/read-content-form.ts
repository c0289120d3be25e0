import type { JsonObject } from '../../base/json.ts';
import type { Control } from '../../field-types/control.ts';
import type { Violation } from '../../field-types/field-type.ts';
import { parseItems } from '../../field-types/parse-items.ts';
import type { FieldDefinition, Item } from '../../model/content-model.ts';
import type { SubmittedValues } from '../../repository/content/fill/check-values.ts';
import type { Call } from '../../web/call.ts';
import type { EditableField } from './arrange-fields.ts';
import type { FormState, RowState } from './form-state.ts';
import type { CreatableName } from './new-term-choices.ts';
import type { NewTerms } from './new-terms.ts';
import { resolveTarget } from './resolve-target.ts';

/** The values that a form submits, and their problems. */
export interface ReadForm {
  readonly values: SubmittedValues;
  /** The form without its empty rows: violations name these rows. */
  readonly state: FormState;
  /** Problems that only a form has: a name without an entity, an incomplete value. */
  readonly violations: readonly Violation[];
  /** The rows whose name may become a new term, by `field.delta`. */
  readonly creatable: ReadonlyMap<string, CreatableName>;
}

/**
 * Reads the values of a form, as leniently as a write over REST. With `newTerms`, a name that may become a new term refers to
 * it; otherwise it is a violation.
 */
export async function readContentForm(
  call: Call,
  fields: readonly EditableField[],
  state: FormState,
  newTerms?: NewTerms,
): Promise<ReadForm> {
  const values = new Map<string, Item[]>();
  const kept = new Map(state);
  const violations: Violation[] = [];
  const creatable = new Map<string, CreatableName>();
  for (const { definition, controls } of fields) {
    const rows = state.get(definition.name);
    if (rows === undefined) continue;
    const items: Item[] = [];
    const ofField: RowState[] = [];
    for (const row of rows) {
      const at = `${definition.name}.${ofField.length}`;
      const read = await readRow({ call, definition, controls, newTerms }, row);
      if (read === undefined) continue;
      ofField.push(row);
      if (read.creatable !== undefined) creatable.set(at, read.creatable);
      if ('item' in read) items.push(read.item);
      else violations.push({ path: `${at}.${read.member}`, message: read.problem });
    }
    kept.set(definition.name, ofField);
    values.set(definition.name, items);
  }
  return { values, state: kept, violations, creatable };
}

type ReadRow = { readonly creatable?: CreatableName } & (
  | { readonly item: Item }
  | { readonly member: string; readonly problem: string }
);

interface RowContext {
  readonly call: Call;
  readonly definition: FieldDefinition;
  readonly controls: readonly Control[];
  readonly newTerms: NewTerms | undefined;
}

/** Returns the item of a row or its problem. Undefined for a row in which nothing is typed. */
async function readRow(
  { call, definition, controls, newTerms }: RowContext,
  { texts, rest }: RowState,
): Promise<ReadRow | undefined> {
  const raw: JsonObject = { ...parseRest(rest), ...texts };
  const target = controls.find(({ kind }) => kind === 'target');
  const name = target && (texts[target.member] ?? '').trim();
  let note: { creatable?: CreatableName } = {};
  if (target !== undefined && name) {
    const known = await resolveTarget(call, definition, name);
    if ('problem' in known && known.choices.length > 0) note = { creatable: { name, choices: known.choices } };
    const term = note.creatable !== undefined && newTerms ? await newTerms.find(definition, name) : known;
    if ('problem' in term) return { member: target.member, problem: term.problem, ...note };
    raw[target.member] = term.id;
  }
  const [item] = parseItems([raw], definition, call.api.services.fields.types);
  if (item !== undefined) return { item, ...note };
  const typed = controls.find((control) => isTyped(control, texts[control.member] ?? ''));
  const missing = controls.find((control) => isOpen(control) && (texts[control.member] ?? '').trim() === '');
  if (typed === undefined || missing === undefined) return undefined;
  return {
    member: missing.member,
    problem: `${missing.label ?? definition.label}: missing. Fill it in, or clear the value.`,
    ...note,
  };
}

/** True for a control that is empty unless something is typed or chosen. */
function isOpen(control: Control): boolean {
  return control.kind !== 'flag' && !(control.kind === 'choice' && control.none === undefined);
}

function isTyped(control: Control, text: string): boolean {
  return isOpen(control) && text.trim() !== '';
}

/** Returns the members of an item that no control shows. Text that is no JSON object has none: a form sends what it was given. */
function parseRest(rest: string): JsonObject {
  try {
    const value: unknown = JSON.parse(rest);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
  } catch {
    return {};
  }
}
