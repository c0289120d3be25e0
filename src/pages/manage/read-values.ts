import { createTextReplacer, MAX_FIND_CHARS, PatternProblem, type TextReplacement } from '../../bulk/replace-text.ts';
import { VALUE_OPERATIONS, type ValueOperation, type ValuesChange } from '../../bulk/values-change.ts';
import type { Violation } from '../../field-types/field-type.ts';
import { validateField } from '../../field-types/validate-field.ts';
import type { Call } from '../../web/call.ts';
import { controlName } from '../edit/content-form-data.ts';
import { type FormState, stateOfFields } from '../edit/form-state.ts';
import { type ReadForm, readContentForm } from '../edit/read-content-form.ts';
import type { FormProblem } from '../forms/error-summary.tsx';
import type { ManagedList } from './content-list-data.ts';
import { operationsOf, PRESENT, shownFields, VALUE, type ValuesField, valuesFields } from './values-fields.ts';

/** The entries in the form of a change of values. */
export interface ValuesEntries {
  readonly fields: readonly ValuesField[];
  /** Undefined until one is chosen. */
  readonly field: ValuesField | undefined;
  readonly operation: ValueOperation;
  readonly state: FormState;
  readonly replacement: TextReplacement;
  readonly reason: string;
  /** True if the page that was sent had the form of the field and the operation. */
  readonly isShown: boolean;
}

/** The name of the field with the field and the operation whose form a page shows. */
export const SHOWN = 'shown';
/** Maximum length of the parameters of a change, in characters. */
const MAX_CHANGE_CHARS = 200_000;
const MAX_REASON_CHARS = 500;

/** Returns the text that tells one form from that of another field or operation. */
export function shownForm({ field, operation }: Pick<ValuesEntries, 'field' | 'operation'>): string {
  return `${field?.definition.name} ${operation}`;
}

/** Returns what is chosen and typed in a form. */
export function valuesEntries(call: Call, list: ManagedList, sent: URLSearchParams): ValuesEntries {
  const fields = valuesFields(call, list);
  const text = (name: string) => sent.get(name) ?? '';
  const field = fields.find(({ definition }) => definition.name === text('field'));
  const operation = VALUE_OPERATIONS.find((each) => each === text('operation')) ?? 'set';
  return {
    ...{ fields, field, operation, state: stateOfFields(sent) },
    replacement: {
      find: text('find'),
      replacement: text('replacement'),
      isPattern: text('pattern') === '1',
      ignoresCase: text('ignore_case') === '1',
    },
    reason: text('reason').trim().slice(0, MAX_REASON_CHARS),
    isShown: text(SHOWN) === shownForm({ field, operation }),
  };
}

/** Returns the problem of the chosen field and operation, if there is one. */
export function choiceProblem({ api }: Call, { field, operation }: ValuesEntries): FormProblem | undefined {
  if (field === undefined) return { field: 'field', message: 'Choose a field.' };
  if (operationsOf(field, api.services.fields.types).includes(operation)) return undefined;
  const { label } = field.definition;
  const message = operation === 'find' ? `“${label}” has no texts.` : `“${label}” has files, which an upload changes.`;
  return { field: 'operation', message: `${message} Choose another change.` };
}

/** The entries of a form as it was read: the change, or the problems. */
export interface ReadValues {
  readonly change: ValuesChange | undefined;
  readonly read: ReadForm | undefined;
  readonly violations: readonly Violation[];
  readonly problems: readonly FormProblem[];
}

/** Reads the change of a form. */
export async function readValues(call: Call, entries: ValuesEntries): Promise<ReadValues> {
  const { field, operation, replacement } = entries;
  const nothing = { change: undefined, read: undefined, violations: [] };
  const choice = choiceProblem(call, entries);
  if (choice !== undefined || field === undefined) return { ...nothing, problems: choice ? [choice] : [] };
  if (operation === 'clear') return { ...nothing, change: { operation }, problems: [] };
  if (operation === 'find') {
    const problem = textProblem(replacement);
    return problem
      ? { ...nothing, problems: [problem] }
      : { ...nothing, change: { operation, ...replacement }, problems: [] };
  }
  const fields = shownFields(field, operation);
  const read = await readContentForm(call, fields, entries.state);
  const items = read.values.get(VALUE) ?? [];
  const [present] = read.values.get(PRESENT) ?? [];
  const isNew = operation !== 'remove';
  const violations = [...read.violations];
  const problems: FormProblem[] = [];
  for (const { definition, controls } of fields) {
    const values = read.values.get(definition.name) ?? [];
    // A value that is to go may be one that the field no longer accepts.
    if (definition.name === VALUE && isNew)
      violations.push(...validateField(values, definition, call.api.services.fields));
    if (values.length === 0 && read.violations.length === 0)
      problems.push({
        field: controlName(definition.name, 0, controls[0]?.member ?? ''),
        message: `${definition.label}: enter a value.`,
      });
  }
  const change: ValuesChange | undefined =
    operation === 'replace' ? present && { operation, present, items } : { operation, items };
  if (JSON.stringify(change).length > MAX_CHANGE_CHARS)
    problems.push({ message: 'These values are too long for a change of many items.' });
  return { change: violations.length + problems.length > 0 ? undefined : change, read, violations, problems };
}

function textProblem(replacement: TextReplacement): FormProblem | undefined {
  const { find } = replacement;
  if (find === '') return { field: 'find', message: 'Enter the text to find.' };
  const texts = [find, replacement.replacement];
  if (texts.some((each) => each.length > MAX_FIND_CHARS))
    return { field: 'find', message: `Texts may have at most ${MAX_FIND_CHARS} characters.` };
  try {
    createTextReplacer(replacement);
    return undefined;
  } catch (error) {
    if (error instanceof PatternProblem) return { field: error.field, message: error.message };
    throw error;
  }
}
