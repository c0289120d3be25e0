/** A fact of a FITS document: the name of its element, and its text. */
export interface FitsFact {
  readonly name: string;
  readonly value: string;
}

/** The facts of a FITS document (https://projects.iq.harvard.edu/fits), without the output of its tools. */
export interface FitsFacts {
  /** The formats that the tools identified: several if they disagree. */
  readonly formats: readonly {
    readonly name: string;
    readonly mimeType: string;
    readonly version: string | undefined;
  }[];
  /** About the file: its dates, the program that made it, its MD5 checksum. */
  readonly file: readonly FitsFact[];
  /** Problems and the results of validation. */
  readonly status: readonly FitsFact[];
  /** About the image, text, document, audio or video. */
  readonly content: readonly FitsFact[];
}

/** The raw output of the tools follows the facts, and is most of a document. */
const TOOL_OUTPUT = '<toolOutput';
const MAX_FACTS = 60;
const MAX_VALUE_CHARACTERS = 300;

/** An element with its children or its text, and its attributes. */
type Element = Record<string, unknown> & { readonly ':@'?: Readonly<Record<string, string>> };

/** Loads the parser of XML, which only reports of FITS need. */
function xmlParser() {
  const { XMLParser }: typeof import('fast-xml-parser') = require('fast-xml-parser');
  return new XMLParser({
    preserveOrder: true,
    ignoreAttributes: false,
    attributeNamePrefix: '',
    parseTagValue: false,
    ignoreDeclaration: true,
  });
}

/** Returns the facts at the beginning of a FITS document. Undefined for other text, and for a truncated beginning. */
export function fitsFacts(text: string): FitsFacts | undefined {
  const end = text.indexOf(TOOL_OUTPUT);
  const facts = end < 0 ? text : `${text.slice(0, end)}</fits>`;
  // FITS declares no entities.
  if (!/<\/fits>\s*$/.test(facts) || facts.includes('<!DOCTYPE')) return undefined;
  let elements: Element[];
  try {
    elements = xmlParser().parse(facts) as Element[];
  } catch {
    // It is no XML.
    return undefined;
  }
  const root = elements.find((each) => nameOf(each) === 'fits');
  if (root === undefined) return undefined;
  const parts = childrenOf(root);
  const part = (name: string) => parts.filter((each) => nameOf(each) === name).flatMap(childrenOf);
  return {
    formats: part('identification').slice(0, MAX_FACTS).flatMap(formatOf),
    file: factsOf(part('fileinfo')),
    status: factsOf(part('filestatus')),
    content: factsOf(part('metadata').flatMap(childrenOf)),
  };
}

function formatOf(identity: Element): FitsFacts['formats'][number][] {
  const { format, mimetype } = identity[':@'] ?? {};
  if (format === undefined || mimetype === undefined) return [];
  const version = childrenOf(identity).find((each) => nameOf(each) === 'version');
  return [{ name: shortened(format), mimeType: shortened(mimetype), version: version && textOf(version) }];
}

function factsOf(elements: readonly Element[]): FitsFact[] {
  return elements.slice(0, MAX_FACTS).flatMap((element) => {
    const value = textOf(element);
    return value === undefined ? [] : { name: nameOf(element), value };
  });
}

function nameOf(element: Element): string {
  return Object.keys(element).find((name) => name !== ':@') ?? '';
}

function childrenOf(element: Element): Element[] {
  const children = element[nameOf(element)];
  return Array.isArray(children) ? (children as Element[]) : [];
}

/** Returns the text of an element. Undefined for an empty one, and for one with elements. */
function textOf(element: Element): string | undefined {
  const [first, ...others] = childrenOf(element);
  const text = first?.['#text'];
  return typeof text === 'string' && text.trim() !== '' && others.length === 0 ? shortened(text.trim()) : undefined;
}

function shortened(text: string): string {
  return text.length <= MAX_VALUE_CHARACTERS ? text : `${text.slice(0, MAX_VALUE_CHARACTERS).toWellFormed()}…`;
}
