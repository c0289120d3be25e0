/**
 * What a processor says of the limits of a command: in an answer of 500 the name of the one that was exceeded, so that
 * nobody asks again; in a 200 that is streamed `maxOutputBytes=<number>`, so that an answer which breaks off there can
 * be told from others.
 */
export const LIMIT_HEADER = 'X-Repo-Limit';

export const MAX_OUTPUT = 'maxOutputBytes';

/** The value for a streamed answer. */
export function declareMaxOutput(bytes: number): string {
  return `${MAX_OUTPUT}=${bytes}`;
}

/** The number of bytes that a streamed answer declares as its limit, if it does. */
export function declaredMaxOutput(headers: Headers): number | undefined {
  const [name, bytes = ''] = (headers.get(LIMIT_HEADER) ?? '').split('=');
  return name === MAX_OUTPUT && /^\d{1,16}$/.test(bytes) ? Number(bytes) : undefined;
}
