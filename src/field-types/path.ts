import { decodedPath } from '../base/decoded-path.ts';
import { isNothing, toText } from './convert-scalar.ts';
import { defineFieldType } from './define-field-type.ts';
import { asTyped, rdfOfValue } from './rdf.ts';
import { answered, integerOrNull, scalars, text, textOrNull } from './schemas.ts';
import { tooLong, wrongType } from './violation.ts';

const MAX_ALIAS_CHARACTERS = 255;
/** One slash, so that it is no address of another host, and no character that would end the path. */
const ALIAS = /^\/(?![/\\])[^?#\s]*$/;
/** Segments that clients remove before they ask, even percent-encoded (URL Standard, "path state"). */
const NEVER_ASKED = /\/(?:\.|%2e){1,2}(?:\/|$)/i;

/** The alias of an entity's page. The repository sets its number. */
export const path = defineFieldType({
  main: 'alias',
  isConfigurable: false,
  answer: answered('AliasItem', { alias: textOrNull, pid: integerOrNull, langcode: text }),
  input: scalars('AliasInput', ['alias', 'langcode']),
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
      // Percent-encoded it is the same address to a proxy in front, and another one here.
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
  rdf: rdfOfValue(asTyped('anyURI'), 'alias'),
  module: 'path',
  widget: 'path',
});
