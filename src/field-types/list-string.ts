import { optionsOf } from './control.ts';
import { defineFieldType, searchTextOf } from './define-field-type.ts';
import { textOf } from './page-view.ts';
import { asText, rdfOfValue } from './rdf.ts';
import { notAChoice, wrongType } from './violation.ts';

/** One of the allowed values of the field. */
export const listString = defineFieldType({
  settings: ['allowed_values', 'max_length'],
  neededSettings: ['allowed_values'],
  choices: ({ allowedValues }) => allowedValues && { member: 'value', values: Object.keys(allowedValues) },
  violations: ({ value }, { allowedValues = {} }) => {
    if (typeof value !== 'string') return [wrongType('value')];
    return Object.hasOwn(allowedValues, value) ? [] : [notAChoice('')];
  },
  mayBeAddress: true,
  rdf: rdfOfValue(asText),
  show: ({ value }, { allowedValues = {} }) => {
    const chosen = textOf(value);
    return chosen !== undefined && Object.hasOwn(allowedValues, chosen) ? allowedValues[chosen] : chosen;
  },
  controls: ({ allowedValues }) => [
    { kind: 'choice', member: 'value', options: optionsOf(allowedValues), none: 'None' },
  ],
  searchText: ({ value }, { allowedValues = {} }) => {
    const isKnown = typeof value === 'string' && Object.hasOwn(allowedValues, value);
    return searchTextOf(value, isKnown ? allowedValues[value] : undefined);
  },
  module: 'options',
  widget: 'options_select',
});
