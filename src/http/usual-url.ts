/** Elysia looks for the path from this character on, as if every host had four letters or more. */
const FIRST_PATH_INDEX = 'http://host'.length;

/**
 * A request as Elysia expects it. Of HTTP/1.0 without Host the URL is only a path, and a host such as
 * `ocr` is too short: both would be answered with 404.
 */
export function withUsualUrl(request: Request): Request {
  const { url } = request;
  const pathIndex = url.startsWith('/') ? 0 : url.indexOf('/', 'http://'.length);
  return pathIndex < FIRST_PATH_INDEX ? new Request(`http://localhost${url.slice(pathIndex)}`, request) : request;
}
