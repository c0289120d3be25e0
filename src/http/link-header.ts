/** The characters of RFC 3986 except `%`. Matching a whole text is faster than searching for other characters. */
const PLAIN_ADDRESS = /^[!#$&-;=?-Z[\]_a-z~]*$/;
/** Characters that RFC 3986 does not allow, and `%` without two hexadecimal digits. */
const NOT_IN_ADDRESSES = /[^!#$&-;=?-Z[\]_a-z~%]+|%(?![0-9A-Fa-f]{2})/g;
/** Characters that need no escape in a quoted string. */
const PLAIN_TITLE = /^[ !#-[\]-~]+$/;
/** The tag of an unknown language (ISO 639-2). */
const UNDETERMINED = 'und';
const NOT_PRINTABLE_ASCII = /[^ -~]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: matches control characters.
const CONTROLS_AND_LINE_BREAKS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;
/** A language tag. Parsers of the header reject other values, including an empty one, although RFC 8187 allows it. */
const LANGUAGE = /^[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*$/;
/** RFC 6838, 4.2. */
const MEDIA_TYPE = /^[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}\/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}$/;

/** Returns the value of a Link header with all links, in their order: ASCII without line breaks (RFC 8288, 3). */
export function linkHeader(links: readonly Link[]): string {
  return links.map(linkValue).join(', ');
}

/**
 * Returns a link with its parameters `rel`, `title`, `type` and `profile`. A title beyond ASCII becomes `title*` (RFC 8187) with its
 * language or `und`. Omits an empty title and an invalid type.
 */
export function linkValue({ href, rel, title, language, type, profile }: Link): string {
  const address = encodeAddress(href);
  const titled = title === undefined ? '' : titleParameter(title, language);
  const typed = type === undefined || !isMediaType(type) ? '' : `; type="${type}"`;
  const profiled = profile === undefined ? '' : `; profile="${encodeAddress(profile)}"`;
  return `<${address}>; rel="${rel}"${titled}${typed}${profiled}`;
}

/** Percent-encodes the characters of an address that RFC 3986 does not allow. Keeps encoded ones. */
export function encodeAddress(address: string): string {
  if (PLAIN_ADDRESS.test(address)) return address;
  return address.replace(NOT_IN_ADDRESSES, (part) => encodeURIComponent(part.toWellFormed()));
}

/** Replaces control characters and line breaks by spaces, and lone surrogates by U+FFFD. */
function inOneLine(text: string): string {
  return text.replace(CONTROLS_AND_LINE_BREAKS, ' ').toWellFormed();
}

/** Returns true for a media type without parameters. */
function isMediaType(type: string): boolean {
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

/** Encodes a title: RFC 8187, 3.2.1 allows fewer characters than `encodeURIComponent` keeps. */
function encodeExtended(text: string): string {
  return encodeURIComponent(text).replace(/[*'()]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** A typed link of a resource (RFC 8288, 2). */
export interface Link {
  /** An absolute URI. */
  readonly href: string;
  /** A registered relation, or the URI of another. */
  readonly rel: string;
  readonly title?: string;
  /** The language of the title, as a tag (RFC 5646). */
  readonly language?: string | undefined;
  /** The media type of the target, as a hint. */
  readonly type?: string;
  /** The URI of the conventions that the target follows beyond its type (RFC 6906; FAIR Signposting Profile). */
  readonly profile?: string;
}

/** The links of one resource. */
export interface AnchoredLinks {
  /** The absolute address of the resource. */
  readonly anchor: string;
  readonly links: readonly Link[];
}

/** A target in a JSON linkset. Its title has no language (RFC 9264, 4.2.4). */
interface Target {
  href: string;
  type?: string;
  title?: string;
  profile?: string[];
}

/** Returns an `application/linkset` document: links in the format of the header, one per line (RFC 9264, 4.1). */
export function linksetText(anchored: readonly AnchoredLinks[]): string {
  const lines = [...byAnchor(anchored)].flatMap(([anchor, links]) =>
    links.map((link) => `${linkValue(link)}; anchor="${anchor}"`),
  );
  return lines.join(',\n');
}

/** Returns an `application/linkset+json` document: the targets of each relation of each anchor (RFC 9264, 4.2). */
export function linksetJson(anchored: readonly AnchoredLinks[]): string {
  const linkset = Array.from(byAnchor(anchored), ([anchor, links]) => {
    const targets = new Map<string, Target[]>();
    for (const link of links) {
      const known = targets.get(link.rel);
      if (known === undefined) targets.set(link.rel, [targetOf(link)]);
      else known.push(targetOf(link));
    }
    return { anchor, ...Object.fromEntries(targets) };
  });
  return JSON.stringify({ linkset });
}

/** Groups the links by anchor, in their order and without duplicates. */
function byAnchor(anchored: readonly AnchoredLinks[]): Map<string, Link[]> {
  const linksOf = new Map<string, Link[]>();
  const known = new Set<string>();
  for (const { anchor, links } of anchored) {
    const context = encodeAddress(anchor);
    const list = linksOf.get(context) ?? [];
    for (const link of links) {
      const key = `${context} ${link.rel} ${link.href} ${link.title ?? ''}`;
      if (!known.has(key)) list.push(link);
      known.add(key);
    }
    if (list.length > 0) linksOf.set(context, list);
  }
  return linksOf;
}

function targetOf({ href, type, title, profile }: Link): Target {
  const target: Target = { href: encodeAddress(href) };
  if (type !== undefined && isMediaType(type)) target.type = type;
  if (title !== undefined && title !== '') target.title = inOneLine(title);
  if (profile !== undefined) target.profile = [encodeAddress(profile)];
  return target;
}
