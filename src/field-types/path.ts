import { decodedPath } from '../base/decoded-path.ts';
import { isNothing, toText } from './convert-value.ts';
import { defineFieldType, NO_WORDS } from './define-field-type.ts';
import { asTyped, rdfOfValue } from './rdf.ts';
import { answered, integerOrNull, text, textOrNull } from './schemas.ts';
import { matches } from './text-check.ts';
import { tooLong, wrongType } from './violation.ts';

const MAX_ALIAS_CHARACTERS = 255;
/** One leading slash, as two would begin the address of another host, and no character that ends a path. */
const ALIAS = /^\/(?![/\\])[^?#\s]*$/;
const NO_SLASH = 'The alias path has to start with a slash.';
const NO_PATH = 'The alias path must begin with one slash and must not contain a space, "?" or "#".';
/** Segments that clients remove before a request, even percent-encoded (URL Standard, "path state"). */
const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?:\/|$)/i;

/** The alias of an entity. The repository sets its `pid`. */
export const path = defineFieldType({
  ...NO_WORDS,
  main: 'alias',
  isConfigurable: false,
  answer: answered('AliasItem', { alias: textOrNull, pid: integerOrNull, langcode: text }),
  input: ['alias', 'langcode'],
  parse: (raw) => {
    if (isNothing(raw.alias)) return undefined;
    const alias = toText(raw.alias);
    return isNothing(raw.langcode) ? { alias } : { alias, langcode: toText(raw.langcode) };
  },
  violations: ({ alias, langcode }, definition, { languages, isOwnPath }) => {
    if (typeof alias !== 'string') return [wrongType('alias')];
    const violations = tooLong(alias, MAX_ALIAS_CHARACTERS, 'alias', definition);
    if (!alias.startsWith('/')) violations.push({ path: 'alias', message: NO_SLASH });
    else if (!ALIAS.test(alias)) {
      violations.push({
        path: 'alias',
        message: NO_PATH,
      });
    } else if (DOT_SEGMENT.test(alias)) {
      violations.push({ path: 'alias', message: 'The alias path must not have a part "." or "..".' });
    } else if (isOwnPath(alias) || isOwnPath(decodedPath(alias))) {
      // Proxies may treat the percent-encoded path as the same address.
      violations.push({ path: 'alias', message: `The alias path "${alias}" is an address of the repository itself.` });
    }
    const isKnown = langcode === undefined || (typeof langcode === 'string' && languages.includes(langcode));
    return isKnown ? violations : [...violations, { path: 'langcode', message: 'This language is not configured.' }];
  },
  complete: ({ alias = null, pid = null, langcode }, _definition, { languages }) => ({
    alias,
    pid,
    langcode: langcode ?? languages[0] ?? 'und',
  }),
  rdf: rdfOfValue(asTyped('anyURI'), 'alias'),
  module: 'path',
  controls: () => [
    {
      kind: 'text',
      member: 'alias',
      maxLength: MAX_ALIAS_CHARACTERS,
      checks: [matches(/^\//, NO_SLASH), matches(ALIAS, NO_PATH)],
      help: 'A second address for this page, such as /photographs/harbour',
    },
  ],
  widget: 'path',
});
