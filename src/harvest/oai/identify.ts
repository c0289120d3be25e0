import { isoTime } from '../../base/in-words.ts';
import { findEarliest } from './find-records.ts';
import type { HarvestServices, HarvestSite } from './harvest-services.ts';
import { hasOaiIdentifiers, identifierOf } from './identifier.ts';
import { writeElements } from './oai-document.ts';

const NAMESPACE = 'http://www.openarchives.org/OAI/2.0/oai-identifier';

/** Returns the description of the repository (OAI-PMH 2.0, 4.2). */
export async function identify(services: HarvestServices, { host }: HarvestSite, url: string): Promise<string> {
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
