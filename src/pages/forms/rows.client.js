import { enableDrag } from './drag-rows.client.js';

/**
 * Adds, moves and removes the values of fields without a request. Numbers in names, ids and labels follow the order of the
 * rows. A new row is announced to other scripts by `row-added`, which bubbles from it.
 */

/** What the server calls a control: `field_subject.2.target_id`. */
const NUMBERED = ['name', 'id', 'for', 'aria-describedby', 'aria-controls', 'aria-labelledby', 'aria-activedescendant'];
const OPEN = ':is(input:not([type=hidden], [type=checkbox]), textarea, select)[name]';

/** @type {HTMLElement | undefined} */
let region;

/**
 * Says what has happened, politely.
 * @param {string} text
 */
export function announce(text) {
  if (region === undefined) {
    region = document.createElement('p');
    region.className = 'unseen';
    region.setAttribute('role', 'status');
    document.querySelector('main')?.append(region);
  }
  region.textContent = text;
}

/**
 * Enables the buttons of a field with several values. Call it before other scripts change the rows: new ones are copies.
 * @param {HTMLFieldSetElement} field
 */
export function enableRows(field) {
  const { field: name = '', label = '', most = 'any' } = field.dataset;
  const list = field.querySelector('.value-rows');
  const adding = field.querySelector('button.add');
  const first = list?.querySelector(':scope > .value-row');
  if (!(list instanceof HTMLElement) || !(first instanceof HTMLElement)) return;
  const empty = emptied(first);
  const rows = () => /** @type {HTMLElement[]} */ ([...list.querySelectorAll(':scope > .value-row')]);

  /** Brings numbers, labels and buttons up to date with the order of the rows. */
  function renumber() {
    const all = rows();
    /** @type {Map<string, string>} */
    const moved = new Map();
    for (const [at, row] of all.entries()) {
      for (const each of [row, ...row.querySelectorAll('*')]) number(each, at, moved);
      const isPlain = all.length === 1 && isBlank(row);
      row.querySelector(':scope > .row-buttons')?.remove();
      if (!isPlain) row.append(buttonsFor(name, label, at, all.length));
    }
    for (const link of document.querySelectorAll('.error-summary a')) {
      const href = link.getAttribute('href') ?? '';
      const to = moved.get(href.slice(1));
      if (to !== undefined) link.setAttribute('href', `#${to}`);
    }
    if (adding instanceof HTMLElement) adding.hidden = most !== 'any' && all.length >= Number(most);
    field.dispatchEvent(new Event('input', { bubbles: true }));
  }

  /**
   * @param {Element} element
   * @param {number} at
   * @param {Map<string, string>} moved
   */
  function number(element, at, moved) {
    for (const attribute of NUMBERED) {
      const value = element.getAttribute(attribute);
      if (value === null || !value.includes(`${name}.`)) continue;
      const next = value.replace(new RegExp(`(^|[ ])${name}\\.\\d+\\.`, 'g'), `$1${name}.${at}.`);
      if (attribute === 'id') moved.set(value, next);
      element.setAttribute(attribute, next);
    }
    if (element.hasAttribute('aria-label') && element.matches('.value-controls'))
      element.setAttribute('aria-label', `${label} ${at + 1}`);
    if (element.matches('label > .unseen')) element.textContent = `${label} ${at + 1}`;
    if (element instanceof HTMLButtonElement && element.value.startsWith('create '))
      element.value = `create ${name} ${at} ${element.value.split(' ')[3]}`;
  }

  function add() {
    if (most !== 'any' && rows().length >= Number(most)) return;
    const row = /** @type {HTMLElement} */ (empty.cloneNode(true));
    list?.append(row);
    renumber();
    row.dispatchEvent(new CustomEvent('row-added', { bubbles: true }));
    firstControl(row)?.focus();
    announce(`${label} ${rows().length} added.`);
  }

  /** @param {number} at */
  function remove(at) {
    const row = rows()[at];
    if (row === undefined) return;
    for (const control of row.querySelectorAll('[id]'))
      for (const link of document.querySelectorAll('.error-summary a'))
        if (link.getAttribute('href') === `#${control.id}`) link.closest('li')?.remove();
    row.remove();
    if (rows().length === 0 && most !== '0') {
      const blank = /** @type {HTMLElement} */ (empty.cloneNode(true));
      list?.append(blank);
      renumber();
      blank.dispatchEvent(new CustomEvent('row-added', { bubbles: true }));
    } else renumber();
    const next = rows()[at]?.querySelector('button[value^="remove "]') ?? (rows().length === 1 ? undefined : adding);
    const focused = next instanceof HTMLElement && !next.hidden ? next : firstControl(rows().at(-1));
    focused?.focus();
    announce(`${label} ${at + 1} removed.`);
  }

  /**
   * @param {number} at
   * @param {number} step
   */
  function move(at, step) {
    const [row, other] = [rows()[at], rows()[at + step]];
    if (row === undefined || other === undefined) return;
    // The row itself keeps its place in the document, so that an editor in it keeps its state.
    if (step < 0) row.after(other);
    else row.before(other);
    renumber();
    const wanted = row.querySelectorAll(`button[value^="${step < 0 ? 'up' : 'down'} "]`);
    const usable = [...wanted, ...row.querySelectorAll('.row-button')].find((each) => !each.matches(':disabled'));
    if (usable instanceof HTMLElement) usable.focus();
    announce(`${label}: moved to place ${at + step + 1} of ${rows().length}.`);
  }

  field.addEventListener('click', (event) => {
    const button = event.target instanceof Element ? event.target.closest('button[name=do]') : null;
    if (!(button instanceof HTMLButtonElement)) return;
    const [action, of, delta] = button.value.split(' ');
    if (of !== name || action === 'create') return;
    event.preventDefault();
    if (action === 'add') add();
    else if (action === 'remove') remove(Number(delta));
    else move(Number(delta), action === 'up' ? -1 : 1);
  });
  enableDrag(list, (row) => {
    renumber();
    announce(`${label}: moved to place ${rows().indexOf(row) + 1} of ${rows().length}.`);
  });
  for (const row of rows()) addHandle(row.querySelector(':scope > .row-buttons'), rows().length);
}

/** @param {Element | undefined} row */
function firstControl(row) {
  const control = row?.querySelector(OPEN) ?? row?.querySelector('input[type=checkbox][name]');
  return control instanceof HTMLElement ? control : undefined;
}

/**
 * Returns true for a row in which nothing is typed or chosen, as the server decides it.
 * @param {Element} row
 */
export function isBlank(row) {
  return [...row.querySelectorAll(OPEN)].every((each) => {
    if (each instanceof HTMLSelectElement) return each.value === '' || each.options[0]?.value !== '';
    return /** @type {HTMLInputElement} */ (each).value.trim() === '';
  });
}

/**
 * Returns a copy of a row without its value.
 * @param {HTMLElement} row
 */
function emptied(row) {
  const copy = /** @type {HTMLElement} */ (row.cloneNode(true));
  const gone = '.error, .row-buttons, [name$="._rest"], [data-unknown], .new-terms';
  for (const each of copy.querySelectorAll(gone)) each.remove();
  for (const each of copy.querySelectorAll('.invalid')) each.classList.remove('invalid');
  for (const each of copy.querySelectorAll('input, textarea, option')) {
    if (each instanceof HTMLOptionElement) each.removeAttribute('selected');
    else if (each instanceof HTMLTextAreaElement) each.textContent = '';
    else if (each.matches('[type=checkbox]')) each.removeAttribute('checked');
    else if (!each.matches('[type=hidden]')) each.setAttribute('value', '');
  }
  for (const each of copy.querySelectorAll('[aria-invalid]')) each.removeAttribute('aria-invalid');
  for (const each of copy.querySelectorAll('[aria-describedby]')) {
    const kept = (each.getAttribute('aria-describedby') ?? '').split(' ').filter((id) => !id.endsWith('-error'));
    if (kept.length === 0) each.removeAttribute('aria-describedby');
    else each.setAttribute('aria-describedby', kept.join(' '));
  }
  return copy;
}

/**
 * Returns the same buttons as the server's.
 * @param {string} name
 * @param {string} label
 * @param {number} at
 * @param {number} count
 */
function buttonsFor(name, label, at, count) {
  const buttons = document.createElement('div');
  buttons.className = 'row-buttons';
  /** @type {[action: string, text: string, isOff: boolean][]} */
  const moves = [
    ['up', 'Up', at === 0],
    ['down', 'Down', at === count - 1],
  ];
  for (const [action, text, isOff] of [
    ...(count > 1 ? moves : []),
    /** @type {const} */ (['remove', 'Remove', false]),
  ]) {
    const button = document.createElement('button');
    const place = document.createElement('span');
    place.className = 'unseen';
    place.textContent = `: ${label} ${at + 1}`;
    button.append(text, place);
    button.className = 'row-button';
    button.name = 'do';
    button.value = `${action} ${name} ${at}`;
    button.disabled = isOff;
    buttons.append(button);
  }
  addHandle(buttons, count);
  return buttons;
}

/**
 * Adds what a pointer drags. The buttons do the same by keyboard.
 * @param {Element | null} buttons
 * @param {number} count
 */
function addHandle(buttons, count) {
  if (buttons === null || count < 2) return;
  const handle = document.createElement('span');
  handle.className = 'row-handle';
  handle.setAttribute('aria-hidden', 'true');
  handle.title = 'Drag to move';
  buttons.prepend(handle);
}
