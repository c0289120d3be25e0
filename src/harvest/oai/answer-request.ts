import { isoTime } from '../../base/in-words.ts';
import { xmlText } from '../../base/xml.ts';
import { findEarliest, findRecord } from './find-records.ts';
import { findSets } from './find-sets.ts';
import type { HarvestServices, HarvestSite } from './harvest-services.ts';
import { formatOf, listRecords, noSets, writeToken } from './list-records.ts';
import { OaiError, writeDocument, writeElements, writeError } from './oai-document.ts';
import { type OaiParameters, type OaiRequest, parseRequest, setSpecOf } from './parse-request.ts';
import { openResumptionToken } from './resumption-token.ts';
import { hasOaiIdentifiers, identifierOf, nodeOf, writeRecords } from './write-records.ts';

/** Returns the XML document for a request of OAI-PMH 2.0, which may be one of its errors. `url` is the address of the interface. */
export async function answerRequest(
  services: HarvestServices,
  site: HarvestSite,
  url: string,
  parameters: OaiParameters,
): Promise<string> {
  const now = services.now();
  try {
    const content = await contentOf(services, site, url, parseRequest(parameters));
    return writeDocument({ now, url, request: parameters, content });
  } catch (error) {
    if (!(error instanceof OaiError)) throw error;
    // The arguments are invalid as attributes, too (OAI-PMH 2.0, 3.2).
    const request = error.code === 'badVerb' || error.code === 'badArgument' ? [] : parameters;
    return writeDocument({ now, url, request, content: writeError(error) });
  }
}

function contentOf(services: HarvestServices, site: HarvestSite, url: string, request: OaiRequest): Promise<string> {
  switch (request.verb) {
    case 'Identify':
      return identify(services, site, url);
    case 'ListMetadataFormats':
      return listFormats(services, site, request.identifier);
    case 'ListSets':
      return listSets(services, request.resumptionToken);
    case 'GetRecord':
      return getRecord(services, site, request);
    case 'ListIdentifiers':
    case 'ListRecords':
      return listRecords(services, site, request);
  }
}

async function getRecord(
  services: HarvestServices,
  site: HarvestSite,
  { identifier, metadataPrefix }: Extract<OaiRequest, { verb: 'GetRecord' }>,
): Promise<string> {
  const row = await findByIdentifier(services, site, identifier);
  const format = formatOf(services, metadataPrefix);
  const sets = await findSets(services);
  const [record] = await writeRecords(services, site, format, [row], sets);
  return `<GetRecord>${record}</GetRecord>`;
}

async function findByIdentifier(services: HarvestServices, { host }: HarvestSite, identifier: string) {
  const nid = nodeOf(host, identifier);
  const row = nid === undefined ? undefined : await findRecord(services, nid);
  if (row === undefined) throw new OaiError('idDoesNotExist', `This repository has no record ${identifier}.`);
  return row;
}

async function listFormats(
  services: HarvestServices,
  site: HarvestSite,
  identifier: string | undefined,
): Promise<string> {
  if (identifier !== undefined) {
    const { isVisible } = await findByIdentifier(services, site, identifier);
    if (!isVisible) throw new OaiError('noMetadataFormats', `The record ${identifier} was deleted.`);
  }
  const formats = Array.from(services.model.harvest.formats.values(), ({ prefix, schema, namespace }) => {
    const elements = writeElements([
      ['metadataPrefix', prefix],
      ['schema', schema],
      ['metadataNamespace', namespace],
    ]);
    return `<metadataFormat>${elements}</metadataFormat>`;
  });
  return `<ListMetadataFormats>${formats.join('')}</ListMetadataFormats>`;
}

/** Returns a part of the list of sets: collections by id. */
async function listSets(services: HarvestServices, token: string | undefined): Promise<string> {
  const { now, secret, pageSize } = services;
  const before = token === undefined ? undefined : openResumptionToken(token, 'ListSets', now(), secret).position;
  const { names } = await findSets(services);
  const rest = [...names].filter(([id]) => id > (before?.nid ?? 0));
  const page = rest.slice(0, pageSize);
  const [last] = page.at(-1) ?? [];
  if (last === undefined) throw noSets();
  const sets = page.map(
    ([id, name]) => `<set><setSpec>${setSpecOf(id)}</setSpec><setName>${xmlText(name)}</setName></set>`,
  );
  const cursor = before?.cursor ?? 0;
  const position = { stamp: 0, nid: last, cursor: cursor + page.length, size: before?.size ?? names.size };
  const state = { verb: 'ListSets', selection: undefined, position } as const;
  return `<ListSets>${sets.join('')}${writeToken(services, state, cursor, rest.length > page.length)}</ListSets>`;
}

const NAMESPACE = 'http://www.openarchives.org/OAI/2.0/oai-identifier';

/** Returns the description of the repository (OAI-PMH 2.0, 4.2). */
async function identify(services: HarvestServices, { host }: HarvestSite, url: string): Promise<string> {
  const earliest = (await findEarliest(services)) ?? services.now();
  const elements = writeElements([
    ['repositoryName', services.siteName],
    ['baseURL', url],
    ['protocolVersion', '2.0'],
    ['adminEmail', services.adminEmail ?? emailAt(host)],
    ['earliestDatestamp', isoTime(earliest)],
    ['deletedRecord', 'persistent'],
    ['granularity', 'YYYY-MM-DDThh:mm:ssZ'],
  ]);
  return `<Identify>${elements}${hasOaiIdentifiers(host) ? describeIdentifiers(host) : ''}</Identify>`;
}

/** Returns the usual address of the people who run a site (RFC 2142, 5). The protocol requires an address with a dot. */
function emailAt(host: string): string {
  return `webmaster@${host.includes('.') ? host : `${host}.invalid`}`;
}

function describeIdentifiers(host: string): string {
  const elements = writeElements([
    ['scheme', 'oai'],
    ['repositoryIdentifier', host],
    ['delimiter', ':'],
    ['sampleIdentifier', identifierOf(host, 1)],
  ]);
  return `<description><oai-identifier xmlns="${NAMESPACE}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="${NAMESPACE} http://www.openarchives.org/OAI/2.0/oai-identifier.xsd">${elements}</oai-identifier></description>`;
}
