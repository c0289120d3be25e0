import { type Static, Type as t } from '@sinclair/typebox';
import { nameOf } from '../base/check-shape.ts';
import type { ConfigReader } from '../base/config-reader.ts';
import { flag, mapOf, text } from '../base/schema-parts.ts';

/** A filter for HTML when a text is shown. */
export interface TextFormat {
  readonly name: string;
  readonly label: string;
  /** Allowed elements with their allowed attributes; undefined allows all markup that cannot run. */
  readonly allowedHtml: Readonly<Record<string, readonly string[]>> | undefined;
  /** True if markup is shown as text. */
  readonly escapesHtml: boolean;
  /** True if line breaks become paragraphs. */
  readonly convertsLineBreaks: boolean;
  /** True if addresses become links. */
  readonly convertsUrls: boolean;
}

const TextFormatSchema = t.Object(
  {
    label: text('text for people to read'),
    allowed_html: t.Optional(mapOf('a map of elements to lists of attributes')),
    escape_html: t.Optional(flag()),
    convert_line_breaks: t.Optional(flag()),
    convert_urls: t.Optional(flag()),
  },
  { additionalProperties: false, description: 'a text format: a map with at least label' },
);
const AttributesSchema = t.Array(t.String({ minLength: 1, description: 'the name of an attribute' }), {
  description: 'a list of attributes; [] for none',
});

/** Elements that run, load or submit something, or change the page around them. */
const REFUSED_ELEMENTS = new Set([
  ...['applet', 'base', 'button', 'embed', 'form', 'frame', 'frameset', 'iframe', 'input', 'link', 'math', 'meta'],
  ...['noscript', 'object', 'option', 'script', 'select', 'style', 'svg', 'template', 'textarea', 'title', 'xmp'],
]);

/** Reads a text format. Reports markup that could run in a reader's browser. */
export function parseTextFormat(reader: ConfigReader, name: string, value: unknown, path: string[]): TextFormat {
  const file: Partial<Static<typeof TextFormatSchema>> = reader.map(TextFormatSchema, value, path);
  if (file.escape_html && file.allowed_html) {
    const at = [...path, 'allowed_html'];
    reader.report(at, `${nameOf(at)} has no effect beside escape_html, which shows all markup as text`);
  }
  return {
    name,
    label: file.label ?? name,
    allowedHtml: file.allowed_html && parseAllowedHtml(reader, file.allowed_html, [...path, 'allowed_html']),
    escapesHtml: file.escape_html ?? false,
    convertsLineBreaks: file.convert_line_breaks ?? false,
    convertsUrls: file.convert_urls ?? false,
  };
}

function parseAllowedHtml(
  reader: ConfigReader,
  value: Record<string, unknown>,
  path: string[],
): Record<string, string[]> {
  const allowed: Record<string, string[]> = {};
  for (const [element, attributes] of Object.entries(value)) {
    const at = [...path, element];
    if (!/^[a-z][a-z0-9]*$/.test(element)) {
      reader.report(at, `${nameOf(at)} must be the name of an element in lower case, such as blockquote`);
    } else if (REFUSED_ELEMENTS.has(element)) {
      reader.report(at, `${nameOf(at)} cannot be allowed: it could run or load something in a reader's browser`);
    }
    const list: unknown = reader.map({ ...AttributesSchema }, attributes, at) && attributes;
    const names = Array.isArray(list) ? list.filter((attribute) => typeof attribute === 'string') : [];
    for (const [index, attribute] of names.entries()) {
      if (!/^(on.*|style|srcdoc|formaction)$|[^a-z0-9-]/.test(attribute)) continue;
      const where = [...at, `${index}`];
      reader.report(where, `${nameOf(where)}: the attribute "${attribute}" cannot be allowed`);
    }
    allowed[element] = names;
  }
  return allowed;
}
