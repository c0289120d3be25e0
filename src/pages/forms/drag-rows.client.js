/** How near to an edge of the window a pointer scrolls it, and by how much. */
const EDGE_PIXELS = 60;
const SCROLL_PIXELS = 14;

/**
 * Moves the rows of a list by their handles, with a mouse, a pen or a finger. Escape restores the order.
 * @param {HTMLElement} list
 * @param {(row: HTMLElement) => void} moved called if the order has changed
 */
export function enableDrag(list, moved) {
  list.addEventListener('pointerdown', (event) => {
    const handle = event.target instanceof Element ? event.target.closest('.row-handle') : null;
    const row = handle?.closest('.value-row');
    if (!(handle instanceof HTMLElement) || !(row instanceof HTMLElement) || event.button !== 0) return;
    event.preventDefault();
    drag(list, row, handle, event.pointerId, moved);
  });
}

/**
 * @param {HTMLElement} list
 * @param {HTMLElement} row
 * @param {HTMLElement} handle
 * @param {number} pointer
 * @param {(row: HTMLElement) => void} moved
 */
function drag(list, row, handle, pointer, moved) {
  const before = [...list.children];
  const ending = new AbortController();
  const { signal } = ending;
  handle.setPointerCapture(pointer);
  row.classList.add('dragged');

  /** @param {boolean} isKept */
  function end(isKept) {
    ending.abort();
    row.classList.remove('dragged');
    const isMoved = [...list.children].some((each, at) => each !== before[at]);
    if (isMoved && isKept) moved(row);
    else if (isMoved) list.replaceChildren(...before);
  }

  handle.addEventListener(
    'pointermove',
    ({ clientY }) => {
      // The dragged row stays where it is in the document and the others pass it: a moved element loses the pointer.
      for (let next = row.nextElementSibling; next && clientY > middle(next); next = row.nextElementSibling)
        row.before(next);
      for (let last = row.previousElementSibling; last && clientY < middle(last); last = row.previousElementSibling)
        row.after(last);
      if (clientY < EDGE_PIXELS) scrollBy(0, -SCROLL_PIXELS);
      if (clientY > innerHeight - EDGE_PIXELS) scrollBy(0, SCROLL_PIXELS);
    },
    { signal },
  );
  handle.addEventListener('pointerup', () => end(true), { signal });
  handle.addEventListener('pointercancel', () => end(false), { signal });
  addEventListener('keydown', ({ key }) => key === 'Escape' && end(false), { signal });
}

/** @param {Element} element */
function middle(element) {
  const { top, height } = element.getBoundingClientRect();
  return top + height / 2;
}
