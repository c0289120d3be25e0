import { enableCombobox } from '../assets/combobox.client.js';
import { afterPress } from './after-press.client.js';
import { setError } from './errors.client.js';
import { capital, isKnown, isNumbered, MAX_NAME_CHARACTERS, nameOf, noteOf, problemOf } from './name-texts.client.js';
import { createTerm, FAILED, withArticle } from './new-terms.client.js';
import { announce } from './rows.client.js';

/**
 * @typedef {import('./name-texts.client.js').Completion} Completion
 * @typedef {{ uri: string, name: string, match: string | null, years: string, scope: string | null, list: string,
 *   vocabulary: string, bundle: string, id: number | null, creates: boolean }} Authority
 * @typedef {{ name: string, noun: string }} Vocabulary
 * @typedef {{ name: string, label: string }} Service
 * @typedef {{ completions: Completion[], vocabularies: Vocabulary[], authorities: Authority[], services?: Service[],
 *   notices?: string[] }} Answer
 * @typedef {{ text: string, note: string, choose: () => void }} Choice
 */

/**
 * Completes the names of a reference with terms and with records of authority lists, and creates a term where the user may.
 * A name that is not found is said below the input.
 * @param {HTMLInputElement} input
 */
export function enableReference(input) {
  const { names = '', authorities = '', token = '' } = input.dataset;
  /** @type {Choice[]} */
  let choices = [];
  /** The sentence about the typed name if it is left as it is. */
  let leftProblem = '';
  let isCreating = false;
  const note = document.createElement('p');
  note.className = 'name-note';
  note.setAttribute('role', 'status');
  enableCombobox(input, {
    label: 'Names',
    countOf: (count) => (note.textContent ? '' : `${count} ${count === 1 ? 'name' : 'names'} found.`),
    minimum: 1,
    isFilledIn: false,
    async find(text, signal, append) {
      // Another field of the form may decide what is completed.
      const { completions = '' } = input.dataset;
      if (completions === '') return [];
      const answer = await ask(completions, { q: text }, signal);
      if (answer === undefined) return [];
      choices = [...foundIn(answer), ...creatableIn(answer, text)];
      const count = foundIn(answer).length;
      leftProblem = problemOf(answer, text, count);
      say(count === 0 ? leftProblem : '');
      for (const service of answer.services ?? []) void askService(service, answer, text, signal, append);
      return choices;
    },
    choose: (at) => choices[at]?.choose(),
  });
  const popup = document.createElement('div');
  popup.className = 'names-popup';
  input.after(popup);
  popup.append(
    .../** @type {Element[]} */ ([document.getElementById(input.getAttribute('aria-controls') ?? '')]),
    note,
  );
  input.addEventListener('input', () => {
    leftProblem = '';
    say('');
  });
  // A pointer finds the list again.
  input.addEventListener('click', () => {
    if (note.textContent) input.dispatchEvent(new Event('input', { bubbles: true }));
  });
  input.addEventListener('blur', () => afterPress(() => say(leftProblem)));

  /** @param {string} text */
  function say(text) {
    if (note.textContent !== text) note.textContent = text;
  }

  /**
   * Adds the records of a service on the web when it answers.
   * @param {Service} service
   * @param {Answer} own the answer without services
   * @param {string} text
   * @param {AbortSignal} signal
   * @param {(options: readonly Choice[]) => void} append
   */
  async function askService({ name, label }, own, text, signal, append) {
    try {
      const { completions = '' } = input.dataset;
      const answer = await ask(completions, { q: text, service: name }, signal);
      if (answer === undefined || signal.aborted) return;
      const known = new Set(choices.map((each) => `${each.text} ${each.note}`));
      const records = answer.authorities.flatMap((record) => recordChoice(record, own, { service: name, q: text }));
      const more = records.filter((each) => !known.has(`${each.text} ${each.note}`));
      choices = [...choices, ...more];
      if (more.length > 0) say('');
      append(more);
      complain(answer.notices ?? []);
    } catch {
      if (!signal.aborted) complain([`${label} does not answer.`]);
    }
  }

  /** @param {readonly string[]} notices */
  function complain(notices) {
    if (notices.length > 0) say([note.textContent, ...notices].filter(Boolean).join(' '));
  }

  /** @param {Answer} answer */
  function foundIn(answer) {
    const known = new Set(answer.completions.map(({ id }) => id));
    return [
      ...answer.completions.map((each) => ({
        text: nameOf(each),
        note: noteOf(each),
        choose: () => fillIn(each.text),
      })),
      ...answer.authorities
        .filter(({ id }) => id === null || !known.has(id))
        .flatMap((record) => recordChoice(record, answer, {})),
    ];
  }

  /**
   * @param {Authority} record
   * @param {Answer} answer
   * @param {object} origin the service that has it
   * @returns {Choice[]}
   */
  function recordChoice(record, answer, origin) {
    const { uri, name, match, years, scope, list, vocabulary, bundle, id, creates } = record;
    if (id === null && !creates) return [];
    const noun = answer.vocabularies.find((each) => each.name === vocabulary)?.noun ?? bundle;
    const also = match === null ? '' : `also ${match}`;
    const parts = [capital(noun), years, also, scope ?? '', id === null ? `from ${list}` : `(${id})`];
    const choose =
      id === null
        ? () => create(`${authorities}${vocabulary}`, { uri, ...origin }, name)
        : () => fillIn(`${name} (${id})`);
    return [{ text: name, note: parts.filter(Boolean).join(' · '), choose }];
  }

  /**
   * @param {Answer} answer
   * @param {string} text
   * @returns {Choice[]}
   */
  function creatableIn({ completions, vocabularies }, text) {
    if (isKnown(completions, text) || isNumbered(text) || [...text].length > MAX_NAME_CHARACTERS) return [];
    return vocabularies.map(({ name, noun }) => ({
      text: `Create “${text}” as ${withArticle(noun)}`,
      note: '',
      choose: () => create(`${names}${name}`, { name: text }, text),
    }));
  }

  /** @param {string} text */
  function fillIn(text) {
    input.value = text;
    leftProblem = '';
    say('');
    setError(input, undefined);
    input.closest('.value-row, .form-field')?.querySelector('.new-terms')?.remove();
    // Other scripts hear of it, this box has its choice.
    input.form?.dispatchEvent(new Event('input', { bubbles: true }));
  }

  /**
   * @param {string} address
   * @param {object} body
   * @param {string} name
   */
  async function create(address, body, name) {
    if (isCreating) return;
    isCreating = true;
    const typed = input.value;
    try {
      const answer = await createTerm(address, token, body);
      if ('problem' in answer) setError(input, answer.problem);
      else {
        // A user may have typed on meanwhile.
        if (input.value === typed) fillIn(answer.text);
        announce(`Created “${name}”.`);
      }
    } catch {
      setError(input, FAILED);
    } finally {
      isCreating = false;
    }
  }
}

/**
 * @param {string} address
 * @param {Record<string, string>} query
 * @param {AbortSignal} signal
 * @returns {Promise<Answer | undefined>}
 */
async function ask(address, query, signal) {
  const response = await fetch(`${address}?${new URLSearchParams(query)}`, { signal });
  return response.ok ? response.json() : undefined;
}
