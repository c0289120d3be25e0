import { mailProblem } from '../users/account-problems.ts';

/** A mail address within a text. */
const ADDRESS = /[^\s@<>",;:()[\]\\]+@[^\s@<>",;:()[\]\\]+/;

/** Returns the mail address in the contact of a rule, such as `Archive, archive@example.org`. Undefined without one. */
export function mailIn(contact: string | undefined): string | undefined {
  const [address] = ADDRESS.exec(contact ?? '') ?? [];
  return address !== undefined && mailProblem(address) === undefined ? address : undefined;
}
