import { isNothing, toText } from './convert-scalar.ts';
import type { FieldType } from './field-type.ts';
import { notAChoice, wrongType } from './messages.ts';

/** One of the values that the field lists. */
export const listString: FieldType = {
  main: 'value',
  parse: (raw) => (isNothing(raw.value) ? undefined : { value: toText(raw.value) }),
  violations: ({ value }, { allowedValues = {} }) => {
    if (typeof value !== 'string') return [wrongType('value')];
    return Object.hasOwn(allowedValues, value) ? [] : [notAChoice('')];
  },
  complete: (item) => item,
};

/** The code of a language that the repository has. */
export const language: FieldType = {
  main: 'value',
  parse: (raw) => (isNothing(raw.value) ? undefined : { value: toText(raw.value) }),
  violations: ({ value }, _definition, { languages }) => {
    if (typeof value !== 'string') return [wrongType('value')];
    return languages.includes(value) ? [] : [notAChoice('')];
  },
  complete: (item) => item,
};
