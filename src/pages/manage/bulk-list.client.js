import { enableReference } from '../forms/references.client.js';

/** Selects all rows of a list, or a range of them with Shift, and shows how many are selected. */
const form = document.querySelector('form.bulk-list');
if (form instanceof HTMLFormElement) enhance(form);
for (const input of document.querySelectorAll('form.filters input[data-completions]'))
  if (input instanceof HTMLInputElement) enableReference(input);

/** @param {HTMLFormElement} list */
function enhance(list) {
  const boxes = /** @type {HTMLInputElement[]} */ ([...list.querySelectorAll('input[name=entry]')]);
  const all = /** @type {HTMLInputElement | null} */ (list.querySelector('input[data-all]'));
  const shown = list.querySelector('[data-count]');
  let last = -1;

  function show() {
    const count = boxes.filter((box) => box.checked).length;
    if (shown !== null) shown.textContent = count === 0 ? '' : `${count} selected`;
    if (all === null) return;
    all.checked = count === boxes.length;
    all.indeterminate = count > 0 && count < boxes.length;
  }

  if (all !== null) {
    all.hidden = false;
    all.addEventListener('change', () => {
      for (const box of boxes) box.checked = all.checked;
      show();
    });
  }
  list.addEventListener('click', (event) => {
    const at = boxes.indexOf(/** @type {HTMLInputElement} */ (event.target));
    const box = boxes[at];
    if (box === undefined) return;
    if (event.shiftKey && last >= 0)
      for (const each of boxes.slice(Math.min(at, last), Math.max(at, last))) each.checked = box.checked;
    last = at;
  });
  list.addEventListener('change', show);
  // A browser that comes back to the page restores the selection.
  addEventListener('pageshow', show);
  show();
}
