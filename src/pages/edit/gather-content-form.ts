import type { Control, Option } from '../../field-types/control.ts';
import { fileNameOf, ownPath } from '../../field-types/display/addresses.ts';
import type { Violation } from '../../field-types/field-type.ts';
import { lengthCheck } from '../../field-types/text-check.ts';
import { MISSING, NOT_A_CHOICE, WRONG_TYPE } from '../../field-types/violation.ts';
import type { Bundle, FieldDefinition, FieldValues } from '../../model/content-model.ts';
import { pathOf } from '../../paths.ts';
import type { LinkedType } from '../../repository/access-rule.ts';
import type { ContentKind } from '../../repository/content/kinds.ts';
import type { Call } from '../../web/call.ts';
import type { FormProblem } from '../forms/error-summary.tsx';
import { controlName, type FormField, type FormGroup, type FormRow } from './content-form-data.ts';
import type { EditableField } from './form-fields.ts';
import { EMPTY_ROW, type FormState, type RowState } from './form-state.ts';
import { completionsFor, targetText } from './resolve-target.ts';

/** Up to this number of targets, a reference has a list of choices. */
const MAX_CHOICES = 40;

const GROUPS: readonly (readonly [EditableField['group'], string])[] = [
  ['main', 'Title and kind'],
  ['details', 'Details'],
  ['use', 'How it is shown and used'],
  ['publication', 'Publication'],
];

interface FormContent {
  readonly kind: ContentKind;
  readonly bundle: Bundle;
  readonly fields: readonly EditableField[];
  readonly state: FormState;
  readonly violations?: readonly Violation[];
  readonly creatable?: ReadonlyMap<string, string>;
  /** The stored values, which have the addresses of files. */
  readonly stored?: FieldValues | undefined;
}

/** Returns the groups of a form with what is typed, and the messages about it. */
export async function gatherFields(
  call: Call,
  gathered: FormContent,
): Promise<{ groups: FormGroup[]; messages: FormProblem[] }> {
  const { fields, violations = [] } = gathered;
  const shown = await Promise.all(fields.map(async (field) => [field, await fieldOf(call, gathered, field)] as const));
  const groups = GROUPS.flatMap(([name, label]): FormGroup[] => {
    const ofGroup = shown.flatMap(([{ group }, field]) => (group === name ? [field] : []));
    return ofGroup.length === 0 ? [] : [{ label, fields: ofGroup }];
  });
  const labels = new Map(fields.map(({ definition, controls }) => [definition.name, { definition, controls }]));
  const messages = violations.map(({ path, message }): FormProblem => {
    const [name = '', delta = '0', member] = path.split('.');
    const field = labels.get(name);
    if (field === undefined) return { message: `${path}: ${message}` };
    const control = field.controls.find((each) => each.member === member) ?? field.controls[0];
    const text = inWords(message, field.definition);
    return {
      field: controlName(name, Number(delta), control?.member ?? ''),
      message: text.startsWith(field.definition.label) ? text : `${field.definition.label}: ${text}`,
    };
  });
  return { groups, messages };
}

async function fieldOf(call: Call, gathered: FormContent, { definition, controls }: EditableField): Promise<FormField> {
  const { kind, bundle, state, violations = [], creatable, stored } = gathered;
  const { name, label, required, cardinality } = definition;
  const rows = state.get(name) ?? [];
  const isFile = controls.some((control) => control.kind === 'file');
  const hasTarget = controls.some((control) => control.kind === 'target');
  const ofField = violations.filter(({ path }) => path === name || path.startsWith(`${name}.`));
  const isMultiple = cardinality !== 1;
  const shown = rows.length > 0 || isFile ? rows : [EMPTY_ROW];
  const mostRows = isFile ? 0 : cardinality < 0 ? Number.POSITIVE_INFINITY : cardinality;
  const whole = ofField.find(({ path }) => path === name);
  return {
    name,
    label,
    isRequired: required,
    missing: required ? inWords(MISSING, definition) : undefined,
    controls: controls.map((control) => withChecks(control, definition)),
    isMultiple,
    isOpen: isMultiple && shown.length < mostRows,
    mostRows,
    rows: shown.map((row, delta) => rowOf(row, delta, { definition, ofField, creatable, stored })),
    error: whole && inWords(whole.message, definition),
    ...(hasTarget && {
      targets: await choicesOf(call, definition),
      completions: completionsPath(kind.type as LinkedType, bundle, name),
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
  readonly creatable: ReadonlyMap<string, string> | undefined;
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

/** Returns the targets of a reference that has few. Undefined for many, and where new ones may be created. */
async function choicesOf(call: Call, definition: FieldDefinition): Promise<Option[] | undefined> {
  if (definition.targetType !== 'taxonomy_term' || definition.autoCreate) return undefined;
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
