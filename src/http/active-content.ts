import { parseMediaType } from '../base/media-type.ts';
import { contentDisposition } from './content-disposition.ts';

/**
 * Types that a browser may run as a program of the site it got them from. XML of any kind is among them: a
 * style sheet that it names may turn it into HTML.
 */
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
/** No script, no form, no origin of its own, and nothing fetched from anywhere. */
const SANDBOX = "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; frame-ancestors 'none'";

/** Whether a browser may run a type, which is given in lower case and without parameters. */
export function isActiveContent(mediaType: string): boolean {
  return ACTIVE_TYPES.has(mediaType) || ACTIVE_SUFFIXES.some((suffix) => mediaType.endsWith(suffix));
}

/**
 * The headers with which a stored file can be opened from the site's own address and do no harm: no type is
 * guessed, and what a browser might run is saved instead of shown, and boxed in where it is shown all the same.
 * `storedType` is what an uploader said; one that is no MIME type is not repeated.
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
