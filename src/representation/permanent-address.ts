import { webAddressIn } from './web-address-in.ts';

const DOI = /^(?:doi:\s*)?(10\.\d{4,9}(?:\.\d+)*\/\S+)$/i;
const HANDLE = /^hdl:\s*(\d+(?:\.\w+)*\/\S+)$/i;
const ARK = /^ark:\s*\/?([0-9bcdfghjkmnpqrstvwxz]{5,16}\/\S+)$/i;
/** What would end the path of an address. */
const PATH_ENDS = /[%?#]/g;

/**
 * The address under which an identifier is resolved: of a DOI, a Handle or an ARK that of its resolver, and a web
 * address as it is. Undefined for anything else.
 */
export function permanentAddress(text: string): string | undefined {
  const identifier = text.trim();
  const [, doi] = DOI.exec(identifier) ?? [];
  if (doi !== undefined) return `https://doi.org/${doi.replace(PATH_ENDS, encodeURIComponent)}`;
  const [, handle] = HANDLE.exec(identifier) ?? [];
  if (handle !== undefined) return `https://hdl.handle.net/${handle.replace(PATH_ENDS, encodeURIComponent)}`;
  const [, ark] = ARK.exec(identifier) ?? [];
  if (ark !== undefined) return `https://n2t.net/ark:/${ark}`;
  return webAddressIn(identifier);
}
