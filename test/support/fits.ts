import { XMLParser, XMLValidator } from 'fast-xml-parser';

/** A FITS document, as far as tests look at it. */
export interface Fits {
  /** The status of the identification; undefined where the tools agree. */
  status: string | undefined;
  identities: { format: string; mimeType: string; version: string | undefined; tools: string[] }[];
  fileInfo: Record<string, string>;
  messages: string[];
  /** image, text, document, audio or video. */
  family: string | undefined;
  /** Technical metadata by element. */
  metadata: Record<string, string>;
}

const NAMESPACE = 'http://hul.harvard.edu/ois/xml/ns/fits/fits_output';
const PARTS = ['identification', 'fileinfo', 'filestatus', 'metadata', 'toolOutput'];
const STATUSES = ['SINGLE_RESULT', 'CONFLICT', 'PARTIAL', 'UNKNOWN'];
const FILE_INFO = [
  ...['filepath', 'filename', 'size', 'md5checksum', 'lastmodified', 'fslastmodified', 'created'],
  ...['creatingApplicationName', 'creatingApplicationVersion', 'inhibitorType', 'inhibitorTarget'],
  ...['rightsBasis', 'copyrightBasis', 'copyrightNote', 'creatingos'],
];
const FAMILIES = ['image', 'text', 'document', 'audio', 'video'];

/** An element: its name with its children or its text, and its attributes. */
type Element = Record<string, Element[] | string> & { ':@'?: Record<string, string> };

const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseTagValue: false,
  ignoreDeclaration: true,
});

/** Reads a FITS document. Throws for what is not well-formed, and for what fits_output.xsd of FITS does not allow. */
export function readFits(xml: string): Fits {
  const validity = XMLValidator.validate(xml);
  if (validity !== true) throw new Error(`not well-formed: ${validity.err.msg} in line ${validity.err.line}`);
  const [root, ...others] = parser.parse(xml) as Element[];
  if (root === undefined || others.length > 0) throw new Error('it has not one root element');
  expectNames([root], ['fits'], 1);
  if (attributesOf(root).xmlns !== NAMESPACE) throw new Error(`the namespace is ${attributesOf(root).xmlns}`);
  const parts = childrenOf(root);
  expectNames(parts, PARTS, 1);
  const order = parts.map((part) => PARTS.indexOf(nameOf(part)));
  if (order.some((at, index) => at < (order[index - 1] ?? 0))) throw new Error(`parts in the order ${order}`);
  const part = (name: string) => childrenOf(parts.find((each) => nameOf(each) === name));
  const identification = parts.find((each) => nameOf(each) === 'identification');
  const { status } = attributesOf(identification);
  if (status !== undefined && !STATUSES.includes(status)) throw new Error(`the status is ${status}`);
  expectNames(part('identification'), ['identity']);
  expectNames(part('fileinfo'), FILE_INFO);
  expectNames(part('filestatus'), ['well-formed', 'valid', 'message']);
  expectNames(part('metadata'), FAMILIES);
  if (part('metadata').length > 1) throw new Error('metadata of more than one family');
  const [described] = part('metadata');
  return {
    status,
    identities: part('identification').map(identityOf),
    fileInfo: valuesOf(part('fileinfo')),
    messages: part('filestatus').map(textOf),
    family: described && nameOf(described),
    metadata: valuesOf(childrenOf(described)),
  };
}

function identityOf(element: Element): Fits['identities'][number] {
  const children = childrenOf(element);
  expectNames(children, ['tool', 'version', 'externalIdentifier']);
  const { format = '', mimetype = '' } = attributesOf(element);
  const version = children.find((child) => nameOf(child) === 'version');
  const tools = children.filter((child) => nameOf(child) === 'tool');
  return {
    format,
    mimeType: mimetype,
    version: version && textOf(version),
    tools: tools.map((tool) => attributesOf(tool).toolname ?? ''),
  };
}

const nameOf = (element: Element) => Object.keys(element).find((key) => key !== ':@') ?? '';
const attributesOf = (element: Element | undefined) => element?.[':@'] ?? {};

function childrenOf(element: Element | undefined): Element[] {
  const inside = element === undefined ? [] : element[nameOf(element)];
  return typeof inside === 'string' || inside === undefined ? [] : inside.filter((child) => nameOf(child) !== '#text');
}

function textOf(element: Element): string {
  const [text] = element[nameOf(element)] as Element[];
  return String(text?.['#text'] ?? '');
}

function valuesOf(elements: Element[]): Record<string, string> {
  return Object.fromEntries(elements.map((element) => [nameOf(element), textOf(element)]));
}

function expectNames(elements: Element[], names: string[], most = Number.POSITIVE_INFINITY): void {
  for (const name of elements.map(nameOf)) {
    if (!names.includes(name)) throw new Error(`<${name}> where only ${names.join(', ')} may stand`);
    if (elements.filter((element) => nameOf(element) === name).length > most) throw new Error(`<${name}> twice`);
  }
}
