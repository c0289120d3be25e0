import { enableChecks } from './checks.client.js';
import { enableDate } from './dates.client.js';
import { enableOfferedFields } from './offered-fields.client.js';
import { enableReference } from './references.client.js';
import { enableRichText } from './rich-text.client.js';
import { enableRows } from './rows.client.js';

/** Enhances the fields of content. Without this script every button is a request that answers the form again. */

/** @param {ParentNode} part */
function enhance(part) {
  // First, as new rows are copies of what the server has rendered.
  for (const field of part.querySelectorAll('fieldset[data-most]'))
    if (field instanceof HTMLFieldSetElement) enableRows(field);
  for (const input of part.querySelectorAll('input[data-completions]'))
    if (input instanceof HTMLInputElement) enableReference(input);
  for (const input of part.querySelectorAll('input[data-meaning=edtf]'))
    if (input instanceof HTMLInputElement) enableDate(input);
  for (const area of part.querySelectorAll('textarea[data-format]')) {
    const { editor = '', formats = '{}' } = area.closest('form')?.dataset ?? {};
    if (area instanceof HTMLTextAreaElement) void enableRichText(area, editor, JSON.parse(formats));
  }
}

enhance(document);
for (const form of document.querySelectorAll('form[data-keep]'))
  if (form instanceof HTMLFormElement) {
    enableChecks(form);
    enableOfferedFields(form, enhance);
  }
addEventListener('row-added', ({ target }) => {
  if (target instanceof Element) enhance(target);
});
