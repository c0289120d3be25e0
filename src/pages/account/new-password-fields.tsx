import type { FormProblem } from '../../representation/account-page-data.ts';
import { errorOf } from '../forms/error-summary.tsx';
import { TextInput } from '../forms/field.tsx';

/** The two fields of a new password, with the user name for password managers. */
export function NewPasswordFields({
  name,
  problems,
}: {
  readonly name: string;
  readonly problems: readonly FormProblem[];
}) {
  return (
    <>
      <input type="text" name="username" autocomplete="username" value={name} hidden readOnly />
      <TextInput
        name="pass_new"
        label="New password"
        help="Several words in a row are easy to remember and hard to guess."
        type="password"
        autocomplete="new-password"
        error={errorOf(problems, 'pass_new')}
        required
      />
      <TextInput
        name="pass_again"
        label="New password again"
        type="password"
        autocomplete="new-password"
        error={errorOf(problems, 'pass_again')}
        required
      />
    </>
  );
}
