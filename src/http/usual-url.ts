/** Elysia looks for the path from this character on, as if every host had four letters or more. */
const FIRST_PATH_INDEX = 'http://host'.length;

/**
 * A request as Elysia expects it. Of HTTP/1.0 without Host the URL is only a path, and a host such as
 * `ocr` is too short: both would be answered with 404. `server`: where it came in, which knows its scheme.
 */
export function withUsualUrl(request: Request, server?: { readonly protocol: string | null }): Request {
  const { url } = request;
  const isPath = url.startsWith('/');
  const pathIndex = isPath ? 0 : url.indexOf('/', url.indexOf('://') + '://'.length);
  if (pathIndex >= FIRST_PATH_INDEX) return request;
  const isSecure = isPath ? server?.protocol === 'https' : url.startsWith('https:');
  return new Request(`${isSecure ? 'https' : 'http'}://localhost${url.slice(pathIndex)}`, request);
}
