import { announce } from './rows.client.js';

/**
 * Adds fields to a form without a new page, finds them by name, and offers those that suit the chosen model.
 * @param {HTMLFormElement} form
 * @param {(part: ParentNode) => void} enhance makes a new part of the form usable
 */
export function enableOfferedFields(form, enhance) {
  const list = form.querySelector('.add-field');
  if (list instanceof HTMLDetailsElement) {
    enableFilter(list);
    enableButtons(form, list, enhance);
  }
  enableStructures(form);
}

/** @param {HTMLDetailsElement} list */
function enableFilter(list) {
  const part = list.querySelector('.find-field');
  const input = part?.querySelector('input');
  if (!(part instanceof HTMLElement) || !(input instanceof HTMLInputElement)) return;
  part.hidden = false;

  function filter() {
    const words = (input?.value ?? '').toLowerCase().split(/\s+/);
    for (const field of list.querySelectorAll('li')) {
      const text = `${field.closest('section')?.querySelector('h3')?.textContent} ${field.textContent}`.toLowerCase();
      field.classList.toggle('unmatched', !words.every((word) => text.includes(word)));
    }
    const count = matches(list).length;
    announce(count === 0 ? 'No field found.' : `${count} ${count === 1 ? 'field' : 'fields'} found.`);
  }

  for (const name of ['input', 'change'])
    input.addEventListener(name, (event) => {
      // It is no entry of the form.
      event.stopPropagation();
      if (name === 'input') filter();
    });
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') list.querySelector('summary')?.focus();
    if (event.key !== 'Enter') return;
    event.preventDefault();
    matches(list)[0]?.click();
  });
  list.addEventListener('toggle', () => {
    if (list.open) return input.focus();
    input.value = '';
    for (const field of list.querySelectorAll('li')) field.classList.remove('unmatched');
  });
}

/**
 * Returns the buttons that a list shows at present.
 * @param {Element} list
 * @returns {HTMLButtonElement[]}
 */
function matches(list) {
  return [...list.querySelectorAll('li')].flatMap((field) =>
    field.hidden || field.matches('.unmatched') ? [] : [...field.querySelectorAll('button')],
  );
}

/**
 * @param {HTMLFormElement} form
 * @param {HTMLDetailsElement} list
 * @param {(part: ParentNode) => void} enhance
 */
function enableButtons(form, list, enhance) {
  let isAdding = false;
  list.addEventListener('click', (event) => {
    const button = event.target instanceof Element ? event.target.closest('button[value^="open "]') : null;
    if (!(button instanceof HTMLButtonElement)) return;
    event.preventDefault();
    if (isAdding) return;
    isAdding = true;
    void add(button).finally(() => {
      isAdding = false;
    });
  });

  /** @param {HTMLButtonElement} button */
  async function add(button) {
    const copy = await fieldOf(form, button).catch(() => undefined);
    // The server answers with a page, such as the one to sign in.
    if (copy === undefined) return form.requestSubmit(button);
    const field = button.closest('li');
    const group = field?.closest('section');
    field?.remove();
    if (group?.querySelector('li') === null) group.remove();
    list.open = false;
    list.hidden = list.querySelector('li') === null;
    enhance(copy);
    const control = copy.querySelector(':is(input:not([type=hidden]), textarea, select)[name]');
    if (control instanceof HTMLElement) control.focus();
    announce(`${button.textContent} added.`);
  }
}

/**
 * Fetches the form with a field, and returns this field at its place in the document. Undefined if the answer is another page.
 * @param {HTMLFormElement} form
 * @param {HTMLButtonElement} button
 */
async function fieldOf(form, button) {
  const body = new URLSearchParams();
  for (const [name, value] of new FormData(form, button)) if (typeof value === 'string') body.append(name, value);
  const response = await fetch(form.action, { method: 'POST', body, headers: { Accept: 'text/html' } });
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  const name = button.value.slice('open '.length);
  const field = page.querySelector(`[data-name="${name}"]`);
  const group = field?.closest('.group');
  if (!response.ok || !(field instanceof HTMLElement) || !(group instanceof HTMLElement)) return undefined;
  for (const each of field.querySelectorAll('[autofocus]')) each.removeAttribute('autofocus');
  const groups = form.querySelector('.groups');
  const fields = groups?.querySelector(`[data-group="${group.dataset.group}"] > .group-fields`);
  if (fields) place(field, fields, 'data-name');
  else if (groups) place(group, groups, 'data-group');
  return field;
}

/**
 * Moves an element of another document into a list of this one, before the first of those that follow it there.
 * @param {HTMLElement} element
 * @param {Element} list
 * @param {string} key the attribute with the name of an element
 */
function place(element, list, key) {
  let next = element.nextElementSibling;
  /** @type {Element | null} */
  let before = null;
  for (; next !== null && before === null; next = next.nextElementSibling)
    before = list.querySelector(`:scope > [${key}="${next.getAttribute(key)}"]`);
  list.insertBefore(element, before);
}

/**
 * Shows the fields that suit the chosen model. A field with a value stays.
 * @param {HTMLFormElement} form
 */
function enableStructures(form) {
  /** @type {Record<string, string>} */
  const structures = JSON.parse(form.dataset.structures ?? '{}');
  if (Object.keys(structures).length === 0) return;
  let chosen = structureOf(form, structures);
  form.addEventListener('input', () => {
    const next = structureOf(form, structures);
    if (next === chosen) return;
    chosen = next;
    for (const part of form.querySelectorAll('[data-unsuited]')) {
      if (!(part instanceof HTMLElement)) continue;
      const isUnsuited = next !== undefined && (part.dataset.unsuited ?? '').split(' ').includes(next);
      part.hidden = isUnsuited && !hasValue(part);
    }
  });
}

/**
 * Returns the structure of the chosen model, if fields depend on it.
 * @param {HTMLFormElement} form
 * @param {Record<string, string>} structures
 */
function structureOf(form, structures) {
  const model = form.querySelector('[name="field_model.0.target_id"]');
  const value = model instanceof HTMLSelectElement || model instanceof HTMLInputElement ? model.value : '';
  return structures[/\((\d{1,15})\)\s*$/.exec(value)?.[1] ?? ''];
}

/** @param {HTMLElement} field */
function hasValue(field) {
  if (field.querySelector('[name$="._rest"], .value-file') !== null) return true;
  return [...field.querySelectorAll(':is(input:not([type=hidden], [type=checkbox]), textarea, select)[name]')].some(
    (each) =>
      each instanceof HTMLSelectElement
        ? each.value !== '' && each.options[0]?.value === ''
        : /** @type {HTMLInputElement} */ (each).value.trim() !== '',
  );
}
