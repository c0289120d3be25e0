import { join, resolve } from 'node:path';
import { quote } from 'shlex';
import { replacePrivateFile } from '../auth/private-file.ts';

/** The folder in the data folder of generated passwords that no terminal could show. */
const FOLDER = 'passwords';

/** A generated password, and the user who has it. */
export interface GeneratedPassword {
  readonly user: number;
  readonly password: string;
}

/** A generated password as it may be shown. */
export interface ShownPassword {
  /** The password or its file, with advice. */
  readonly text: string;
  /** The file, quoted for a shell; undefined on a terminal. */
  readonly file: string | undefined;
}

/**
 * Returns a password as text for standard output if that is a terminal. Otherwise standard output may be a log that others read:
 * writes the password to a private file of the data folder, and returns the name of that. Throws ConfigError for a file that cannot
 * be written.
 */
export async function showPassword(
  { user, password }: GeneratedPassword,
  dataFolder: string,
  isTerminal: boolean = process.stdout.isTTY === true,
): Promise<ShownPassword> {
  if (isTerminal) return { text: `${password}   (shown only once)`, file: undefined };
  const file = join(resolve(dataFolder), FOLDER, `user-${user}.txt`);
  await replacePrivateFile(file, `${password}\n`);
  return { text: `in ${file}   (delete that file when you have read it)`, file: quote(file) };
}
