import Negotiator from 'negotiator';
import { malformed } from '../base/errors.ts';
import { parseMediaType } from '../base/media-type.ts';

/**
 * The concrete type that an `Accept` header likes best, by q-value and then by order (RFC 9110
 * section 12.5.1). Undefined without a header and for one of wildcards only. Throws `malformed` for
 * a header that holds no media range at all, or a type that is none.
 */
export function bestConcreteType(accept: string | undefined, where = 'The Accept header'): string | undefined {
  if (!accept?.trim()) return undefined;
  const ranges = new Negotiator({ headers: { accept } }).mediaTypes();
  if (ranges.length === 0 && !/;\s*q=0(\.0{0,3})?\s*(,|;|$)/i.test(accept))
    throw malformed(`${where} is not a list of MIME types.`);
  const concrete = ranges.find((range) => !range.includes('*'));
  if (concrete === undefined) return undefined;
  const mediaType = parseMediaType(concrete);
  if (mediaType === undefined) throw malformed(`${where} names something that is not a MIME type.`);
  return mediaType;
}
