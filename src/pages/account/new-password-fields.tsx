import type { FormProblem } from '../../representation/account-page-data.ts';
import { errorOf } from '../forms/error-summary.tsx';
import { TextInput } from '../forms/field.tsx';

/** The user name for password managers, which look for it before the passwords. */
export function KnownName({ name }: { readonly name: string }) {
  return <input type="text" name="username" autocomplete="username" value={name} hidden readOnly />;
}

/** The two fields of a new password. */
export function NewPasswordFields({ problems }: { readonly problems: readonly FormProblem[] }) {
  return (
    <>
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
