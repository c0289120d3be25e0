/** The part of a path that is a secret: a client that knows it may set a password, or confirm a mail address. */
const SECRET = /(\/user\/(?:reset|mail)\/)[^/]+/gi;

/** Returns a path for the log, without secrets. */
export function loggedPath(path: string): string {
  return path.replace(SECRET, '$1…');
}
