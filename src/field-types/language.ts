import { defineFieldType } from './define-field-type.ts';
import { asTyped, rdfOfValue } from './rdf.ts';
import { showLine } from './string.tsx';
import { notAChoice, wrongType } from './violation.ts';

/** The code of a configured language. */
export const language = defineFieldType({
  expectedMain: (value, _definition, { languages }) =>
    languages.includes(value as string) ? undefined : `one of ${languages.join(', ')}`,
  violations: ({ value }, _definition, { languages }) => {
    if (typeof value !== 'string') return [wrongType('value')];
    return languages.includes(value) ? [] : [notAChoice('')];
  },
  rdf: rdfOfValue(asTyped('language')),
  show: ({ value }) => showLine(value),
  cellChoices: (_member, _definition, { languages }) => languages,
  widget: 'language_select',
});
