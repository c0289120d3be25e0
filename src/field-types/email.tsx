import { defineFieldType } from './define-field-type.ts';
import { linkableAddress } from './display/addresses.ts';
import { textOf } from './page-view.ts';
import { matches } from './text-check.ts';
import { tooLong, wrongType } from './violation.ts';

/** RFC 5321, section 4.5.3.1.3, without the angle brackets. */
const MAX_EMAIL_CHARACTERS = 254;
/** An address as HTML forms accept it, with letters of all scripts (RFC 6531). */
const EMAIL =
  /^[\p{L}\p{M}\p{N}.!#$%&'*+/=?^_`{|}~-]{1,64}@[\p{L}\p{M}\p{N}](?:[\p{L}\p{M}\p{N}.-]*[\p{L}\p{M}\p{N}])?$/u;

const NO_EMAIL = 'This value is not a valid email address.';

/** An email address. */
export const email = defineFieldType({
  settings: ['max_length'],
  violations: ({ value }, definition) => {
    if (typeof value !== 'string') return [wrongType('value')];
    const ofLength = tooLong(value, MAX_EMAIL_CHARACTERS, 'value', definition);
    if (ofLength.length > 0 || EMAIL.test(value)) return ofLength;
    return [{ path: 'value', message: NO_EMAIL }];
  },
  show: ({ value }) => {
    const address = textOf(value);
    const linked = address && linkableAddress(`mailto:${address}`);
    return linked && <a href={linked}>{address}</a>;
  },
  controls: () => [
    {
      ...({ kind: 'text', member: 'value', type: 'email', inputMode: 'email' } as const),
      maxLength: MAX_EMAIL_CHARACTERS,
      checks: [matches(EMAIL, NO_EMAIL)],
    },
  ],
  widget: 'email_default',
});
