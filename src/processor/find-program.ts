import { resolve } from 'node:path';

/**
 * Returns the absolute path of an executable, or null. A relative name counts from where the service was started,
 * as commands themselves work elsewhere.
 */
export function findProgram(name: string): string | null {
  const found = Bun.which(name);
  return found === null ? null : resolve(found);
}
