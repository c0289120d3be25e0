import { isoTime } from '../../base/in-words.ts';
import { XML_DECLARATION, xmlAttribute, xmlText } from '../../base/xml.ts';

const NAMESPACE = 'http://www.openarchives.org/OAI/2.0/';
const START = `<OAI-PMH xmlns="${NAMESPACE}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="${NAMESPACE} http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd">`;

/** The parts of every response (OAI-PMH 2.0, 3.2). */
interface OaiResponse {
  /** Seconds since 1970. */
  readonly now: number;
  /** The address of the interface. */
  readonly url: string;
  /** The arguments of the request; none if they are invalid. */
  readonly request: readonly (readonly [name: string, value: string])[];
  /** XML. */
  readonly content: string;
}

/** Returns a response as an XML document. */
export function writeDocument({ now, url, request, content }: OaiResponse): string {
  const attributes = request.map(([name, value]) => ` ${name}="${xmlAttribute(value)}"`).join('');
  const parts = `<responseDate>${isoTime(now)}</responseDate><request${attributes}>${xmlText(url)}</request>`;
  return `${XML_DECLARATION}${START}${parts}${content}</OAI-PMH>\n`;
}

export function writeError({ code, message }: OaiError): string {
  return `<error code="${code}">${xmlText(message)}</error>`;
}

/** Returns elements with text, in their order. */
export function writeElements(elements: readonly (readonly [name: string, text: string])[]): string {
  return elements.map(([name, text]) => `<${name}>${xmlText(text)}</${name}>`).join('');
}

/** The errors of the protocol (OAI-PMH 2.0, 3.6). */
type OaiErrorCode =
  | 'badArgument'
  | 'badResumptionToken'
  | 'badVerb'
  | 'cannotDisseminateFormat'
  | 'idDoesNotExist'
  | 'noMetadataFormats'
  | 'noRecordsMatch'
  | 'noSetHierarchy';

/** A request that the protocol answers with an error, in a response with the status 200. */
export class OaiError extends Error {
  override readonly name = 'OaiError';
  readonly code: OaiErrorCode;

  constructor(code: OaiErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
