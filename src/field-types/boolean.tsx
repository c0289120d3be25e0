import { Type as t } from '@sinclair/typebox';
import { isNothing, toBoolean } from './convert-value.ts';
import { defineFieldType, NO_WORDS } from './define-field-type.ts';
import { langWithin, PAGE_LANGUAGE } from './display/language.ts';
import { asTyped, rdfOfValue } from './rdf.ts';
import { answered } from './schemas.ts';
import { wrongType } from './violation.ts';

/** True or false. */
export const boolean = defineFieldType({
  ...NO_WORDS,
  expectedMain: (value) => (typeof value === 'boolean' ? undefined : 'true or false'),
  properties: { value: 'boolean' },
  answer: answered('BooleanItem', { value: t.Boolean() }),
  input: ['value'],
  parse: (raw) => (isNothing(raw.value) ? undefined : { value: toBoolean(raw.value) }),
  violations: ({ value }) => (typeof value === 'boolean' ? [] : [wrongType('value')]),
  rdf: rdfOfValue(asTyped('boolean')),
  show: ({ value }, _definition, { language }) =>
    typeof value === 'boolean' ? (
      <span {...langWithin(PAGE_LANGUAGE, language)}>{value ? 'Yes' : 'No'}</span>
    ) : undefined,
  controls: () => [{ kind: 'flag', member: 'value' }],
  cellKind: '1 or 0, nor true or false',
  widget: 'boolean_checkbox',
  fieldSettings: () => ({ on_label: 'On', off_label: 'Off' }),
});
