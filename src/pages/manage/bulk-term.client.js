import { enableReference } from '../forms/references.client.js';

/** Completes the name of a term for the field that is chosen beside it. */
for (const input of document.querySelectorAll('input[data-completions-of]')) {
  const field =
    input instanceof HTMLInputElement ? input.form?.elements.namedItem(input.dataset.completionsOf ?? '') : null;
  if (input instanceof HTMLInputElement && field instanceof HTMLSelectElement) enableFor(input, field);
}

/**
 * @param {HTMLInputElement} input
 * @param {HTMLSelectElement} field
 */
function enableFor(input, field) {
  const choose = () => {
    input.dataset.completions = field.value === '' ? '' : `${input.dataset.completionsBase}${field.value}`;
  };
  field.addEventListener('change', choose);
  // A browser that comes back to the page restores the choice.
  addEventListener('pageshow', choose);
  choose();
  enableReference(input);
}
