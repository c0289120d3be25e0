import { enableCombobox } from '../assets/combobox.client.js';
import { setError } from './errors.client.js';
import { announce } from './rows.client.js';

/** @typedef {{ id: number, text: string, bundle: string }} Completion */
/** @typedef {{ completions: Completion[], creates: boolean, vocabulary: string | null }} Answer */

const FAILED = 'The term could not be created. Try again, or save the form without it.';

/**
 * Completes the names of a reference, and creates a term where the field allows it.
 * @param {HTMLInputElement} input
 */
export function enableReference(input) {
  const { terms = '', token = '' } = input.dataset;
  /** @type {Completion[]} */
  let targets = [];
  /** @type {{ name: string, vocabulary: string } | undefined} */
  let creatable;
  let isCreating = false;
  enableCombobox(input, {
    label: 'Names',
    countOf: (count) => (count === 0 ? 'Nothing found.' : `${count} ${count === 1 ? 'name' : 'names'} found.`),
    minimum: 1,
    isFilledIn: false,
    async find(text, signal) {
      // Another field of the form may decide what is completed.
      const { completions = '' } = input.dataset;
      if (completions === '') return [];
      const response = await fetch(`${completions}?${new URLSearchParams({ q: text })}`, { signal });
      if (!response.ok) return [];
      /** @type {Answer} */
      const { completions: all, creates, vocabulary } = await response.json();
      targets = all;
      const isKnown = all.some((each) => nameOf(each).toLowerCase() === text.toLowerCase());
      creatable = creates && vocabulary && !isKnown && !isNumbered(text) ? { name: text, vocabulary } : undefined;
      const options = targets.map((each) => ({ text: nameOf(each), note: `${each.bundle} (${each.id})` }));
      return creatable === undefined ? options : [...options, { text: `Create “${text}”`, note: 'New term' }];
    },
    choose(at) {
      const chosen = targets[at];
      if (chosen !== undefined) fillIn(chosen.text);
      else if (creatable !== undefined && !isCreating) void create(creatable);
    },
  });

  /** @param {string} text */
  function fillIn(text) {
    input.value = text;
    setError(input, undefined);
    input.closest('.value-row')?.querySelector('button[value^="create "]')?.remove();
    // Other scripts hear of it, this box has its choice.
    input.form?.dispatchEvent(new Event('input', { bubbles: true }));
  }

  /** @param {{ name: string, vocabulary: string }} term */
  async function create({ name, vocabulary }) {
    isCreating = true;
    try {
      const answer = await createTerm(terms, token, name, vocabulary);
      if ('problem' in answer) setError(input, answer.problem);
      else {
        // A user may have typed on meanwhile.
        if (input.value.trim() === name) fillIn(`${name} (${answer.id})`);
        announce(`Created “${name}”.`);
      }
    } catch {
      setError(input, FAILED);
    } finally {
      isCreating = false;
    }
  }
}

/** @param {Completion} completion */
function nameOf({ text, id }) {
  return text.slice(0, -` (${id})`.length);
}

/** @param {string} text */
function isNumbered(text) {
  return /\(\d{1,15}\)$/.test(text);
}

/**
 * Creates a term over the API, with the token of the session.
 * @param {string} address
 * @param {string} tokenAddress
 * @param {string} name
 * @param {string} vocabulary
 * @returns {Promise<{ id: number } | { problem: string }>}
 */
async function createTerm(address, tokenAddress, name, vocabulary) {
  const token = await (await fetch(tokenAddress)).text();
  const response = await fetch(`${address}?_format=json`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-CSRF-Token': token },
    body: JSON.stringify({ vid: [{ target_id: vocabulary }], name: [{ value: name }] }),
  });
  const answer = await response.json();
  if (response.ok) return { id: answer.tid[0].value };
  return { problem: typeof answer.message === 'string' ? answer.message : FAILED };
}
