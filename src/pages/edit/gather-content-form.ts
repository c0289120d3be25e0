import { holdsNames } from '../../authorities/vocabulary-kinds.ts';
import type { Control, Option } from '../../field-types/control.ts';
import { fileNameOf, ownPath } from '../../field-types/display/addresses.ts';
import type { Violation } from '../../field-types/field-type.ts';
import { lengthCheck } from '../../field-types/text-check.ts';
import { MISSING, NOT_A_CHOICE, WRONG_TYPE } from '../../field-types/violation.ts';
import type { Bundle, FieldDefinition, FieldValues } from '../../model/content-model.ts';
import type { ItemStructure } from '../../model/item-models.ts';
import { pathOf } from '../../paths.ts';
import type { LinkedType } from '../../repository/access-rule.ts';
import type { ContentKind } from '../../repository/content/kinds.ts';
import type { Call } from '../../web/call.ts';
import type { FormProblem } from '../forms/error-summary.tsx';
import type { EditableField } from './arrange-fields.ts';
import { bundlesOf } from './bundles-of-target.ts';
import { controlName, type FormField, type FormGroup, type FormRow, type OfferedFields } from './content-form-data.ts';
import { targetText } from './described-targets.ts';
import { EMPTY_ROW, type FormState, hasValue, type RowState } from './form-state.ts';
import { withFrequentChoices } from './frequent-choices.ts';
import type { CreatableName } from './new-term-choices.ts';
import { completionsFor } from './resolve-target.ts';
import { chosenStructure, isSuited, structuresOf } from './suited-fields.ts';

/** Up to this number of targets, a reference has a list of choices. */
const MAX_CHOICES = 40;

interface FormContent {
  readonly kind: ContentKind;
  readonly bundle: Bundle;
  readonly fields: readonly EditableField[];
  readonly state: FormState;
  /** The fields that the form showed when it was sent. */
  readonly opened: ReadonlySet<string>;
  /** The field that a button has just opened. */
  readonly added?: string | undefined;
  readonly violations?: readonly Violation[];
  readonly creatable?: ReadonlyMap<string, CreatableName>;
  /** Facts about the content by field (`FormField.note`). */
  readonly notes?: ReadonlyMap<string, string>;
  /** The stored values, which have the addresses of files. */
  readonly stored?: FieldValues | undefined;
}

/** The parts of a form that follow from its fields. */
interface GatheredFields {
  readonly groups: FormGroup[];
  readonly offered: OfferedFields[];
  readonly structures: Readonly<Record<number, ItemStructure>>;
  readonly messages: FormProblem[];
}

/** Returns the groups of a form with what is typed, the fields that it offers beside them, and the messages about it. */
export async function gatherFields(call: Call, content: FormContent): Promise<GatheredFields> {
  const violations = (content.violations ?? []).map((violation) => inFormLabel(violation, content));
  const gathered = { ...content, violations };
  const { fields, state } = gathered;
  const structures = await structuresOf(call, fields);
  const chosen = chosenStructure(state, structures);
  const isShown = (field: EditableField) => {
    const { name } = field.definition;
    if (hasValue(field, state.get(name)) || violations.some(({ path }) => isOf(name, path))) return true;
    return (
      isSuited(field, chosen) && (!field.isFolded || gathered.opened.has(name) || gathered.notes?.has(name) === true)
    );
  };
  const shown = new Set(fields.filter(isShown));
  const ready = new Map(
    await Promise.all(
      [...shown].map(async (field) => [field.definition.name, await fieldOf(call, gathered, field)] as const),
    ),
  );
  const groups: FormGroup[] = [];
  const offered: OfferedFields[] = [];
  for (const [group, members] of Map.groupBy(fields, ({ group: { name } }) => name)) {
    const label = members[0]?.group.label ?? group;
    const inForm = members.flatMap(({ definition }) => ready.get(definition.name) ?? []);
    if (inForm.length > 0) groups.push({ name: group, label, fields: inForm });
    const others = members.filter((field) => !shown.has(field)).map((field) => offer(field, chosen));
    if (others.length > 0) offered.push({ label, fields: others });
  }
  return { groups, offered, structures, messages: violations.map((violation) => problemOf(violation, fields)) };
}

function offer(field: EditableField, chosen: ItemStructure | undefined): OfferedFields['fields'][number] {
  const { definition, help, unsuited } = field;
  const { name, label } = definition;
  return { name, label, help, unsuited: unsuited.join(' ') || undefined, isSuited: isSuited(field, chosen) };
}

/** Returns a problem with the label that its field has in the form. */
function inFormLabel({ path, message }: Violation, { bundle, fields }: FormContent): Violation {
  const name = path.split('.', 1)[0] ?? '';
  const label = fields.find(({ definition }) => definition.name === name)?.definition.label;
  const own = `${bundle.fieldNamed.get(name)?.label}: `;
  return { path, message: label && message.startsWith(own) ? `${label}: ${message.slice(own.length)}` : message };
}

function problemOf({ path, message }: Violation, fields: readonly EditableField[]): FormProblem {
  const [name = '', delta = '0', member] = path.split('.');
  const field = fields.find(({ definition }) => definition.name === name);
  if (field === undefined) return { message: `${path}: ${message}` };
  const control = field.controls.find((each) => each.member === member) ?? field.controls[0];
  const text = inWords(message, field.definition);
  return {
    field: controlName(name, Number(delta), control?.member ?? ''),
    message: text.startsWith(field.definition.label) ? text : `${field.definition.label}: ${text}`,
  };
}

function isOf(name: string, path: string): boolean {
  return path === name || path.startsWith(`${name}.`);
}

async function fieldOf(call: Call, gathered: FormContent, field: EditableField): Promise<FormField> {
  const { definition, controls, help, unsuited, completesAs = definition.name } = field;
  const { kind, bundle, state, violations = [], creatable, stored } = gathered;
  const { name, label, required, cardinality } = definition;
  const rows = state.get(name) ?? [];
  const isFile = controls.some((control) => control.kind === 'file');
  const hasTarget = controls.some((control) => control.kind === 'target');
  const ofField = violations.filter(({ path }) => isOf(name, path));
  const isMultiple = cardinality !== 1;
  const shown = rows.length > 0 || isFile ? rows : [EMPTY_ROW];
  const mostRows = isFile ? 0 : cardinality < 0 ? Number.POSITIVE_INFINITY : cardinality;
  const whole = ofField.find(({ path }) => path === name);
  return {
    name,
    label,
    help,
    note: gathered.notes?.get(name),
    unsuited: unsuited.join(' ') || undefined,
    isBrief: name === kind.names.revisionLog,
    isAdded: name === gathered.added,
    isRequired: required,
    missing: required ? inWords(MISSING, definition) : undefined,
    controls: (await withFrequentChoices(call, definition, controls)).map((control) => withChecks(control, definition)),
    isMultiple,
    isOpen: isMultiple && shown.length < mostRows,
    mostRows,
    rows: shown.map((row, delta) => rowOf(row, delta, { definition, ofField, creatable, stored })),
    error: whole && inWords(whole.message, definition),
    ...(hasTarget && {
      targets: await choicesOf(call, definition),
      completions: completionsPath(kind.type as LinkedType, bundle, completesAs),
    }),
  };
}

/** Adds the rule of a maximum length, and puts the messages of all rules into words. */
function withChecks(control: Control, definition: FieldDefinition): Control {
  if (control.kind !== 'text' && control.kind !== 'lines') return control;
  const ofLength = control.maxLength === undefined ? [] : [lengthCheck(definition, control.maxLength)];
  const checks = [...ofLength, ...(control.checks ?? [])].map((each) => ({
    ...each,
    message: inWords(each.message, definition),
  }));
  return { ...control, checks };
}

interface RowContext {
  readonly definition: FieldDefinition;
  readonly ofField: readonly Violation[];
  readonly creatable: ReadonlyMap<string, CreatableName> | undefined;
  readonly stored: FieldValues | undefined;
}

function rowOf(row: RowState, delta: number, { definition, ofField, creatable, stored }: RowContext): FormRow {
  const at = `${definition.name}.${delta}`;
  const errors: Record<string, string> = {};
  for (const { path, message } of ofField)
    if (path === at || path.startsWith(`${at}.`)) errors[path.slice(at.length + 1)] ??= inWords(message, definition);
  const file = stored?.[definition.name]?.find(({ target_id }) => String(target_id) === row.texts.target_id);
  const path = file && ownPath(file.url);
  return {
    ...row,
    errors,
    creatable: creatable?.get(at),
    ...(file && { file: { name: path === undefined ? `File ${file.target_id}` : fileNameOf(path), path } }),
  };
}

/** Returns the targets of a reference that has few. Undefined for many, and where names are typed that may be new. */
async function choicesOf(call: Call, definition: FieldDefinition): Promise<Option[] | undefined> {
  if (definition.targetType !== 'taxonomy_term' || definition.autoCreate) return undefined;
  if (bundlesOf(call, definition).some(holdsNames)) return undefined;
  const choices = await completionsFor(call, definition, '', MAX_CHOICES + 1);
  if (choices.length === 0 || choices.length > MAX_CHOICES) return undefined;
  return choices.map((each) => ({ value: targetText(each), label: each.label }));
}

function completionsPath(type: LinkedType, bundle: Bundle, field: string): string {
  return pathOf('completions', { entity_type: type, bundle: bundle.name, field_name: field });
}

/** Replaces the messages of the API that name no remedy by sentences for people. */
function inWords(message: string, { label }: FieldDefinition): string {
  switch (message) {
    case MISSING:
      return `${label} is required.`;
    case WRONG_TYPE:
      return `${label} has a value of the wrong kind.`;
    case NOT_A_CHOICE:
      return `${label}: choose one of the listed values.`;
    default:
      return message;
  }
}
