import { malformed } from '../../base/errors.ts';
import type { EditableField } from './arrange-fields.ts';
import { BUTTON, REST } from './content-form-data.ts';

/** The entries for one value of a field. */
export interface RowState {
  readonly texts: Readonly<Record<string, string>>;
  /** The members that no control shows, as JSON. */
  readonly rest: string;
}

/** The entries in a form: the rows of each field, in their order. */
export type FormState = ReadonlyMap<string, readonly RowState[]>;

export const NO_REST = '{}';
export const EMPTY_ROW: RowState = { texts: {}, rest: NO_REST };

/** A control: `field_subject.0.target_id`. */
const CONTROL = /^([a-z][a-z0-9_]{0,127})\.(\d{1,5})\.([a-z_][a-z0-9_]{0,63})$/;

/** Returns what was typed in a form. Rows have the order of their numbers. Fields of other names are ignored. */
export function stateOfFields(fields: URLSearchParams): FormState {
  const rows = new Map<string, Map<number, Record<string, string>>>();
  for (const [name, value] of fields) {
    const [, field, delta, member] = CONTROL.exec(name) ?? [];
    if (field === undefined || member === undefined) continue;
    const ofField = rows.get(field) ?? new Map<number, Record<string, string>>();
    rows.set(field, ofField);
    const texts = ofField.get(Number(delta)) ?? {};
    ofField.set(Number(delta), texts);
    // A flag sends 0, and 1 behind it if it is chosen. Browsers send the line breaks of HTTP.
    texts[member] = value.replaceAll('\r\n', '\n');
  }
  return new Map(
    [...rows].map(([field, ofField]) => [
      field,
      [...ofField].sort(([a], [b]) => a - b).map(([, { [REST]: rest = NO_REST, ...texts }]) => ({ texts, rest })),
    ]),
  );
}

/** Returns true if something is typed or chosen in a row of a field. A choice without an empty one does not count. */
export function hasValue({ controls }: Pick<EditableField, 'controls'>, rows: readonly RowState[] = []): boolean {
  return rows.some(
    ({ texts, rest }) =>
      rest !== NO_REST ||
      controls.some((control) => {
        const text = texts[control.member]?.trim() ?? '';
        if (control.kind === 'flag') return text === '1';
        return text !== '' && !(control.kind === 'choice' && control.none === undefined);
      }),
  );
}

/** A button of a form: what it does, and the row that it is about. */
export interface FormButton {
  readonly action: 'save' | 'view' | 'preview' | 'edit' | 'add' | 'remove' | 'up' | 'down' | 'create' | 'open';
  readonly field: string;
  readonly delta: number;
  /** The vocabulary of the term that it creates. */
  readonly vocabulary?: string | undefined;
}

const ACTIONS: readonly FormButton['action'][] = [
  ...(['save', 'view', 'preview', 'edit', 'add', 'remove', 'up', 'down', 'create', 'open'] as const),
];

/** Returns the pressed button, such as `up field_subject 2` or `create field_linked_agent 0 person`. Without one, a form is saved and shown. */
export function buttonOf(fields: URLSearchParams): FormButton {
  const [name = 'view', field = '', delta = '0', vocabulary] = (fields.get(BUTTON) ?? 'view').split(' ');
  const action = ACTIONS.find((each) => each === name);
  if (action === undefined) throw malformed(`The form has no button "${name.slice(0, 50)}".`);
  return { action, field, delta: Number(delta), vocabulary };
}

/** Returns a form after a button for one of its rows. */
export function withButton(state: FormState, { action, field, delta }: FormButton): FormState {
  const rows = [...(state.get(field) ?? [])];
  const row = rows[delta];
  if (action === 'add' || (action === 'open' && rows.length === 0)) rows.push(EMPTY_ROW);
  else if (row !== undefined && action !== 'open') {
    rows.splice(delta, 1);
    if (action === 'up') rows.splice(Math.max(0, delta - 1), 0, row);
    if (action === 'down') rows.splice(delta + 1, 0, row);
  }
  return new Map(state).set(field, rows);
}
