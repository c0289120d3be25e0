import { setImmediate } from 'node:timers/promises';
import { isoTime } from '../../base/in-words.ts';
import { madeOnce } from '../../base/made-once.ts';
import { XML_DECLARATION, xmlAttribute, xmlText } from '../../base/xml.ts';
import { isDamaged } from '../../database/damage.ts';
import type { HarvestFormat } from '../../model/harvest-model.ts';
import { expandIri } from '../../model/parse-rdf.ts';
import { entityPath } from '../../paths.ts';
import { type ParsedContent, parseDocument } from '../../repository/content/content.ts';
import { findAllContent } from '../../repository/content/read/find-content.ts';
import type { Neighbour } from '../../repository/content/read/surroundings.ts';
import { RecordElements } from './fill-template.ts';
import type { HarvestedRow } from './find-records.ts';
import type { Sets } from './find-sets.ts';
import { findRelated, type Related } from './find-targets.ts';
import type { HarvestServices, HarvestSite, RecordServices } from './harvest-services.ts';
import { setSpecOf } from './parse-request.ts';
import {
  factOfRecord,
  factsOfAccess,
  factsOfFile,
  factsOfValue,
  firstDoi,
  type MappedField,
  mappedFields,
  type RecordFacts,
} from './value-facts.ts';

/** Maximum number of records between which other requests proceed. */
const BATCH_SIZE = 100;
const XSI = 'http://www.w3.org/2001/XMLSchema-instance';

/** The fields of node types and the start tag of a format. They do not change while the program runs. */
const preparedOf = madeOnce((format: HarvestFormat) => ({
  fields: new Map<string, readonly MappedField[]>(),
  start: startOf(format),
}));

/** Returns the header of a record (OAI-PMH 2.0, 2.5). `isDeleted`: it has no metadata any more. */
export function writeHeader({ host }: HarvestSite, row: HarvestedRow, sets: Sets, isDeleted = !row.isVisible): string {
  const specs = sets.above(row.collections).map((id) => `<setSpec>${setSpecOf(id)}</setSpec>`);
  return `<header${isDeleted ? ' status="deleted"' : ''}><identifier>${xmlText(identifierOf(host, row.nid))}</identifier><datestamp>${isoTime(row.stamp)}</datestamp>${specs.join('')}</header>`;
}

/**
 * Returns records with their metadata. A node that was hidden or deleted after its row was read is a deleted record: its
 * content is read later. A node with a damaged row has none: a harvester would delete its copy.
 */
export async function writeRecords(
  services: HarvestServices,
  site: HarvestSite,
  format: HarvestFormat,
  rows: readonly HarvestedRow[],
  sets: Sets,
): Promise<string[]> {
  const { database, kinds, viewer } = services;
  const shown = rows.filter(({ isVisible }) => isVisible).map(({ nid }) => nid);
  const damaged = new Set<number>();
  const nodes = shown.length === 0 ? [] : await findAllContent(database, kinds.node, shown, (nid) => damaged.add(nid));
  const visible = nodes.filter(({ head }) => kinds.node.access.view(viewer, head).isAllowed);
  const contents = new Map<number, ParsedContent>();
  for (const content of visible)
    try {
      contents.set(content.head.id, parseDocument(content));
    } catch (error) {
      if (!isDamaged(error)) throw error;
      damaged.add(content.head.id);
    }
  const related = await findRelated(services, format, [...contents.values()]);
  const records: string[] = [];
  for (const row of rows) {
    if (damaged.has(row.nid)) continue;
    const content = contents.get(row.nid);
    const header = writeHeader(site, row, sets, content === undefined);
    const metadata =
      content === undefined
        ? ''
        : `<metadata>${metadataOf(services, site.baseUrl, format, content, related)}</metadata>`;
    records.push(`<record>${header}${metadata}</record>`);
    if (records.length % BATCH_SIZE === 0) await setImmediate();
  }
  return records;
}

/** Returns a node in a format as a document of its own, as the viewer of the services may view it. */
export async function writeRecord(
  services: RecordServices,
  baseUrl: string,
  format: HarvestFormat,
  content: ParsedContent,
): Promise<string> {
  const related = await findRelated(services, format, [content]);
  return `${XML_DECLARATION}${metadataOf(services, baseUrl, format, content, related)}\n`;
}

function metadataOf(
  { model, kinds, fieldTypes, siteName, viewer }: RecordServices,
  baseUrl: string,
  format: HarvestFormat,
  { head, bundle, members }: ParsedContent,
  { targets, files, agents }: Related,
): string {
  const { fields, start } = preparedOf(format);
  let mapped = fields.get(bundle.name);
  if (mapped === undefined) {
    mapped = mappedFields(model, kinds.node, format, bundle.name);
    fields.set(bundle.name, mapped);
  }
  const record: RecordFacts = {
    url: baseUrl + entityPath.node(head.id),
    title: String(members.title?.[0]?.value ?? ''),
    addedYear: String(members.created?.[0]?.value ?? '').slice(0, 'YYYY'.length),
    site: siteName,
    language: String(members.langcode?.[0]?.value ?? model.defaultLanguage),
    doi: firstDoi(mapped, members),
  };
  const elements = new RecordElements(format);
  for (const field of mapped) {
    for (const item of members[field.definition.name] ?? []) {
      const target = targets.of(field.definition, item);
      const agent = target?.type === 'taxonomy_term' ? agents.get(target.id) : undefined;
      const value = { item, field, target, targetUrl: urlOf(target, baseUrl), agent };
      const factOf = factsOfValue(fieldTypes, value, record);
      if (factOf === undefined) continue;
      const role = fieldTypes.of(field.definition).role(item);
      const ofRole = role === undefined ? undefined : format.byPredicate.get(expandIri(model.rdf.prefixes, role));
      const templates = ofRole ?? field.templates;
      for (const template of templates) elements.add(template, factOf);
    }
  }
  for (const file of files.get(head.id) ?? [])
    for (const template of format.files) elements.add(template, factsOfFile(file, baseUrl, record));
  const rights = viewer.rightsOf(head.accessSet);
  if (rights !== undefined) for (const template of format.access) elements.add(template, factsOfAccess(rights, record));
  elements.complete((fact) => factOfRecord(record, fact));
  return `<${start}>${elements}</${format.element}>`;
}

function urlOf(target: Neighbour | undefined, baseUrl: string): string | undefined {
  return target?.type === 'node' ? baseUrl + entityPath.node(target.id) : undefined;
}

function startOf({ element, namespace, schema, namespaces, attributes }: HarvestFormat): string {
  const own = element.includes(':') ? '' : ` xmlns="${xmlAttribute(namespace)}"`;
  const declared = [...namespaces].map(([prefix, uri]) => ` xmlns:${prefix}="${xmlAttribute(uri)}"`).join('');
  const given = [...attributes].map(([name, value]) => ` ${name}="${xmlAttribute(value)}"`).join('');
  const location = xmlAttribute(`${namespace} ${schema}`);
  return `${element}${own}${declared} xmlns:xsi="${XSI}"${given} xsi:schemaLocation="${location}"`;
}

/** `repositoryIdentifier` of the OAI identifier format: a domain name with at least one dot. */
const DOMAIN = /^[A-Za-z][A-Za-z0-9-]*(?:\.[A-Za-z][A-Za-z0-9-]*)+$/;
const NODE = /^node-([1-9]\d{0,14})$/;

/** Returns the identifier of a record, as in Islandora: `oai:repository.example.org:node-12`. */
export function identifierOf(host: string, nid: number): string {
  return `oai:${host}:node-${nid}`;
}

/** Returns the node of an identifier. Undefined for an identifier of another repository. */
export function nodeOf(host: string, identifier: string): number | undefined {
  const start = `oai:${host}:`;
  // Host names are case-insensitive.
  if (!identifier.toLowerCase().startsWith(start)) return undefined;
  const [, nid] = NODE.exec(identifier.slice(start.length)) ?? [];
  return nid === undefined ? undefined : Number(nid);
}

/** Returns true if identifiers with this host follow the OAI identifier format (Implementation Guidelines, OAI Identifiers). */
export function hasOaiIdentifiers(host: string): boolean {
  return DOMAIN.test(host);
}
