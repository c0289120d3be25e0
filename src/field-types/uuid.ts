import { Type as t } from '@sinclair/typebox';
import { isNothing, toText } from './convert-value.ts';
import { defineFieldType, NO_WORDS } from './define-field-type.ts';
import { answered, UUID_PATTERN } from './schemas.ts';
import { showLine } from './string.tsx';
import { wrongType } from './violation.ts';

const UUID = new RegExp(UUID_PATTERN);

/** A UUID (RFC 9562), stored in lower case. */
export const uuid = defineFieldType({
  ...NO_WORDS,
  isConfigurable: false,
  answer: answered('UuidItem', { value: t.String({ pattern: UUID_PATTERN }) }),
  parse: (raw) => {
    const value = isNothing(raw.value) ? undefined : toText(raw.value);
    return value === undefined ? undefined : { value: typeof value === 'string' ? value.toLowerCase() : value };
  },
  violations: ({ value }) => {
    if (typeof value !== 'string') return [wrongType('value')];
    return UUID.test(value) ? [] : [{ path: 'value', message: 'This is not a valid UUID.' }];
  },
  show: ({ value }) => showLine(value),
});
