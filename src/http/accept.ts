import Negotiator from 'negotiator';
import { malformed } from '../base/errors.ts';
import { parseMediaType } from '../base/media-type.ts';

/**
 * Returns the preferred concrete type of an `Accept` header, by q-value and then by order (RFC 9110, 12.5.1). Undefined
 * without a header, and if it has only wildcards. Throws `malformed` for a header without a valid media range.
 */
export function bestConcreteType(accept: string | undefined, where = 'The Accept header'): string | undefined {
  if (!accept?.trim()) return undefined;
  const ranges = new Negotiator({ headers: { accept } }).mediaTypes();
  if (ranges.length === 0 && !/;\s*q=0(\.0{0,3})?\s*(,|;|$)/i.test(accept))
    throw malformed(`${where} must be a list of MIME types.`);
  const concrete = ranges.find((range) => !range.includes('*'));
  if (concrete === undefined) return undefined;
  const mediaType = parseMediaType(concrete);
  if (mediaType === undefined) throw malformed(`${where} contains an invalid MIME type.`);
  return mediaType;
}
