import { resolve } from 'node:path';

/**
 * Returns the absolute path of an executable, or null. Relative names are resolved against the directory in which the
 * service was started, because commands run in other folders.
 */
export function findProgram(name: string): string | null {
  const found = Bun.which(name);
  return found === null ? null : resolve(found);
}
