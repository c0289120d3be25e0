import { malformed } from '../base/errors.ts';
import { parseMediaType } from '../base/media-type.ts';
import { readBodyText } from './read-body.ts';

export const FORM_TYPE = 'application/x-www-form-urlencoded';
/** Maximum number of fields of a form: each costs a look-up. */
const MAX_FIELDS = 20_000;

/** Returns true if the body of a request is that of a form of a page without files. */
export function isForm({ headers }: Request): boolean {
  return parseMediaType(headers.get('content-type') ?? '') === FORM_TYPE;
}

/** Reads the fields of a form. Throws as `readBodyText`, and `malformed` for too many fields. */
export async function readFormFields(request: Request, maxBytes: number): Promise<URLSearchParams> {
  const fields = new URLSearchParams(await readBodyText(request, maxBytes));
  if (fields.size > MAX_FIELDS) throw malformed(`The form has more than ${MAX_FIELDS} fields.`);
  return fields;
}

/** Returns true if a request was sent by a page of another registrable domain, as browsers tell (W3C Fetch Metadata, 2.3). */
export function isCrossSite({ headers }: Request): boolean {
  return headers.get('sec-fetch-site') === 'cross-site';
}

/**
 * Returns true if a request was sent by a page of another host, as browsers tell (W3C Fetch Metadata, 2.3). Programs
 * send no such header.
 */
export function isFromOtherSite({ headers }: Request): boolean {
  const site = headers.get('sec-fetch-site');
  return site === 'cross-site' || site === 'same-site';
}

/** Returns true if a page of this site has sent a request, as browsers tell. */
export function isFromOwnPage({ headers }: Request): boolean {
  return headers.get('sec-fetch-site') === 'same-origin';
}
