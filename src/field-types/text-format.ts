import type sanitize from 'sanitize-html';
import type { TextFormat } from '../model/text-format.ts';

/** Maximum nesting of elements. Deeper ones are removed. */
const MAX_NESTED_ELEMENTS = 64;
const SAFE_SCHEMES = ['http', 'https', 'mailto', 'tel', 'ftp'];
const ADDRESS_ATTRIBUTES = ['href', 'src', 'cite', 'poster', 'longdesc', 'background', 'action', 'formaction', 'data'];

/** Elements that execute code, embed pages, change how the page is parsed, or ask for input. */
const RUNNABLE_ELEMENTS: ReadonlySet<string> = new Set(
  `script style iframe frame frameset object embed applet param base link meta noscript template slot portal svg math
  form input button select option optgroup textarea dialog title head html body xmp plaintext noembed noframes`.split(
    /\s+/,
  ),
);

/** The elements of a format without a list: all that show content and execute nothing. */
const SAFE_ELEMENTS: readonly string[] =
  `a abbr acronym address article aside audio b bdi bdo big blockquote br caption center cite code col colgroup data dd
  del details dfn div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li main map area
  mark menu nav ol p picture pre q rp rt ruby s samp section small source span strike strong sub summary sup table tbody
  td tfoot th thead time tr track tt u ul var video wbr`.split(/\s+/);

/** Attributes that execute nothing. A format may allow only these. */
const SAFE_ATTRIBUTES: ReadonlySet<string> = new Set(
  `abbr align alt aria-* bgcolor border cellpadding cellspacing cite class color colspan controls coords data-* datetime
  dir download face height href hreflang id kind label lang longdesc loop media muted name open poster preload rel
  reversed role rowspan scope shape sizes span src srclang srcset start style summary tabindex target title translate
  type usemap valign value width`.split(/\s+/),
);
/** Punctuation after an address. */
const TRAILING = /[.,;:!?')\]]$/;
const MAX_TRAILING = 8;
/** The length limits prevent quadratic scans of text without addresses. */
const ADDRESS =
  /\b(?:https?:\/\/|www\.)(?:(?!&(?:quot|gt|lt|#0?39);)[^\s<>"]){1,2048}|[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/gi;
const UNLINKED_ELEMENTS: ReadonlySet<string> = new Set(['a', 'pre', 'code', 'kbd', 'samp']);

/** Returns the HTML of a text in a format. */
type TextProcessor = (text: string, format: string | null) => string;

/**
 * Creates the processor of the configured formats. `fallback` names the format of a text whose format is missing or unknown.
 * Without that format, markup is escaped. No format allows scripts, event handlers or `javascript:` addresses
 * in the result.
 */
export function createTextProcessor(formats: ReadonlyMap<string, TextFormat>, fallback: string): TextProcessor {
  const steps = new Map([...formats].map(([name, format]) => [name, stepsOf(format)]));
  const fallbackSteps = steps.get(fallback) ?? escapeHtml;
  return (text, format) => {
    if (text === '') return '';
    const process = (format === null ? undefined : steps.get(format)) ?? fallbackSteps;
    return process(text.replaceAll('\r\n', '\n').replaceAll('\r', '\n'));
  };
}

function stepsOf(format: TextFormat): (text: string) => string {
  const options = format.escapesHtml ? undefined : sanitizeOptions(format.allowedHtml);
  return (text) => {
    // Links and paragraphs are made after the filter, which leaves well-formed markup and nothing that runs.
    const safe = options === undefined ? escapeHtml(text) : sanitizer()(text, options);
    const linked = format.convertsUrls ? linkAddresses(safe) : safe;
    return format.convertsLineBreaks ? paragraphs(linked) : linked;
  };
}

/** Loads the sanitizer with the first text in HTML: its modules take some megabytes. */
function sanitizer(): typeof sanitize {
  return require('sanitize-html');
}

function sanitizeOptions(allowed: TextFormat['allowedHtml']): sanitize.IOptions {
  const elements = allowed === undefined ? SAFE_ELEMENTS : Object.keys(allowed).map((name) => name.toLowerCase());
  return {
    allowedTags: elements.filter((name) => !RUNNABLE_ELEMENTS.has(name)),
    allowedAttributes: allowed === undefined ? { '*': [...SAFE_ATTRIBUTES] } : safeAttributes(allowed),
    allowedSchemes: SAFE_SCHEMES,
    allowedSchemesAppliedToAttributes: ADDRESS_ATTRIBUTES,
    allowProtocolRelative: true,
    parseStyleAttributes: false,
    nestingLimit: MAX_NESTED_ELEMENTS,
    transformTags: { '*': withoutBadStyle },
  };
}

function safeAttributes(allowed: Readonly<Record<string, readonly string[]>>): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(allowed).map(([element, attributes]) => [
      element.toLowerCase(),
      attributes.map((name) => name.toLowerCase()).filter(isSafeAttribute),
    ]),
  );
}

function isSafeAttribute(name: string): boolean {
  return SAFE_ATTRIBUTES.has(name) || /^(?:data|aria)-[\w-]+$/.test(name);
}

function withoutBadStyle(tagName: string, attribs: sanitize.Attributes): sanitize.Tag {
  if (attribs.style === undefined || mayStyle(attribs.style)) return { tagName, attribs };
  const { style: _style, ...others } = attribs;
  return { tagName, attribs: others };
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#039;');
}

/** Returns true for a style that only lays text out: it fetches nothing, hides nothing behind escapes, and covers nothing. */
function mayStyle(style: string): boolean {
  return !/url|image|expression|import|behaviou?r|binding|position|z-index|\\|\/\*/i.test(style);
}

/** Makes links of the web and mail addresses in the text of filtered HTML, outside of links and code. */
function linkAddresses(html: string): string {
  let unlinked = 0;
  return html.replace(/<[^<>]*>|[^<]+/g, (part) => {
    if (!part.startsWith('<')) return unlinked > 0 ? part : part.replace(ADDRESS, linkTo);
    const [, closing, name = ''] = /^<(\/?)([a-z0-9]+)/.exec(part) ?? [];
    if (UNLINKED_ELEMENTS.has(name)) unlinked = Math.max(0, unlinked + (closing ? -1 : 1));
    return part;
  });
}

function linkTo(match: string): string {
  let address = match;
  for (let cut = 0; cut < MAX_TRAILING && TRAILING.test(address); cut += 1) address = address.replace(TRAILING, '');
  const rest = match.slice(address.length);
  if (/^https?:\/\/$|^www\.?$/i.test(address) || address === '') return match;
  const scheme = /^https?:/i.test(address) ? '' : /^www\./i.test(address) ? 'http://' : 'mailto:';
  return `<a href="${scheme}${address}">${address}</a>${rest}`;
}

const BLOCKS =
  'address|article|aside|blockquote|caption|center|col|colgroup|dd|details|div|dl|dt|figcaption|figure|footer|h[1-6]|header|hr|li|main|menu|nav|ol|p|pre|section|summary|table|tbody|td|tfoot|th|thead|tr|ul';
const BEGINS_WITH_BLOCK = new RegExp(`^</?(?:${BLOCKS})\\b`);
const ENDS_WITH_BLOCK = new RegExp(`</?(?:${BLOCKS})(?: [^<>]*)?>$`);
/** Maximum number of characters at the end of a chunk to search for a closing tag. */
const MAX_TAIL_CHARACTERS = 4096;

/** Converts empty lines of filtered HTML to paragraphs and single line ends to breaks. Keeps block elements. */
function paragraphs(html: string): string {
  let made = '';
  let from = 0;
  for (let start = html.indexOf('<pre'); start >= 0; start = html.indexOf('<pre', from)) {
    const closing = html.indexOf('</pre>', start);
    if (closing < 0) break;
    made += ofLines(html.slice(from, start));
    from = closing + '</pre>'.length;
    made += `${html.slice(start, from)}\n`;
  }
  return (made + ofLines(html.slice(from))).trimEnd();
}

function ofLines(html: string): string {
  let made = '';
  for (const chunk of html.split(/\n[ \t]*\n/)) {
    const text = chunk.trim();
    if (text === '') continue;
    const isBlock = BEGINS_WITH_BLOCK.test(text) || ENDS_WITH_BLOCK.test(text.slice(-MAX_TAIL_CHARACTERS));
    made += isBlock ? `${text}\n` : `<p>${text.replace(/(?<!<br \/>)\n/g, '<br />\n')}</p>\n`;
  }
  return made;
}
