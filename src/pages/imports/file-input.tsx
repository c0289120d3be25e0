import { describedControl, Field, type FieldProps } from '../forms/field.tsx';

interface Props extends FieldProps {
  readonly accept?: string;
  readonly isMultiple?: boolean;
}

/** A field for files. */
export function FileInput({ accept, isMultiple = false, ...field }: Props) {
  return (
    <Field {...field}>
      <input type="file" accept={accept} multiple={isMultiple} {...describedControl(field)} />
    </Field>
  );
}
