import { followRedirects, RedirectRefused } from '../../base/follow-redirects.ts';
import { readLimited } from '../../base/read-limited.ts';

const MAX_REDIRECTS = 3;
const MAX_BYTES = 1024 * 1024;

/** A service that cannot be asked at present. The message completes "x cannot be asked at present: it …". */
export class ServiceFailure extends Error {
  override readonly name = 'ServiceFailure';
}

/**
 * Reads the JSON at an address of a service. Follows redirects within the origin of the service only, so that an answer leads
 * to no server of this network. Throws ServiceFailure for one that does not answer in time, or not with JSON.
 */
export async function askService(address: URL, timeoutSeconds: number): Promise<unknown> {
  const signal = AbortSignal.timeout(timeoutSeconds * 1_000);
  try {
    const response = await follow(address, signal);
    const text = response.body === null ? '' : await readLimited(response.body, MAX_BYTES);
    return JSON.parse(text);
  } catch (error) {
    throw toFailure(error, timeoutSeconds);
  }
}

async function follow(address: URL, signal: AbortSignal): Promise<Response> {
  const headers = { Accept: 'application/json', 'User-Agent': 'repo' };
  const allowed = [new URL(address.origin)];
  try {
    return await requireJson(await followRedirects(address, { headers, allowed, maxRedirects: MAX_REDIRECTS, signal }));
  } catch (error) {
    if (!(error instanceof RedirectRefused)) throw error;
    const reason =
      error.reason === 'address' ? 'redirects to another server' : `redirects more than ${MAX_REDIRECTS} times`;
    throw new ServiceFailure(reason, { cause: error });
  }
}

async function requireJson(response: Response): Promise<Response> {
  const type = response.headers.get('content-type') ?? '';
  const isJson = /\bjson\b|javascript/i.test(type);
  if (response.status === 200 && isJson) return response;
  await response.body?.cancel();
  throw new ServiceFailure(response.status === 200 ? 'did not answer with JSON' : `answered ${response.status}`);
}

function toFailure(error: unknown, timeoutSeconds: number): ServiceFailure {
  if (error instanceof ServiceFailure) return error;
  const options = { cause: error };
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return new ServiceFailure(`has not answered within ${timeoutSeconds} s`, options);
  if (error instanceof SyntaxError) return new ServiceFailure('did not answer with JSON', options);
  if (error instanceof RangeError) return new ServiceFailure('answered with too much', options);
  return new ServiceFailure('cannot be reached', options);
}
