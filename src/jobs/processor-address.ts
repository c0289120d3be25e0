/**
 * The address of a processor as it is called. Throws RangeError for anything but an http or https URL; the message,
 * which says what it must be, does not show a URL that may hold a password.
 */
export function parseProcessorAddress(text: string): string {
  const url = URL.parse(text);
  const isAddress =
    url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' && !text.includes('#');
  if (isAddress) return url.href;
  const found = text.includes('@') ? '' : `, found "${text}"`;
  throw new RangeError(
    `must be an http or https URL without user name and password, such as http://processor:8080/${found}`,
  );
}

/** Stands for the processor within; its requests never leave the process. */
export const EMBEDDED_ADDRESS = 'http://processor.internal/';

/** What sentences call the processor at an address; the path, which may hold a secret, is left out. */
export function nameProcessor(address: string): string {
  return address === EMBEDDED_ADDRESS ? 'processor within' : `processor at ${new URL(address).origin}`;
}
