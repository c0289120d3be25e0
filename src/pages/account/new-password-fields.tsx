import { MIN_PASSWORD_CHARS } from '../../auth/password-policy.ts';
import { errorOf, type FormProblem } from '../forms/error-summary.tsx';
import { TextInput } from '../forms/field.tsx';

/** The user name for password managers, which look for it before the passwords. */
export function KnownName({ name }: { readonly name: string }) {
  return <input type="text" name="username" autocomplete="username" value={name} hidden readOnly />;
}

interface CurrentProps {
  readonly problems: readonly FormProblem[];
  readonly help?: string;
  readonly required?: boolean;
}

/** The present password, which some changes of an account require. */
export function CurrentPasswordField({ problems, ...props }: CurrentProps) {
  return (
    <TextInput
      name="pass"
      label="Current password"
      type="password"
      autocomplete="current-password"
      error={errorOf(problems, 'pass')}
      {...props}
    />
  );
}

/** The two fields of a new password. */
export function NewPasswordFields({ problems }: { readonly problems: readonly FormProblem[] }) {
  return (
    <>
      <TextInput
        name="pass_new"
        label="New password"
        help={`At least ${MIN_PASSWORD_CHARS} characters. Several words in a row are easy to remember and hard to guess.`}
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
