import { xmlAttribute, xmlText } from '../../base/xml.ts';
import type { ElementTemplate, HarvestFact, HarvestFormat, TemplateText } from '../../model/harvest-model.ts';

/** Returns a fact about a value or a record; empty if it has none. */
export type FactOf = (fact: HarvestFact) => string;

/** The entry of a table for all words that it does not list. */
const OTHER = '*';

/** The elements of a record in a format, in the order in which their names first occur. */
export class RecordElements {
  readonly #format: HarvestFormat;
  /** The contents of merged elements, or whole elements, by start tag or name. */
  readonly #parts = new Map<string, { readonly merged: boolean; readonly name: string; readonly texts: Set<string> }>();
  readonly #names = new Set<string>();

  constructor(format: HarvestFormat) {
    this.#format = format;
  }

  /** Adds an element that a template makes of a value. Skips empty and repeated ones. */
  add(template: ElementTemplate, factOf: FactOf): void {
    const { name } = template;
    const { merged, single } = this.#format;
    if (single.has(name) && this.#names.has(name)) return;
    const content = contentOf(template, factOf);
    if (content === '') return;
    this.#names.add(name);
    const start = startOf(template, factOf);
    if (merged.has(name)) this.#part(start, true, name).add(content);
    else this.#part(name, false, name).add(`<${start}>${content}</${name}>`);
  }

  /** Adds the defaults of elements that the record lacks. */
  complete(factOf: FactOf): void {
    for (const [name, templates] of this.#format.defaults) {
      if (this.#names.has(name)) continue;
      for (const template of templates) this.add(template, factOf);
    }
  }

  toString(): string {
    let text = '';
    for (const [start, { merged, name, texts }] of this.#parts) {
      if (merged) text += `<${start}>`;
      for (const each of texts) text += each;
      if (merged) text += `</${name}>`;
    }
    return text;
  }

  #part(key: string, merged: boolean, name: string): Set<string> {
    const known = this.#parts.get(key);
    if (known !== undefined) return known.texts;
    const texts = new Set<string>();
    this.#parts.set(key, { merged, name, texts });
    return texts;
  }
}

/** Returns the text and the elements within an element. */
function contentOf({ text, children }: ElementTemplate, factOf: FactOf): string {
  let content = text.length === 0 ? '' : xmlText(textOf(text, factOf));
  for (const child of children) {
    const inner = contentOf(child, factOf);
    if (inner !== '') content += `<${startOf(child, factOf)}>${inner}</${child.name}>`;
  }
  return content;
}

/** Returns the inside of a start tag, without empty attributes. */
function startOf({ name, attributes }: ElementTemplate, factOf: FactOf): string {
  let start = name;
  for (const attribute of attributes) {
    const value = textOf(attribute.text, factOf);
    if (value !== '') start += ` ${attribute.name}="${xmlAttribute(value)}"`;
  }
  return start;
}

/** Returns the text of a template; empty if one of its placeholders is. */
function textOf(parts: TemplateText, factOf: FactOf): string {
  let text = '';
  for (const part of parts) {
    if (typeof part === 'string') {
      text += part;
      continue;
    }
    const fact = factOf(part.fact);
    const word = part.table === undefined ? fact : (part.table.get(fact) ?? part.table.get(OTHER) ?? '');
    if (word === '') return '';
    text += word;
  }
  return text;
}
