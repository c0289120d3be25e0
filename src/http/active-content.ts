import { parseMediaType } from '../base/media-type.ts';
import { contentDisposition } from './content-disposition.ts';

/** Types that a browser may execute with the origin of the site. They include XML, which a style sheet may turn into HTML. */
const ACTIVE_TYPES = new Set([
  'application/ecmascript',
  'application/javascript',
  'application/mathml',
  'application/x-ecmascript',
  'application/x-javascript',
  'application/x-shockwave-flash',
  'application/xml',
  'application/xml-dtd',
  'application/xml-external-parsed-entity',
  'message/rfc822',
  'multipart/related',
  'multipart/x-mixed-replace',
  'text/cache-manifest',
  'text/ecmascript',
  'text/html',
  'text/javascript',
  'text/jscript',
  'text/livescript',
  'text/x-ecmascript',
  'text/x-javascript',
  'text/xml',
  'text/xml-external-parsed-entity',
  'text/xsl',
]);
const ACTIVE_SUFFIXES = ['+xml', '+html'];
const UNKNOWN_TYPE = 'application/octet-stream';
/** Disables scripts, forms, the origin of the site, and requests. */
const SANDBOX = "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; frame-ancestors 'none'";

/** Returns true if a browser may execute a type. Expects lower case without parameters. */
export function isActiveContent(mediaType: string): boolean {
  return ACTIVE_TYPES.has(mediaType) || ACTIVE_SUFFIXES.some((suffix) => mediaType.endsWith(suffix));
}

/**
 * Returns the headers with which the site can serve an uploaded file safely: browsers do not guess the type, and they save
 * active content or show it in a sandbox. `storedType` is the type from the upload. An invalid one is replaced.
 */
export function fileHeaders(
  storedType: string,
  fileName: string,
  disposition: 'inline' | 'attachment' = 'inline',
): Record<string, string> {
  const mediaType = parseMediaType(storedType);
  const isActive = mediaType !== undefined && isActiveContent(mediaType);
  const isSaved = mediaType === undefined || isActive;
  return {
    'Content-Type': mediaType ?? UNKNOWN_TYPE,
    'Content-Disposition': contentDisposition(isSaved ? 'attachment' : disposition, fileName),
    'X-Content-Type-Options': 'nosniff',
    ...(isActive && { 'Content-Security-Policy': SANDBOX }),
  };
}
