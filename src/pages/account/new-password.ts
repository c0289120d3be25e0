import { Type as t } from '@sinclair/typebox';
import { newPasswordProblem } from '../../auth/password-policy.ts';
import type { Call } from '../../web/call.ts';
import { addressOf, signIn } from '../../web/identify.ts';
import type { FormProblem } from '../forms/error-summary.tsx';

/** The two fields of a new password. */
export const NEW_PASSWORD = { pass_new: t.String(), pass_again: t.String() } as const;

interface NewPassword {
  readonly pass_new: string;
  readonly pass_again: string;
}

/** Returns the problems of a new password of the user `name` that was typed twice. */
export function newPasswordProblems({ pass_new, pass_again }: NewPassword, name: string): FormProblem[] {
  const problem = pass_new === '' ? 'Enter a new password.' : newPasswordProblem(pass_new, name);
  if (problem !== undefined) return [{ field: 'pass_new', message: problem }];
  if (pass_new === pass_again) return [];
  return [{ field: 'pass_again', message: 'The two passwords differ. Enter the new password again.' }];
}

/** Returns the problem of the caller's own password, which the limits of signing in apply to. Throws `too-many-requests`. */
export async function ownPasswordProblem(call: Call, password: string): Promise<FormProblem | undefined> {
  const { api, actor, request, peer } = call;
  if (password === '') return { field: 'pass', message: 'Enter your current password.' };
  const user = await signIn(api, actor.name, password, addressOf(api, request, peer));
  return user?.id === actor.id ? undefined : { field: 'pass', message: 'This is not your current password.' };
}
