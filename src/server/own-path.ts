import { paths } from '../paths.ts';

/** Returns true for a path of the program, which cannot be an alias. */
export function isOwnPath(path: string): boolean {
  const segments = path.split('/');
  return OWN_PATTERNS.some((pattern) => {
    const isOpen = pattern.at(-1) === '*';
    if (isOpen ? segments.length < pattern.length : segments.length !== pattern.length) return false;
    return pattern.every(
      (part, index) => part === segments[index] || part === '*' || (part.startsWith(':') && segments[index] !== ''),
    );
  });
}

const OWN_PATTERNS = Object.values(paths).map((pattern) => pattern.split('/'));
