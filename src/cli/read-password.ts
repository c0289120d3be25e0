import { readLimited } from '../base/read-limited.ts';

const MAX_INPUT_BYTES = 64 * 1024;

/** The first line of standard input, if that is where the password comes from; undefined if it is to be made up. */
export async function readPassword(isOnStdin: boolean | undefined): Promise<string | undefined> {
  if (!isOnStdin) return undefined;
  const text = await readLimited(Bun.stdin.stream(), MAX_INPUT_BYTES);
  return text.split(/\r?\n/, 1)[0] ?? '';
}
