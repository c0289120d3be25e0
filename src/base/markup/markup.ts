/** HTML that is complete: no text in it needs to be escaped. */
export class Markup {
  readonly html: string;

  constructor(html: string) {
    this.html = html;
  }
}

/** The content of an element: HTML, text, which is escaped, numbers, and lists of them. Booleans and nothing are left out. */
export type Markups = Markup | string | number | bigint | boolean | null | undefined | readonly Markups[];

/** Returns content as HTML. Throws a TypeError for another object. */
export function htmlOf(content: Markups): string {
  if (content instanceof Markup) return content.html;
  if (typeof content === 'string') return escaped(content);
  if (content === null || content === undefined || typeof content === 'boolean') return '';
  if (typeof content === 'number' || typeof content === 'bigint') return String(content);
  if (!Array.isArray(content)) throw new TypeError('an object is no content of a page');
  let html = '';
  for (const each of content as readonly Markups[]) html += htmlOf(each);
  return html;
}

const SPECIAL = /["&<]/;

/** Returns a text for an element or a quoted attribute. */
export function escaped(text: string): string {
  return SPECIAL.test(text) ? text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;') : text;
}

/** The members of properties that are no attributes. */
const OTHERS: ReadonlySet<string> = new Set(['children', 'dangerouslySetInnerHTML', 'key', 'ref']);
/** Attributes of SVG with capital letters. Those of HTML are written in small ones. */
const WITH_CAPITALS: ReadonlySet<string> = new Set(['viewBox', 'preserveAspectRatio']);
/** Attributes whose `true` and `false` are words, as are those of ARIA and of data. */
const ENUMERATED = /^(?:aria-|data-|draggable$|spellcheck$)/;
const UNSAFE_NAME = /[\s\\/='"\0<>]/;

interface AttributeName {
  readonly written: string;
  readonly isEnumerated: boolean;
}

const names = new Map<string, AttributeName | undefined>();

function nameOf(property: string): AttributeName | undefined {
  if (names.has(property)) return names.get(property);
  const isWritten = !OTHERS.has(property) && !UNSAFE_NAME.test(property);
  const written = WITH_CAPITALS.has(property) ? property : property.toLowerCase();
  const name = isWritten ? { written, isEnumerated: ENUMERATED.test(property) } : undefined;
  names.set(property, name);
  return name;
}

/** Returns the start tag of an element without its last character. Attributes without a value, or `false`, are left out. */
export function startTag(element: string, properties: Readonly<Record<string, unknown>>): string {
  let tag = `<${element}`;
  for (const property in properties) {
    const value = properties[property];
    if (value === undefined || value === null) continue;
    const name = nameOf(property);
    if (name === undefined || (value === false && !name.isEnumerated)) continue;
    tag +=
      value === '' || (value === true && !name.isEnumerated)
        ? ` ${name.written}`
        : ` ${name.written}="${escaped(String(value))}"`;
  }
  return tag;
}
