import { Type as t } from '@sinclair/typebox';
import { defineFieldType } from './define-field-type.ts';
import { asTyped, rdfOfValue } from './rdf.ts';
import { answered, text } from './schemas.ts';
import { showLine } from './string.tsx';
import { matches } from './text-check.ts';
import { tooLong, WRONG_TYPE, wrongType } from './violation.ts';

const MAX_URI_CHARACTERS = 255;
const URI = /^[a-z][a-z0-9+.-]*:\S/i;

/** The URI of a file, such as `fedora://2024-01/a.jpg`. The repository adds `url`, its download path. */
export const uri = defineFieldType({
  settings: ['max_length'],
  mayBeAddress: true,
  answer: answered('UriItem', { value: text, url: t.Optional(text) }),
  violations: ({ value }, definition) => {
    if (typeof value !== 'string') return [wrongType('value')];
    const ofLength = tooLong(value, definition.maxLength ?? MAX_URI_CHARACTERS, 'value', definition);
    return ofLength.length > 0 || URI.test(value) ? ofLength : [wrongType('value')];
  },
  complete: ({ value = null, url }) => (url === undefined ? { value } : { value, url }),
  rdf: rdfOfValue(asTyped('anyURI')),
  show: ({ value }) => showLine(value),
  controls: ({ maxLength = MAX_URI_CHARACTERS }) => [
    { kind: 'text', member: 'value', inputMode: 'url', maxLength, checks: [matches(URI, WRONG_TYPE)] },
  ],
  widget: 'uri',
});
