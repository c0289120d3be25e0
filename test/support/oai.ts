import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { XMLParser } from 'fast-xml-parser';
import { XmlDocument, XsdValidator } from 'libxml2-wasm';
import { xmlRegisterFsInputProviders } from 'libxml2-wasm/lib/nodejs.mjs';
import type { As, TestRepository } from './test-repository.ts';

/** A folder with the schemas of the standards can replace the one of this project (test/fixtures/harvest/README.md). */
const SCHEMAS = process.env.REPO_TEST_SCHEMAS ?? resolve(import.meta.dir, '../fixtures/harvest');
const LISTS = ['record', 'header', 'set', 'setSpec', 'metadataFormat'];

xmlRegisterFsInputProviders();
const schemaFile = resolve(SCHEMAS, 'responses.xsd');
const schema = XsdValidator.fromDoc(XmlDocument.fromString(readFileSync(schemaFile, 'utf8'), { url: schemaFile }));
const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  isArray: (name) => LISTS.includes(name),
});

/** An element as fast-xml-parser represents it. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into elements of any format
export type Xml = Record<string, any>;

/** A response, valid against the schemas. */
export interface OaiAnswer {
  readonly status: number;
  readonly text: string;
  readonly request: Xml | string;
  /** The code of its error. */
  readonly error: string | undefined;
  /** The element of the verb. */
  readonly verb: Xml;
}

/** Sends a request by GET and checks the response against the schemas. */
export async function oai(
  repository: TestRepository,
  parameters: Readonly<Record<string, string>> | string,
  as?: As,
): Promise<OaiAnswer> {
  return readAnswer(await repository.get(`/oai/request?${new URLSearchParams(parameters)}`, as));
}

/** Reads a response and checks it against the schemas. Throws an error with the differences. */
export async function readAnswer(response: Response): Promise<OaiAnswer> {
  const text = await response.text();
  const document = XmlDocument.fromString(text);
  try {
    schema.validate(document);
  } finally {
    document.dispose();
  }
  const { request, error, responseDate: _date, ...rest } = parser.parse(text)['OAI-PMH'] as Xml;
  const verb = Object.entries(rest).find(([name]) => !name.startsWith('@'))?.[1];
  return { status: response.status, text, request, error: error?.['@code'], verb: verb === '' ? {} : (verb ?? {}) };
}

/** The ids of the nodes of the records or headers of an answer. */
export function nodesIn({ verb }: OaiAnswer): number[] {
  return headersIn(verb).map(({ identifier }) => Number(String(identifier).split('-').at(-1)));
}

/** The ids of the nodes whose records are deleted. */
export function deletedIn({ verb }: OaiAnswer): number[] {
  return headersIn(verb)
    .filter((header) => header['@status'] === 'deleted')
    .map(({ identifier }) => Number(String(identifier).split('-').at(-1)));
}

function headersIn(verb: Xml): Xml[] {
  return verb.header ?? (verb.record as Xml[] | undefined)?.flatMap(({ header }) => header) ?? [];
}

/** The token of an answer; undefined at the end of a list. */
export function tokenIn({ verb }: OaiAnswer): string | undefined {
  return verb.resumptionToken?.['#text'];
}

/** Requests all parts of a list, and calls `between` after each. */
export async function harvest(
  repository: TestRepository,
  parameters: Readonly<Record<string, string>>,
  between: (part: OaiAnswer) => Promise<void> = async () => {},
): Promise<OaiAnswer[]> {
  const parts = [await oai(repository, parameters)];
  for (;;) {
    const last = parts.at(-1) as OaiAnswer;
    await between(last);
    const token = tokenIn(last);
    if (token === undefined) return parts;
    parts.push(await oai(repository, { verb: parameters.verb ?? '', resumptionToken: token }));
  }
}

/** The identifier of the record of a node of a test repository. */
export function identifier(nid: number): string {
  return `oai:127.0.0.1:node-${nid}`;
}

/** The elements of the record of a node in a format. */
export async function metadata(repository: TestRepository, nid: number, metadataPrefix = 'oai_dc'): Promise<Xml> {
  const { verb, text } = await oai(repository, { verb: 'GetRecord', identifier: identifier(nid), metadataPrefix });
  const [record] = verb.record ?? [];
  if (record?.metadata === undefined) throw new Error(`no metadata: ${text}`);
  return Object.values(record.metadata)[0] as Xml;
}

/** The element of a document that is valid against the schemas of records, or of a format that they do not know. */
export function metadataIn(text: string): Xml {
  const document = XmlDocument.fromString(text);
  document.dispose();
  const { '?xml': _declaration, ...elements } = parser.parse(text);
  return Object.values(elements)[0] as Xml;
}

/** The same of a record over OAI-PMH whose format the schemas of this project do not know. */
export async function recordOf(repository: TestRepository, nid: number, metadataPrefix: string): Promise<Xml> {
  const query = new URLSearchParams({ verb: 'GetRecord', identifier: identifier(nid), metadataPrefix });
  const text = await (await repository.get(`/oai/request?${query}`)).text();
  const { metadata } = parser.parse(text)['OAI-PMH'].GetRecord.record[0];
  return Object.values(metadata)[0] as Xml;
}
