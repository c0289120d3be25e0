/**
 * The texts about names that are typed in a form.
 */

/** @typedef {{ id: number, text: string, noun: string, years: string, items: number | null }} Completion */

export const MAX_NAME_CHARACTERS = 255;
/** As the server counts them at most. */
const MAX_COUNTED_ITEMS = 500;

/**
 * Returns the sentence about a name that is no name of an entity, or of several.
 * @param {{ completions: Completion[], vocabularies: readonly unknown[] }} answer
 * @param {string} text
 * @param {number} count the number of names that were found
 */
export function problemOf({ completions, vocabularies }, text, count) {
  const same = completions.filter((each) => isSame(each, text)).length;
  if (same === 1 || isNumbered(text) || /^\d{1,15}$/.test(text)) return '';
  if (same > 1) return `${same} names are “${text}”. Choose one of the list.`;
  const length = [...text].length;
  if (length > MAX_NAME_CHARACTERS)
    return `A name may not be longer than ${MAX_NAME_CHARACTERS} characters; this one has ${length}.`;
  const advice =
    vocabularies.length > 0
      ? 'Choose another name, or create it.'
      : count > 0
        ? 'Choose a name of the list.'
        : 'You may not create names here: choose one that exists.';
  return `Nothing is called “${text}”. ${advice}`;
}

/** @param {Completion} completion */
export function nameOf({ text, id }) {
  return text.slice(0, -` (${id})`.length);
}

/**
 * Returns what tells a name from others.
 * @param {Completion} completion
 */
export function noteOf({ id, noun, years, items }) {
  const count = items === MAX_COUNTED_ITEMS ? `${items} items or more` : `${items} ${items === 1 ? 'item' : 'items'}`;
  return [capital(noun), years, items === null ? '' : count, `(${id})`].filter(Boolean).join(' · ');
}

/** @param {string} noun */
export function capital(noun) {
  return noun.slice(0, 1).toUpperCase() + noun.slice(1);
}

/**
 * @param {Completion} completion
 * @param {string} text
 */
function isSame(completion, text) {
  return nameOf(completion).toLowerCase() === text.toLowerCase();
}

/**
 * @param {readonly Completion[]} completions
 * @param {string} text
 */
export function isKnown(completions, text) {
  return completions.some((each) => isSame(each, text));
}

/** @param {string} text */
export function isNumbered(text) {
  return /\(\d{1,15}\)$/.test(text);
}
