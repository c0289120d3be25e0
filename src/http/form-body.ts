import { ServiceError } from '../base/errors.ts';
import { parseMediaType } from '../base/media-type.ts';
import { readBodyText } from './read-body.ts';

export const FORM_TYPE = 'application/x-www-form-urlencoded';

/** The limits of a form. */
export interface FormLimits {
  /** The size of its body in bytes. */
  readonly maxBytes: number;
  /** The number of its fields, each of which costs half a microsecond and 300 bytes of memory. */
  readonly maxFields: number;
}

/** Returns true if the body of a request is that of a form of a page without files. */
export function isForm({ headers }: Request): boolean {
  return parseMediaType(headers.get('content-type') ?? '') === FORM_TYPE;
}

/**
 * Reads the fields of a form, which are counted before they are parsed. Throws as `readBodyText`, and `too-large` for too
 * many fields.
 */
export async function readFormFields(request: Request, { maxBytes, maxFields }: FormLimits): Promise<URLSearchParams> {
  const text = await readBodyText(request, maxBytes);
  if (hasMoreFields(text, maxFields))
    throw new ServiceError('too-large', `The form has more than ${maxFields} fields.`);
  return new URLSearchParams(text);
}

function hasMoreFields(text: string, maxFields: number): boolean {
  let fields = 1;
  for (let at = text.indexOf('&'); at >= 0 && fields <= maxFields; at = text.indexOf('&', at + 1)) fields += 1;
  return fields > maxFields;
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
