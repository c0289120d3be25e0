import type { ComponentChildren } from 'preact';
import type { TextCheck } from '../../field-types/text-check.ts';

/** The properties of all fields of a form. */
export interface FieldProps {
  /** The name of the control, and its id unless `id` differs. */
  readonly name: string;
  readonly id?: string;
  readonly label: ComponentChildren;
  readonly help?: ComponentChildren;
  /** The sentence beside an invalid value. */
  readonly error?: string | undefined;
  readonly required?: boolean;
  /** True if the page opens with the focus on it. */
  readonly isFocused?: boolean;
  /** The rules that the page applies, as the server does. */
  readonly checks?: FieldChecks;
}

/** The rules of a control for the scripts of the page, with the label of its field. */
interface FieldChecks {
  readonly label: string;
  /** The message about a missing value. */
  readonly missing?: string | undefined;
  readonly rules: readonly TextCheck[];
}

/** The attributes that connect a control with its label, help and error. */
interface ControlAttributes {
  readonly id: string;
  readonly name: string;
  readonly 'aria-describedby'?: string;
  readonly 'aria-invalid'?: 'true';
  readonly 'aria-required'?: 'true';
  readonly 'data-label'?: string;
  readonly 'data-missing'?: string;
  readonly 'data-checks'?: string;
  readonly autofocus?: true;
}

/** Returns the attributes of the control of a field. Browsers do not check `aria-required`: the page shows its own errors. */
export function describedControl(props: FieldProps): ControlAttributes {
  const { name, id = name, help, error, required, checks, isFocused } = props;
  const describedBy = [help && `${id}-help`, error && `${id}-error`].filter(Boolean).join(' ');
  return {
    id,
    name,
    ...(describedBy !== '' && { 'aria-describedby': describedBy }),
    ...(error && { 'aria-invalid': 'true' }),
    ...(required && { 'aria-required': 'true' }),
    ...(isFocused && { autofocus: true }),
    ...(checks && { 'data-label': checks.label }),
    ...(checks?.missing && { 'data-missing': checks.missing }),
    ...(checks && checks.rules.length > 0 && { 'data-checks': JSON.stringify(checks.rules) }),
  };
}

/** A field: its label, its control, the help below the label, and the error. */
export function Field(props: FieldProps & { readonly children: ComponentChildren }) {
  const { name, id = name, label, required, children } = props;
  return (
    <div class={props.error ? 'field invalid' : 'field'}>
      <label for={id}>
        {label}
        {required && <RequiredMark />}
      </label>
      <FieldNotes {...props} />
      {children}
    </div>
  );
}

/** The help and the error of a field. */
export function FieldNotes({ name, id = name, help, error }: Omit<FieldProps, 'label'>) {
  return (
    <>
      {help && (
        <p class="help" id={`${id}-help`}>
          {help}
        </p>
      )}
      {error && (
        <p class="error" id={`${id}-error`}>
          <span class="unseen">Error: </span>
          {error}
        </p>
      )}
    </>
  );
}

/** Marks a required field in words. */
export function RequiredMark() {
  return <span class="soft"> (required)</span>;
}

interface TextInputProps extends FieldProps {
  readonly type?: 'text' | 'password' | 'email' | 'url' | 'search' | 'date';
  readonly value?: string | undefined;
  readonly autocomplete?: string;
  readonly inputMode?: 'text' | 'numeric' | 'decimal' | 'url' | 'email';
  readonly maxLength?: number | undefined;
  /** False for names and codes, which no dictionary has. */
  readonly spellcheck?: boolean;
  /** True for a value of a few characters. */
  readonly isShort?: boolean;
  /** Attributes for the scripts of the page. */
  readonly data?: Readonly<Record<`data-${string}`, string>>;
}

/** A field with one line of text. */
export function TextInput(props: TextInputProps) {
  const { type = 'text', value, autocomplete, inputMode, maxLength, spellcheck, isShort, data, ...field } = props;
  // The types of Preact want one kind of input for each type.
  const attributes: Readonly<Record<string, unknown>> = {
    type,
    value,
    dir: 'auto',
    autocomplete,
    inputMode,
    maxLength,
    ...(spellcheck === false && { spellcheck, autocapitalize: 'none' }),
    ...(isShort && { class: 'short' }),
    ...describedControl(field),
    ...data,
  };
  return (
    <Field {...field}>
      <input {...attributes} />
    </Field>
  );
}

interface TextAreaProps extends FieldProps {
  readonly value?: string | undefined;
  readonly rows?: number;
  /** The member with its text format. */
  readonly format?: string | undefined;
}

/** A field with several lines of text. */
export function TextArea({ value = '', rows = 6, format, ...field }: TextAreaProps) {
  return (
    <Field {...field}>
      {/* A parser drops a first line break. */}
      <textarea rows={rows} dir="auto" data-format={format} {...describedControl(field)}>{`\n${value}`}</textarea>
    </Field>
  );
}

/** A value of a choice with its name. */
interface Option {
  readonly value: string;
  readonly label: string;
}

interface SelectProps extends FieldProps {
  readonly value?: string | undefined;
  readonly options: readonly Option[];
  /** The options that are chosen most, before all of them. */
  readonly frequent?: readonly Option[] | undefined;
  /** The name of the choice of no value. Undefined if one value must be chosen. */
  readonly none?: string | undefined;
}

/** A field with one of several values. A value that is no longer among them stays chosen. */
export function Select({ value = '', options, frequent = [], none, ...field }: SelectProps) {
  const isKnown = value === '' || options.some((option) => option.value === value);
  return (
    <Field {...field}>
      <select {...describedControl(field)}>
        {none !== undefined && <option value="">{none}</option>}
        {!isKnown && (
          <option value={value} selected data-unknown>
            {value}
          </option>
        )}
        {frequent.length === 0 ? (
          <Options options={options} value={value} />
        ) : (
          <>
            <optgroup label="Used most">
              <Options options={frequent} value={value} />
            </optgroup>
            <optgroup label="All">
              <Options options={options} value={frequent.some((option) => option.value === value) ? '' : value} />
            </optgroup>
          </>
        )}
      </select>
    </Field>
  );
}

function Options({ options, value }: { readonly options: readonly Option[]; readonly value: string }) {
  return (
    <>
      {options.map((option) => (
        <option key={option.value} value={option.value} selected={option.value === value}>
          {option.label}
        </option>
      ))}
    </>
  );
}

interface CheckboxProps extends FieldProps {
  readonly value?: string;
  readonly checked: boolean;
}

/** A box with its label beside it. */
export function Checkbox({ value = '1', checked, ...field }: CheckboxProps) {
  const { name, id = name, label } = field;
  return (
    <div class={field.error ? 'field check invalid' : 'field check'}>
      <input type="checkbox" value={value} checked={checked} {...describedControl(field)} />
      <label for={id}>{label}</label>
      <FieldNotes {...field} />
    </div>
  );
}
