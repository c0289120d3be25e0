/** The part of a path that is a secret: a client that knows it may set a password. */
const SECRET = /(\/user\/reset\/)[^/]+/gi;

/** Returns a path for the log, without secrets. */
export function loggedPath(path: string): string {
  return path.replace(SECRET, '$1…');
}
