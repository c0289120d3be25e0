import { enableDrag } from '../forms/drag-rows.client.js';

/** The number of orders that can be restored. */
const MAX_UNDONE = 50;

/**
 * The list of members. The order of its rows is the order of the members; the fields show their positions.
 * @typedef {object} OrderList
 * @property {() => HTMLElement[]} rows the rows in their order
 * @property {() => HTMLElement[]} selected the selected rows in their order
 * @property {(moved: HTMLElement[], position: number) => void} moveTo moves rows together, the first one to a position from 1
 * @property {(order: HTMLElement[]) => void} arrange replaces the order
 * @property {() => boolean} undo restores the last order; false if there is none
 */

/**
 * Creates the list on its element. `changed` is called with the rows that the user has dragged.
 * @param {HTMLElement} element
 * @param {(dragged: HTMLElement[]) => void} changed
 * @returns {OrderList}
 */
export function createOrderList(element, changed) {
  const inputs = new Map(rows().map((row) => [row, inputOf(row)]));
  const boxes = new Map(
    rows().map((row) => [row, /** @type {HTMLInputElement | null} */ (row.querySelector('[data-select]'))]),
  );
  let order = rows();
  /** @type {HTMLElement[][]} */
  const earlier = [];

  function rows() {
    return /** @type {HTMLElement[]} */ ([...element.children]);
  }

  /** Brings the positions up to date with the rows. A position that cannot be read stays as it was typed. */
  function settle() {
    order = rows();
    for (const [at, row] of order.entries()) {
      const input = inputs.get(row);
      const position = String(at + 1);
      if (input != null && input.value !== position && !input.hasAttribute('aria-invalid')) input.value = position;
    }
    element.dispatchEvent(new Event('input', { bubbles: true }));
  }

  /**
   * Changes the rows by a function, and keeps the focus, which a moved element loses.
   * @param {() => void} change
   */
  function keepingFocus(change) {
    const focused = document.activeElement;
    change();
    if (focused instanceof HTMLElement && focused !== document.activeElement) focused.focus();
  }

  function remember() {
    earlier.push(order);
    if (earlier.length > MAX_UNDONE) earlier.shift();
  }

  /**
   * @param {HTMLElement[]} moved
   * @param {number} position
   */
  function place(moved, position) {
    const isMoved = new Set(moved);
    const others = rows().filter((row) => !isMoved.has(row));
    const next = others[position - 1];
    if (next === undefined) element.append(...moved);
    else next.before(...moved);
  }

  const selected = () => order.filter((row) => boxes.get(row)?.checked);

  enableDrag(element, (row) => {
    remember();
    const dragged = boxes.get(row)?.checked ? selected() : [row];
    if (dragged.length > 1) {
      const isDragged = new Set(dragged);
      const all = rows();
      place(dragged, all.slice(0, all.indexOf(row)).filter((each) => !isDragged.has(each)).length + 1);
    }
    settle();
    changed(dragged);
  });

  return {
    rows: () => order,
    selected,
    moveTo(moved, position) {
      remember();
      keepingFocus(() => place(moved, position));
      settle();
    },
    arrange(next) {
      remember();
      keepingFocus(() => element.replaceChildren(...next));
      settle();
    },
    undo() {
      const last = earlier.pop();
      if (last === undefined) return false;
      keepingFocus(() => element.replaceChildren(...last));
      settle();
      return true;
    },
  };
}

/**
 * Returns the field with the position of a row.
 * @param {Element} row
 */
export function inputOf(row) {
  return /** @type {HTMLInputElement | null} */ (row.querySelector('input[name]'));
}

/**
 * Returns the title of a member.
 * @param {Element} row
 */
export function titleOf(row) {
  return row.querySelector('a')?.textContent ?? '';
}

/**
 * Adds what moves a row by pointer and by keyboard.
 * @param {HTMLElement} row
 */
export function addRowTools(row) {
  const title = titleOf(row);
  const handle = document.createElement('span');
  handle.className = 'row-handle';
  handle.setAttribute('aria-hidden', 'true');
  handle.title = 'Drag to move';
  const box = document.createElement('input');
  box.type = 'checkbox';
  box.dataset.select = '';
  box.setAttribute('aria-label', `Select ${title}`);
  row.prepend(handle, box);
  const buttons = document.createElement('span');
  buttons.className = 'row-buttons';
  for (const [step, text] of [
    ['up', 'Up'],
    ['down', 'Down'],
  ]) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'row-button';
    button.dataset.step = step;
    button.textContent = text ?? '';
    button.setAttribute('aria-label', `${text}: ${title}`);
    buttons.append(button);
  }
  row.append(buttons);
}
