/**
 * Creates terms over the API, with the token of the session. Each address answers with the term that exists already.
 */

/** @typedef {{ text: string } | { problem: string }} TermAnswer */

export const FAILED = 'The term could not be created. Try again, or save the form without it.';

/**
 * Returns the word with its article: `an organization`.
 * @param {string} noun
 */
export function withArticle(noun) {
  return `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`;
}

/**
 * @param {string} address the path of the vocabulary
 * @param {string} tokenAddress
 * @param {object} body a name, or the URI of a record
 * @returns {Promise<TermAnswer>}
 */
export async function createTerm(address, tokenAddress, body) {
  const token = await (await fetch(tokenAddress)).text();
  const response = await fetch(address, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-CSRF-Token': token },
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  if (response.ok) return { text: answer.text };
  return { problem: typeof answer.message === 'string' ? answer.message : FAILED };
}
