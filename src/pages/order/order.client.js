import { announce } from '../forms/rows.client.js';
import { addRowTools, createOrderList, inputOf, titleOf } from './order-list.client.js';

/** Moves the members of an item by pointer and by keyboard: one, several at once, or all by their titles. */
const NUMBER = new Intl.NumberFormat('en');

const rows = document.querySelector('.order-rows');
const tools = document.querySelector('.order-tools');
if (rows instanceof HTMLElement && tools instanceof HTMLElement) enable(rows, tools);

/**
 * @param {HTMLElement} element
 * @param {HTMLElement} section
 */
function enable(element, section) {
  for (const row of element.children) if (row instanceof HTMLElement) addRowTools(row);
  const list = createOrderList(element, announceMoved);
  const total = list.rows().length;
  const shown = section.querySelector('[data-count]');
  const problem = section.querySelector('[data-problem]');
  const help = document.querySelector('#order-help');
  if (help !== null)
    help.textContent = `${NUMBER.format(total)} members. Drag them, use their buttons, or type a new position. Select several to move them together.`;

  /** @param {HTMLElement[]} moved */
  function announceMoved(moved) {
    const [first] = moved;
    if (first === undefined) return;
    const position = `${NUMBER.format(list.rows().indexOf(first) + 1)} of ${NUMBER.format(total)}`;
    if (moved.length === 1) announce(`${titleOf(first)}: moved to position ${position}.`);
    else announce(`${NUMBER.format(moved.length)} members moved to position ${position}.`);
  }

  /**
   * @param {HTMLElement[]} moved
   * @param {number} position
   */
  function move(moved, position) {
    list.moveTo(moved, position);
    announceMoved(moved);
  }

  /**
   * Moves rows together by one position.
   * @param {HTMLElement[]} moved
   * @param {string | undefined} direction
   */
  function step(moved, direction) {
    const places = moved.map((row) => list.rows().indexOf(row));
    const [first = 0, last = 0] = [places[0], places.at(-1)];
    const isApart = last - first >= moved.length;
    if (direction === 'up' && (first > 0 || isApart)) move(moved, Math.max(first, 1));
    else if (direction === 'down' && (last < total - 1 || isApart))
      move(moved, Math.min(last - moved.length + 3, total));
    else announce(direction === 'up' ? 'It is the first one already.' : 'It is the last one already.');
  }

  /** @param {string} text */
  function complain(text) {
    if (problem !== null) problem.textContent = text;
  }

  /**
   * Returns the position in a field of the tools. Undefined for other text, with a message.
   * @param {string} id
   */
  function readTool(id) {
    const input = section.querySelector(`#${id}`);
    if (!(input instanceof HTMLInputElement)) return undefined;
    const position = positionIn(input.value, total);
    input.removeAttribute('aria-invalid');
    if (position !== undefined) return position;
    input.setAttribute('aria-invalid', 'true');
    complain(`Enter a number from 1 to ${NUMBER.format(total)}.`);
    input.focus();
    return undefined;
  }

  function showCount() {
    const count = list.selected().length;
    if (shown !== null) shown.textContent = count === 0 ? 'None selected' : `${NUMBER.format(count)} selected`;
  }

  /**
   * @param {HTMLElement[]} rows
   * @param {boolean} isSelected
   */
  function select(rows, isSelected) {
    for (const row of rows) {
      const box = row.querySelector('[data-select]');
      if (box instanceof HTMLInputElement) box.checked = isSelected;
    }
    showCount();
  }

  function selectRange() {
    const from = readTool('range-from');
    const to = from && readTool('range-to');
    if (from === undefined || to === undefined) return;
    select(list.rows().slice(Math.min(from, to) - 1, Math.max(from, to)), true);
    announce(`${NUMBER.format(list.selected().length)} selected.`);
  }

  function sort() {
    const { compare } = new Intl.Collator(document.documentElement.lang, { numeric: true, sensitivity: 'base' });
    const titled = list.rows().map((row) => ({ row, title: titleOf(row) }));
    list.arrange(titled.sort((a, b) => compare(a.title, b.title)).map(({ row }) => row));
    announce(`${NUMBER.format(total)} members sorted by title.`);
  }

  /** @param {string | undefined} name */
  function useTool(name) {
    complain('');
    const selected = list.selected();
    if (name === 'sort') sort();
    else if (name === 'reverse') {
      list.arrange(list.rows().toReversed());
      announce('The order is reversed.');
    } else if (name === 'undo') announce(list.undo() ? 'The earlier order is restored.' : 'There is nothing to undo.');
    else if (name === 'select') selectRange();
    else if (name === 'clear') select(selected, false);
    else if (selected.length === 0) complain('Select members first, or a range of positions.');
    else if (name === 'move') {
      const position = readTool('range-target');
      if (position !== undefined) move(selected, position);
    } else step(selected, name);
    if ((name === 'move' || name === 'up' || name === 'down') && selected[0] !== undefined)
      selected[0].scrollIntoView({ block: 'center' });
  }

  section.addEventListener('click', ({ target }) => {
    const button = target instanceof Element ? target.closest('button[data-tool]') : null;
    if (button instanceof HTMLElement) useTool(button.dataset.tool);
  });
  section.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement)) return;
    event.preventDefault();
    useTool(event.target.id === 'range-target' ? 'move' : 'select');
  });

  enableRows(element, { move, step, showCount, total });
}

/**
 * @param {HTMLElement} element
 * @param {object} list
 * @param {(moved: HTMLElement[], position: number) => void} list.move
 * @param {(moved: HTMLElement[], direction: string | undefined) => void} list.step
 * @param {() => void} list.showCount
 * @param {number} list.total
 */
function enableRows(element, { move, step, showCount, total }) {
  /** @type {Element | null} */
  let last = null;

  /** @param {HTMLInputElement} input */
  function typed(input) {
    const row = rowOf(input);
    const position = positionIn(input.value, total);
    if (row === undefined) return;
    showError(row, position === undefined ? `Enter a number from 1 to ${NUMBER.format(total)}.` : undefined);
    const isThere = position !== undefined && element.children[position - 1] === row;
    if (position !== undefined && !isThere) move([row], position);
  }

  element.addEventListener('click', (event) => {
    const { target, shiftKey } = event;
    const row = target instanceof Element ? rowOf(target) : undefined;
    if (row === undefined || !(target instanceof HTMLElement)) return;
    if (target.dataset.step !== undefined) step([row], target.dataset.step);
    if (!(target instanceof HTMLInputElement) || target.dataset.select === undefined) return;
    const all = [...element.children];
    const [at, from] = [all.indexOf(row), last === null ? -1 : all.indexOf(last)];
    if (shiftKey && from >= 0)
      for (const each of all.slice(Math.min(at, from), Math.max(at, from) + 1)) {
        const box = each.querySelector('[data-select]');
        if (box instanceof HTMLInputElement) box.checked = target.checked;
      }
    last = row;
  });
  element.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLInputElement)) return;
    if (target.dataset.select === undefined) typed(target);
    else showCount();
  });
  // A selection is no change of the form.
  element.addEventListener('input', (event) => {
    if (event.target instanceof HTMLInputElement && event.target.dataset.select !== undefined) event.stopPropagation();
  });
  element.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement)) return;
    // The return key must not send the form: it moves the member.
    event.preventDefault();
    if (event.target.dataset.select === undefined) typed(event.target);
  });
}

/** @param {Element} element */
function rowOf(element) {
  const row = element.closest('.value-row');
  return row instanceof HTMLElement ? row : undefined;
}

/**
 * Shows or removes the message about the position of a row.
 * @param {HTMLElement} row
 * @param {string | undefined} message
 */
function showError(row, message) {
  const input = inputOf(row);
  row.querySelector('.error')?.remove();
  input?.removeAttribute('aria-invalid');
  input?.removeAttribute('aria-describedby');
  if (message === undefined || input === null) return;
  const error = document.createElement('span');
  error.className = 'error';
  error.id = `${input.id}-error`;
  error.textContent = message;
  row.querySelector('a')?.parentElement?.append(error);
  input.setAttribute('aria-invalid', 'true');
  input.setAttribute('aria-describedby', error.id);
  announce(message);
}

/**
 * Returns the position that a text names. Undefined for other text.
 * @param {string} text
 * @param {number} total
 */
function positionIn(text, total) {
  const position = /^\d{1,9}$/.test(text.trim()) ? Number(text) : 0;
  return position >= 1 && position <= total ? position : undefined;
}
