import { utimes } from 'node:fs/promises';

/** A process shows at least this often that it lives. */
const SIGN_OF_LIFE_MS = 3_600_000;

/** Touches a folder once an hour, so that other hosts see that its process lives. */
export function signOfLife(folder: string): () => Promise<void> {
  let last = Date.now();
  return async () => {
    if (Date.now() - last < SIGN_OF_LIFE_MS) return;
    last = Date.now();
    await utimes(folder, new Date(last), new Date(last));
  };
}
