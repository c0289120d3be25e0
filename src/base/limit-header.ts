/**
 * The response header in which a processor reports the limits of a command. A 500 names the exceeded limit, so that the
 * job is not retried. A streamed 200 declares `maxOutputBytes=<number>`, so that the repository recognizes an answer
 * that was truncated there.
 */
export const LIMIT_HEADER = 'X-Repo-Limit';

/**
 * The response header of a failure that another attempt cannot change, such as a damaged file. The body is the reason in
 * a sentence for readers.
 */
export const PERMANENT_HEADER = 'X-Repo-Permanent';

export const MAX_OUTPUT = 'maxOutputBytes';

/** Returns the value of the header for a streamed answer. */
export function declareMaxOutput(bytes: number): string {
  return `${MAX_OUTPUT}=${bytes}`;
}

/** Returns the limit in bytes that a streamed answer declares; undefined if it declares none. */
export function declaredMaxOutput(headers: Headers): number | undefined {
  const [name, bytes = ''] = (headers.get(LIMIT_HEADER) ?? '').split('=');
  return name === MAX_OUTPUT && /^\d{1,16}$/.test(bytes) ? Number(bytes) : undefined;
}
