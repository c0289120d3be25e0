import { defineFieldType, NO_WORDS } from './define-field-type.ts';
import { languageName } from './display/language.ts';
import { textOf } from './page-view.ts';
import { asTyped, rdfOfValue } from './rdf.ts';
import { notAChoice, wrongType } from './violation.ts';

/** The code of a configured language. */
export const language = defineFieldType({
  ...NO_WORDS,
  expectedMain: (value, _definition, { languages }) =>
    languages.includes(value as string) ? undefined : `one of ${languages.join(', ')}`,
  violations: ({ value }, _definition, { languages }) => {
    if (typeof value !== 'string') return [wrongType('value')];
    return languages.includes(value) ? [] : [notAChoice('')];
  },
  rdf: rdfOfValue(asTyped('language')),
  show: ({ value }) => {
    const code = textOf(value);
    return code && (languageName(code) ?? code);
  },
  controls: (_definition, { languages }) => [{ kind: 'choice', member: 'value', options: languages }],
  cellChoices: (_member, _definition, { languages }) => languages,
  widget: 'language_select',
});
