/**
 * Returns the normalized address of a processor. Throws RangeError for anything but an http or https URL; the message does
 * not quote a URL that may contain a password.
 */
export function parseProcessorAddress(text: string): string {
  const url = URL.parse(text);
  const isAddress =
    url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' && !text.includes('#');
  if (isAddress) return url.href;
  const ending = text.includes('@') ? '' : `, found "${text}"`;
  throw new RangeError(
    `must be an http or https URL without user name and password, such as http://processor:8080/${ending}`,
  );
}

/** The address of the embedded processor; its requests stay in the process. */
export const EMBEDDED_ADDRESS = 'http://processor.internal/';

/** Returns the name of a processor for messages, without the path of its address, which may contain a secret. */
export function nameProcessor(address: string): string {
  return address === EMBEDDED_ADDRESS ? 'embedded processor' : `processor at ${new URL(address).origin}`;
}
