/** @typedef {import('../../field-types/text-check.ts').TextCheck} TextCheck */

/** Maximum number of characters of a text within a message. */
const MAX_SHOWN = 200;

/**
 * Returns the message of the first rule that a text breaks; undefined for a valid text.
 * @param {readonly TextCheck[]} checks
 * @param {string} text
 */
export function problemOf(checks, text) {
  const broken = checks.find(({ pattern, flags, min, max }) => {
    if (pattern !== undefined && !new RegExp(pattern, flags).test(text)) return true;
    return (min !== undefined && Number(text) < min) || (max !== undefined && Number(text) > max);
  });
  const shown = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
  return broken?.message.replace('{value}', () => shown);
}
