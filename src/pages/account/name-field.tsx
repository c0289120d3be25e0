import { errorOf, type FormProblem } from '../forms/error-summary.tsx';
import { TextInput } from '../forms/field.tsx';

interface Props {
  readonly value: string;
  readonly problems: readonly FormProblem[];
}

/** The name of an account, as administrators choose it. */
export function NameField({ value, problems }: Props) {
  return (
    <TextInput
      name="name"
      label="User name"
      help="For signing in. Shown with the items of the user."
      value={value}
      autocomplete="off"
      spellcheck={false}
      maxLength={60}
      error={errorOf(problems, 'name')}
      required
    />
  );
}
