import { paths } from '../paths.ts';

/** Returns the path of a page of an account. */
export function userPagePath(page: 'userEdit' | 'userCancel' | 'userSessions' | 'userResetLink', id: number): string {
  return paths[page].replace(':user', String(id));
}

/** Returns the path of a link that confirms a new mail address. */
export function mailConfirmPath(token: string): string {
  return paths.mailConfirm.replace(':token', token);
}

/** Returns the path of a reset link. */
export function resetPath(token: string): string {
  return paths.passwordReset.replace(':token', token);
}
