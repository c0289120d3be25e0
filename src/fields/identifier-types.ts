import { decodedPath } from '../base/decoded-path.ts';
import { isNothing, toText } from './convert-scalar.ts';
import type { FieldType } from './field-type.ts';
import { tooLong, wrongType } from './messages.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const MAX_URI_CHARACTERS = 255;
const URI = /^[a-z][a-z0-9+.-]*:\S/i;
/** RFC 5321, section 4.5.3.1.3, without the angle brackets. */
const MAX_EMAIL_CHARACTERS = 254;
/** An address as HTML forms take it, letters of every script included (RFC 6531). */
const EMAIL =
  /^[\p{L}\p{M}\p{N}.!#$%&'*+/=?^_`{|}~-]{1,64}@[\p{L}\p{M}\p{N}](?:[\p{L}\p{M}\p{N}.-]*[\p{L}\p{M}\p{N}])?$/u;
const MAX_ALIAS_CHARACTERS = 255;
/** One slash, so that it is no address of another host, and nothing that would end the path. */
const ALIAS = /^\/(?![/\\])[^?#\s]*$/;
/** What readers of addresses leave out before they ask, even percent-encoded (URL Standard, "path state"). */
const NEVER_ASKED = /\/(?:\.|%2e){1,2}(?:\/|$)/i;

/** A UUID (RFC 9562), kept in lower case. */
export const uuid: FieldType = {
  main: 'value',
  parse: (raw) => {
    const value = isNothing(raw.value) ? undefined : toText(raw.value);
    return value === undefined ? undefined : { value: typeof value === 'string' ? value.toLowerCase() : value };
  },
  violations: ({ value }) => {
    if (typeof value !== 'string') return [wrongType('value')];
    return UUID.test(value) ? [] : [{ path: 'value', message: 'This is not a valid UUID.' }];
  },
  complete: (item) => item,
};

/** The address of stored bytes, as `fedora://2024-01/a.jpg`. Where they can be fetched, `url`, the repository adds. */
export const uri: FieldType = {
  main: 'value',
  parse: (raw) => (isNothing(raw.value) ? undefined : { value: toText(raw.value) }),
  violations: ({ value }, definition) => {
    if (typeof value !== 'string') return [wrongType('value')];
    const ofLength = tooLong(value, definition.maxLength ?? MAX_URI_CHARACTERS, 'value', definition);
    return ofLength.length > 0 || URI.test(value) ? ofLength : [wrongType('value')];
  },
  complete: ({ value = null, url }) => (url === undefined ? { value } : { value, url }),
};

/** A mail address. */
export const email: FieldType = {
  main: 'value',
  parse: (raw) => (isNothing(raw.value) ? undefined : { value: toText(raw.value) }),
  violations: ({ value }, definition) => {
    if (typeof value !== 'string') return [wrongType('value')];
    const ofLength = tooLong(value, MAX_EMAIL_CHARACTERS, 'value', definition);
    if (ofLength.length > 0 || EMAIL.test(value)) return ofLength;
    return [{ path: 'value', message: 'This value is not a valid email address.' }];
  },
  complete: (item) => item,
};

/** The alias of an entity's page. Its number is the repository's. */
export const path: FieldType = {
  main: 'alias',
  parse: (raw) => {
    if (isNothing(raw.alias)) return undefined;
    const alias = toText(raw.alias);
    return isNothing(raw.langcode) ? { alias } : { alias, langcode: toText(raw.langcode) };
  },
  violations: ({ alias, langcode }, definition, { languages, isOwnPath }) => {
    if (typeof alias !== 'string') return [wrongType('alias')];
    const found = tooLong(alias, MAX_ALIAS_CHARACTERS, 'alias', definition);
    if (!alias.startsWith('/')) found.push({ path: 'alias', message: 'The alias path has to start with a slash.' });
    else if (!ALIAS.test(alias)) {
      found.push({ path: 'alias', message: 'The alias path has one slash at its start, and no space, "?" or "#".' });
    } else if (NEVER_ASKED.test(alias)) {
      found.push({ path: 'alias', message: 'The alias path has no part that is "." or "..".' });
    } else if (isOwnPath(alias) || isOwnPath(decodedPath(alias))) {
      // Percent-encoded it is the same address to whatever stands in front, and another one here.
      found.push({ path: 'alias', message: `The alias path "${alias}" is an address of the repository itself.` });
    }
    const isKnown = langcode === undefined || (typeof langcode === 'string' && languages.includes(langcode));
    return isKnown ? found : [...found, { path: 'langcode', message: 'This language is not one of the repository.' }];
  },
  complete: ({ alias = null, pid = null, langcode }, _definition, { languages }) => ({
    alias,
    pid,
    langcode: langcode ?? languages[0] ?? 'und',
  }),
};
