import type { JsonValue } from '../base/json.ts';
import type { FieldDefinition } from '../model/content-model.ts';
import { isNothing, toText } from './convert-scalar.ts';
import type { FieldType, Violation } from './field-type.ts';
import { nonTexts, notAChoice, tooLong, wrongType } from './messages.ts';
import { isMapOrEmpty, readMap } from './plain-map.ts';

const MAX_URI_CHARACTERS = 2048;
const MAX_TITLE_CHARACTERS = 255;
const MAX_SHOWN_CHARACTERS = 200;
/** Schemes of the web, with a host behind them. `javascript:` and `data:` would run in the page that links to them. */
const WEB_ADDRESS = /^https?:\/\/[^/\\?#\s]/i;
const MAIL_ADDRESS = /^mailto:[^@]+@[^@]+$/i;
const INTERNAL_PATH = /^internal:[/?#]/;
const ENTITY = /^entity:[a-z_]+\/[\w-]+(?:[?#].*)?$/;
/** Browsers drop some of these from an address before they read its scheme. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it is about.
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f]/;

/** An address with a title. */
export const link: FieldType = {
  main: 'uri',
  parse: (raw) =>
    isNothing(raw.uri) ? undefined : { uri: toText(raw.uri), title: toText(raw.title), options: readMap(raw.options) },
  violations: linkViolations,
  complete: ({ uri = null, title = null, options = [] }) => ({ uri, title, options }),
};

/** The address of a thing in an authority file, and which file that is. */
export const authorityLink: FieldType = {
  main: 'uri',
  parse: (raw, definition) => {
    const item = link.parse(raw, definition);
    return item && { ...item, source: toText(raw.source) };
  },
  violations: (item, definition) => [
    ...linkViolations(item, definition),
    ...nonTexts(item, ['source']),
    ...sourceViolations(item.source, definition),
  ],
  complete: ({ uri = null, title = null, options = [], source = null }) => ({ uri, title, options, source }),
};

/** Whether a link may lead there: absolute web addresses, and where not only those will do, mail, paths and entities. */
export function isLinkAddress(uri: string, linkType: FieldDefinition['linkType']): boolean {
  if (CONTROL_CHARACTERS.test(uri) || uri !== uri.trim()) return false;
  if (WEB_ADDRESS.test(uri)) return URL.canParse(uri);
  return linkType !== 'external' && (MAIL_ADDRESS.test(uri) || INTERNAL_PATH.test(uri) || ENTITY.test(uri));
}

function linkViolations(item: { [member: string]: JsonValue }, definition: FieldDefinition): Violation[] {
  return [
    ...uriViolations(item.uri, definition),
    ...nonTexts(item, ['title']),
    ...tooLong(item.title, MAX_TITLE_CHARACTERS, 'title', definition),
    ...(isMapOrEmpty(item.options) ? [] : [wrongType('options')]),
  ];
}

function uriViolations(uri: JsonValue | undefined, definition: FieldDefinition): Violation[] {
  if (typeof uri !== 'string') return [wrongType('uri')];
  const ofLength = tooLong(uri, MAX_URI_CHARACTERS, 'uri', definition);
  if (ofLength.length > 0 || isLinkAddress(uri, definition.linkType)) return ofLength;
  const shown = uri.length > MAX_SHOWN_CHARACTERS ? `${uri.slice(0, MAX_SHOWN_CHARACTERS)}…` : uri;
  return [{ path: 'uri', message: `The path '${shown}' is invalid.` }];
}

function sourceViolations(source: JsonValue | undefined, { authoritySources }: FieldDefinition): Violation[] {
  if (isNothing(source) || typeof source !== 'string' || authoritySources === undefined) return [];
  return Object.hasOwn(authoritySources, source) ? [] : [notAChoice('source')];
}
