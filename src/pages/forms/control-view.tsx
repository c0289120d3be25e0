import type { Control } from '../../field-types/control.ts';
import { pathOf, paths } from '../../paths.ts';
import { assetPath } from '../assets/assets.ts';
import type { FormField, FormRow } from '../edit/content-form-data.ts';
import { Checkbox, type FieldProps, Select, TextArea, TextInput } from './field.tsx';

interface Props {
  readonly control: Control;
  readonly field: FormField;
  readonly row: FormRow;
  readonly name: string;
  readonly label: string;
  /** True if the label repeats that of the whole field. */
  readonly isLabelHidden: boolean;
  readonly isRequired: boolean;
  readonly root: string;
}

/** One control of a value, with its label, help and error. */
export function ControlView({ control, field, row, name, label, isLabelHidden, isRequired, root }: Props) {
  const value = row.texts[control.member] ?? '';
  const isFirst = field.controls[0] === control;
  const shared: FieldProps = {
    name,
    label: isLabelHidden ? <span class="unseen">{label}</span> : label,
    help: helpOf(control, field),
    ...(isFirst && field.isAdded && row === field.rows[0] && { isFocused: true }),
    error:
      row.errors[control.member] ??
      (isFirst ? (row.errors[''] ?? (field.isMultiple ? undefined : field.error)) : undefined),
    ...(isRequired && { required: true }),
    checks: {
      label: field.label,
      ...(isRequired && control.kind !== 'flag' && { missing: field.missing }),
      rules: 'checks' in control ? (control.checks ?? []) : [],
    },
  };
  switch (control.kind) {
    case 'text': {
      const { type, inputMode, maxLength, isShort, meaning } = control;
      return (
        <TextInput
          {...shared}
          value={value}
          autocomplete="off"
          maxLength={maxLength}
          {...(type && { type })}
          {...(inputMode && { inputMode })}
          {...(isShort && { isShort })}
          {...(meaning && { data: { 'data-meaning': meaning, 'data-dates': root + assetPath('date-functions.js') } })}
        />
      );
    }
    case 'lines':
      return <TextArea {...shared} value={value} rows={linesOf(field)} format={control.formatMember} />;
    case 'choice':
      return (
        <Select {...shared} value={value} options={control.options} frequent={control.frequent} none={control.none} />
      );
    case 'flag':
      return (
        <>
          {/* An unchecked box sends nothing. */}
          <input type="hidden" name={name} value="0" />
          <Checkbox {...shared} label={label} checked={value === '1'} />
        </>
      );
    case 'target':
      if (field.targets !== undefined)
        return <Select {...shared} value={value} options={field.targets} none={isRequired ? 'Choose' : 'None'} />;
      return (
        <TextInput
          {...shared}
          value={value}
          autocomplete="off"
          {...(field.completions && { data: referenceData(root, field.completions) })}
        />
      );
    case 'file':
      return (
        <p class="value-file">
          <input type="hidden" name={name} value={value} />
          {row.file?.path === undefined ? (
            (row.file?.name ?? value)
          ) : (
            <a href={root + row.file.path}>{row.file.name}</a>
          )}
        </p>
      );
  }
}

/** Returns the height of a text: a field with one value in a format is the main text of its page. */
function linesOf({ controls, isMultiple, isBrief }: FormField): number {
  if (isBrief) return 2;
  return controls.length === 1 ? 3 : isMultiple ? 4 : 8;
}

/** Returns the help of a control. That of its field is more specific than that of its type; a field with several parts shows it. */
function helpOf(control: Control, { controls, help, isMultiple }: FormField): string | undefined {
  if (help === undefined || controls.length > 1) return control.help;
  return isMultiple ? undefined : help;
}

/** The addresses with which a script completes a name, and creates a term. */
function referenceData(root: string, completions: string) {
  return {
    'data-completions': root + completions,
    'data-names': root + pathOf('namedTerm', { taxonomy_vocabulary: '' }),
    'data-authorities': root + pathOf('authorityTerm', { taxonomy_vocabulary: '' }),
    'data-token': root + paths.sessionToken,
  } as const;
}
