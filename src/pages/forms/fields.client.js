import { enableRows } from './rows.client.js';

/** Enhances the fields of content. Without this script every button is a request that answers the form again. */
for (const field of document.querySelectorAll('fieldset[data-most]'))
  if (field instanceof HTMLFieldSetElement) enableRows(field);
