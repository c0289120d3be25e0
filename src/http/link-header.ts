/** The characters of RFC 3986, `%` left out: a pattern for all of a text is found out faster than one for what is not in it. */
const PLAIN_ADDRESS = /^[!#$&-;=?-Z[\]_a-z~]*$/;
/** What RFC 3986 knows no place for; of `%`, one that does not begin an encoded octet. */
const NOT_IN_ADDRESSES = /[^!#$&-;=?-Z[\]_a-z~%]+|%(?![0-9A-Fa-f]{2})/g;
/** What a quoted string holds as it is. */
const PLAIN_TITLE = /^[ !#-[\]-~]+$/;
/** The tag of an unknown language (ISO 639-2). */
const UNDETERMINED = 'und';
const NOT_PRINTABLE_ASCII = /[^ -~]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it is about.
const CONTROLS_AND_LINE_BREAKS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;
/** The form of a language tag. Parsers of the header reject others, and an empty one, although RFC 8187 allows that. */
const LANGUAGE = /^[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*$/;
/** RFC 6838 section 4.2. */
const MEDIA_TYPE = /^[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}\/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}$/;

/**
 * The value of one Link header with all links, in their order (RFC 8288 section 3): ASCII without line breaks. It is
 * made with every answer, so its parts are not put together one by one.
 */
export function linkHeader(links: readonly Link[]): string {
  return links.map(linkValue).join(', ');
}

/**
 * One link with its parameters: rel, title, type. A title in other characters than those of ASCII stands in `title*`
 * alone (RFC 8187), with its language or `und`; an empty one and a type that is no media type are left out.
 */
export function linkValue({ href, rel, title, language, type }: Link): string {
  const address = encodeAddress(href);
  const titled = title === undefined ? '' : titleParameter(title, language);
  if (type === undefined || !isMediaType(type)) return `<${address}>; rel="${rel}"${titled}`;
  return `<${address}>; rel="${rel}"${titled}; type="${type}"`;
}

/** An address as RFC 3986 wants it: other characters as UTF-8 in percent-encoding; what is encoded stays. */
export function encodeAddress(address: string): string {
  if (PLAIN_ADDRESS.test(address)) return address;
  return address.replace(NOT_IN_ADDRESSES, (part) => encodeURIComponent(part.toWellFormed()));
}

/** Text in one line: blanks for control characters and line breaks, and U+FFFD for half a character. */
export function inOneLine(text: string): string {
  return text.replace(CONTROLS_AND_LINE_BREAKS, ' ').toWellFormed();
}

/** Whether this names a media type, without parameters. */
export function isMediaType(type: string): boolean {
  return MEDIA_TYPE.test(type);
}

function titleParameter(title: string, language = UNDETERMINED): string {
  if (PLAIN_TITLE.test(title)) return `; title="${title}"`;
  if (title === '') return '';
  const line = inOneLine(title);
  if (NOT_PRINTABLE_ASCII.test(line))
    return `; title*=UTF-8'${LANGUAGE.test(language) ? language : UNDETERMINED}'${encodeExtended(line)}`;
  return `; title="${line.replace(/["\\]/g, '\\$&')}"`;
}

/** RFC 8187 section 3.2.1 allows less than `encodeURIComponent` leaves. */
function encodeExtended(text: string): string {
  return encodeURIComponent(text).replace(/[*'()]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** One typed link of a resource (RFC 8288 section 2). */
export interface Link {
  /** Absolute. */
  readonly href: string;
  /** A registered relation, or the URI of another. */
  readonly rel: string;
  /** For people, in any characters. */
  readonly title?: string;
  /** The language of the title, as a tag (RFC 5646). */
  readonly language?: string | undefined;
  /** A hint at the media type of the target. */
  readonly type?: string;
}
