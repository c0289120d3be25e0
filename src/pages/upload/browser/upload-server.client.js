/** The requests of the upload page, and the sentences about those that fail. */

/** The waits before a lost connection is tried again, in milliseconds. Each success of an upload begins them anew. */
export const RETRY_DELAYS = [0, 1_000, 2_000, 5_000, 10_000, 20_000, 30_000];
/** Statuses that the same request can get over. */
const PASSING = [408, 429, 500, 502, 503, 504];
const SIGNED_OUT =
  'Your session has ended. Sign in again, and choose the same files: they continue where they stopped.';
const LOST = 'The connection was lost. The upload continues when it is back, or try again.';

/** An answer with an error. */
class Refused extends Error {
  /**
   * @param {string} message
   * @param {boolean} passes
   */
  constructor(message, passes) {
    super(message);
    this.passes = passes;
  }
}

/** Returns true if an upload may go on after a status. 409: another request has added to it. @param {number | undefined} status */
export function passes(status) {
  return status === undefined || status === 0 || status === 409 || status === 423 || PASSING.includes(status);
}

/** Returns the sentence about a failed request. @param {unknown} error */
export function messageOf(error) {
  if (error instanceof Refused) return error.message;
  const response = error instanceof Error && 'originalResponse' in error ? error.originalResponse : undefined;
  if (!isAnswer(response)) return LOST;
  return sentenceIn(response.getStatus(), response.getBody());
}

/**
 * @param {unknown} response
 * @returns {response is { getStatus(): number, getBody(): string }}
 */
function isAnswer(response) {
  return typeof response === 'object' && response !== null && 'getStatus' in response && 'getBody' in response;
}

/**
 * @param {number} status
 * @param {string} body
 */
function sentenceIn(status, body) {
  if (status === 0) return LOST;
  if (status === 401) return SIGNED_OUT;
  try {
    const { message } = JSON.parse(body);
    if (status === 403 && String(message).includes('X-CSRF-Token')) return SIGNED_OUT;
    if (typeof message === 'string' && message !== '')
      return message.replace('validation failed.\n', 'validation failed. ');
  } catch {
    // A proxy has answered.
  }
  return `The server answered with the status ${status}. Try again.`;
}

/**
 * Returns a function that posts JSON and returns the JSON of the answer. It tries again after a lost connection.
 * @param {Record<string, string>} headers
 */
export function createPost(headers) {
  const once = async (/** @type {string} */ url, /** @type {unknown} */ body) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json', Accept: 'application/json' },
      body: JSON.stringify(body),
    });
    if (response.ok) return response.json();
    throw new Refused(sentenceIn(response.status, await response.text()), PASSING.includes(response.status));
  };
  return async (/** @type {string} */ url, /** @type {unknown} */ body) => {
    for (const delay of RETRY_DELAYS.slice(1)) {
      try {
        return await once(url, body);
      } catch (error) {
        if (error instanceof Refused && !error.passes) throw error;
        await new Promise((resolve) => setTimeout(resolve, delay));
      }
    }
    return once(url, body);
  };
}
