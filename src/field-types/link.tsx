import { isMap } from '../base/is-map.ts';
import type { JsonValue } from '../base/json.ts';
import type { FieldDefinition } from '../model/content-model.ts';
import { linkCell, PART_SEPARATOR } from './cell.ts';
import { isMapOrEmpty, isNothing, readMap, toText } from './convert-value.ts';
import { defineFieldType, searchTextOf } from './define-field-type.ts';
import { linkableAddress } from './display/addresses.ts';
import { RightsLink, rightsOf } from './display/rights.tsx';
import type { Violation } from './field-type.ts';
import { textOf } from './page-view.ts';
import { iriOf } from './rdf.ts';
import { answered, freeMap, text, textOrNull } from './schemas.ts';
import { matches } from './text-check.ts';
import { nonTexts, tooLong, wrongType } from './violation.ts';

const MAX_URI_CHARACTERS = 2048;
const MAX_TITLE_CHARACTERS = 255;
const MAX_SHOWN_CHARACTERS = 200;
/** The numbers of link types in Islandora. */
const LINK_TYPES = { any: 17, external: 16 } as const;
const OPTIONAL_TITLE = 1;

/** An address with a title. */
export const link = defineFieldType({
  searchText: ({ uri, title }) => searchTextOf(title, uri),
  main: 'uri',
  settings: ['link_type'],
  defaults: ({ link_type = 'any' }) => ({ linkType: link_type }),
  properties: { uri: 'text', title: 'text' },
  mayBeAddress: true,
  answer: answered('LinkItem', { uri: text, title: textOrNull, options: freeMap }),
  input: ['uri', 'title', 'options'],
  parse: (raw) =>
    isNothing(raw.uri) ? undefined : { uri: toText(raw.uri), title: toText(raw.title), options: readMap(raw.options) },
  violations: (item, definition) => [
    ...uriViolations(item.uri, definition),
    ...nonTexts(item, ['title']),
    ...tooLong(item.title, MAX_TITLE_CHARACTERS, 'title', definition),
    ...(isMapOrEmpty(item.options) ? [] : [wrongType('options')]),
  ],
  complete: ({ uri = null, title = null, options = [] }) => ({ uri, title, options }),
  rdf: ({ uri }) => (typeof uri === 'string' && uri !== '' ? [{ '@id': iriOf(uri) }] : []),
  show: ({ uri, title, source }, { authoritySources = {} }) => {
    const address = textOf(uri);
    if (address === undefined) return undefined;
    const label = textOf(title) ?? address;
    const linked = linkableAddress(address);
    const rights = linked && rightsOf(linked);
    const code = textOf(source);
    const authority = code !== undefined && Object.hasOwn(authoritySources, code) ? authoritySources[code] : code;
    return (
      <>
        {rights && <RightsLink rights={rights} label={textOf(title)} />}
        {!rights && (linked ? <a href={linked}>{label}</a> : label)}
        {authority && <span class="aside"> ({authority})</span>}
      </>
    );
  },
  controls: ({ linkType }) => [
    {
      ...({ kind: 'text', member: 'uri', label: 'Address', inputMode: 'url', maxLength: MAX_URI_CHARACTERS } as const),
      checks: [matches(linkType === 'external' ? WEB_ADDRESS : LINK_ADDRESS, NO_ADDRESS)],
    },
    { kind: 'text', member: 'title', label: 'Link text', maxLength: MAX_TITLE_CHARACTERS },
  ],
  writeCell: ({ uri, title }) => linkCell([uri ?? null], title),
  readCell: (cell) => {
    const [uri = '', ...title] = cell.split(PART_SEPARATOR);
    return { raw: { uri: uri.trim(), title: title.length > 0 ? title.join(PART_SEPARATOR) : null } };
  },
  cellLosses: ({ options }) => (isMap(options) && Object.keys(options).length > 0 ? ['options of links'] : []),
  module: 'link',
  widget: 'link_default',
  fieldSettings: ({ linkType = 'any' }) => ({ link_type: LINK_TYPES[linkType], title: OPTIONAL_TITLE }),
});

function uriViolations(uri: JsonValue | undefined, definition: FieldDefinition): Violation[] {
  if (typeof uri !== 'string') return [wrongType('uri')];
  const ofLength = tooLong(uri, MAX_URI_CHARACTERS, 'uri', definition);
  if (ofLength.length > 0 || isLinkAddress(uri, definition.linkType)) return ofLength;
  const shown = uri.length > MAX_SHOWN_CHARACTERS ? `${uri.slice(0, MAX_SHOWN_CHARACTERS)}…` : uri;
  return [{ path: 'uri', message: NO_ADDRESS.replace('{value}', () => shown) }];
}

const NO_ADDRESS = "The path '{value}' is invalid.";

/** An http or https address with a host. `javascript:` and `data:` would run in the page. */
const WEB_ADDRESS = /^https?:\/\/[^/\\?#\s]/i;
const MAIL_ADDRESS = /^mailto:[^@]+@[^@]+$/i;
const INTERNAL_PATH = /^internal:[/?#]/;
const ENTITY = /^entity:[a-z_]+\/[\w-]+(?:[?#].*)?$/;
/** Without the limits that only a parser knows. */
const LINK_ADDRESS = new RegExp(
  [WEB_ADDRESS, MAIL_ADDRESS, INTERNAL_PATH, ENTITY].map(({ source }) => source).join('|'),
  'i',
);
/** Browsers remove some of these before they parse the scheme. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: matches control characters.
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f]/;

/** Returns true for an address that a link field accepts: on the web, or unless external only, of mail, a path or an entity. */
export function isLinkAddress(uri: string, linkType: FieldDefinition['linkType']): boolean {
  if (CONTROL_CHARACTERS.test(uri) || uri !== uri.trim()) return false;
  if (WEB_ADDRESS.test(uri)) return URL.canParse(uri);
  return linkType !== 'external' && (MAIL_ADDRESS.test(uri) || INTERNAL_PATH.test(uri) || ENTITY.test(uri));
}
