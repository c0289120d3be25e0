import { enableCombobox } from '../assets/combobox.client.js';

const MIN_CHARACTERS = 2;
/** @type {Readonly<Record<string, string>>} */
const KINDS = { title: 'Item', collection: 'Collection', term: 'Subject or name' };

/** @typedef {{ text: string, kind: string, url: string | null }} Suggestion */

/**
 * Adds suggestions to a search box. The form works as before.
 * @param {HTMLInputElement} input
 * @param {string} address
 */
function enable(input, address) {
  /** @type {readonly Suggestion[]} */
  let suggestions = [];
  enableCombobox(input, {
    label: 'Suggestions',
    countOf: (count) => (count === 0 ? '' : `${count} ${count === 1 ? 'suggestion' : 'suggestions'}`),
    minimum: MIN_CHARACTERS,
    isFilledIn: true,
    async find(text, signal) {
      const response = await fetch(`${address}?${new URLSearchParams({ q: text })}`, { signal });
      if (!response.ok) return undefined;
      suggestions = (await response.json()).suggestions;
      return suggestions.map((each) => ({ text: each.text, note: KINDS[each.kind] ?? '' }));
    },
    choose(at) {
      const chosen = suggestions[at];
      if (chosen === undefined) return;
      input.value = chosen.text;
      if (chosen.url === null) input.form?.requestSubmit();
      else location.assign(chosen.url);
    },
  });
}

for (const input of document.querySelectorAll('input[data-suggest]'))
  if (input instanceof HTMLInputElement) enable(input, input.dataset.suggest ?? '');
