import type { JsonObject, JsonValue } from '../../base/json.ts';
import { wholeWebAddress } from '../../field-types/display/addresses.ts';
import { parseIsoSeconds } from '../../field-types/epoch-seconds.ts';
import { isCalendarDate } from '../../field-types/readable.tsx';
import { accessWords } from '../../model/access-vocabulary.ts';
import { entityPath } from '../../paths.ts';
import type { AttachedFiles } from '../../repository/content/read/find-attached-files.ts';
import type { Neighbour } from '../../repository/content/read/surroundings.ts';
import { addressesOf } from '../../representation/signpost-addresses.ts';
import { type Agent, agentName } from '../description/agent.ts';
import type { Description } from '../description/description.ts';
import { DC, DCTERMS, SCHEMA } from '../description/mapped-values.ts';
import type { View } from '../view.ts';
import type { Picture } from './picture.ts';
import { mediaFile, workFiles } from './schema-files.ts';

/** Properties of schema.org for predicates of Dublin Core and others. Predicates of schema.org stay as they are. */
const PROPERTIES: Readonly<Record<string, string>> = {
  [`${DCTERMS}alternative`]: 'alternateName',
  [`${DCTERMS}abstract`]: 'abstract',
  [`${DCTERMS}description`]: 'description',
  [`${DCTERMS}issued`]: 'datePublished',
  [`${DCTERMS}created`]: 'dateCreated',
  [`${DCTERMS}date`]: 'dateCreated',
  [`${DCTERMS}extent`]: 'materialExtent',
  [`${DCTERMS}identifier`]: 'identifier',
  [`${DCTERMS}language`]: 'inLanguage',
  [`${DCTERMS}spatial`]: 'spatialCoverage',
  [`${DCTERMS}subject`]: 'about',
  [`${DCTERMS}temporal`]: 'temporalCoverage',
  [`${DCTERMS}type`]: 'genre',
  [`${DC}rights`]: 'copyrightNotice',
  'http://pcdm.org/models#memberOf': 'isPartOf',
};
/** Properties whose values are texts. */
const TEXTS: ReadonlySet<string> = new Set(['genre', 'inLanguage', 'temporalCoverage']);
/** Those of records: they are not properties of the object that a record describes. */
const OF_RECORDS: ReadonlySet<string> = new Set(['author', 'dateCreated', 'dateModified']);
/** Properties of dates: they have ISO 8601 or no value. */
const DATES: ReadonlySet<string> = new Set(['datePublished', 'dateCreated', 'dateModified']);
/** Classes of works that have authors. */
const WRITTEN: ReadonlySet<string> = new Set(['Book', 'Article', 'Manuscript', 'DigitalDocument', 'PublicationIssue']);
/** The field type of points. */
const POINT = 'geolocation';
const MAX_VALUES_OF_A_PROPERTY = 20;

interface Props {
  readonly view: View;
  readonly described: Description;
  readonly picture: Picture | undefined;
  /** The sizes of the files of a node. */
  readonly sizes?: AttachedFiles['sizes'];
}

/** Content in the vocabulary of schema.org as JSON-LD. A script of this type is data, which browsers never run. */
export function SchemaOrg(props: Props) {
  return <script type="application/ld+json" dangerouslySetInnerHTML={{ __html: scriptText(schemaOrg(props)) }} />;
}

/** Returns JSON that cannot end the element which contains it. */
function scriptText(value: JsonObject): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}

/** Returns content as an object of schema.org. */
function schemaOrg({ view, described, picture, sizes = {} }: Props): JsonObject {
  const { content, source, members, around } = view;
  const { kind, bundle } = content;
  const { url, citeAs, title, creators, contributors, publishers, identifiers } = described;
  const rules = source.model.signposting[kind.type].get(bundle.name);
  const licenses = rules ? addressesOf(rules.license, 'license', members, around, source.baseUrl) : [];
  const type = typeOf(view, described);
  const mapped = mappedProperties(view, described);
  const authors = creators.map((agent) => agentObject(agent, source.baseUrl));
  const geo = coordinates(view);
  return withoutEmpty({
    '@context': 'https://schema.org',
    '@type': type,
    '@id': url,
    url,
    name: title,
    ...mapped,
    // Search engines require one for data sets.
    description: mapped.description ?? described.summary,
    ...(kind.type === 'taxonomy_term' ? { geo } : { spatialCoverage: places(mapped.spatialCoverage, geo) }),
    creator: authors,
    author: WRITTEN.has(type) ? authors : undefined,
    contributor: contributors.map((agent) => agentObject(agent, source.baseUrl)),
    publisher: publishers.map((name) => ({ '@type': 'Organization', name })),
    isbn: [...identifiers.isbn],
    issn: [...identifiers.issn],
    license: licenses,
    sameAs: citeAs === url ? sameAs(view) : [citeAs],
    image: picture && [picture.url],
    ...access(view),
    ...(kind.type === 'media' && mediaFile(view, picture)),
    ...(kind.type === 'node' && workFiles(view, type, picture, sizes)),
  });
}

/** Returns what access rules close; nothing for content without rules, which says nothing of it. */
function access({ content, source }: View): Record<string, JsonValue> {
  const rights = source.actor.rightsOf(content.head.accessSet);
  return rights === undefined ? {} : { isAccessibleForFree: false, conditionsOfAccess: accessWords(rights).join(' ') };
}

/** Returns the class of the work, of the term, or of the media. */
function typeOf({ content, source }: View, { kind }: Description): string {
  const { type } = content.kind;
  if (type === 'node') return kind.schema;
  const classes =
    type === 'media'
      ? (source.model.signposting.media.get(content.bundle.name)?.type ?? []).flatMap((each) =>
          'address' in each ? each.address : [],
        )
      : (source.model.rdf.mappings[type].get(content.bundle.name)?.types ?? []);
  const names = classes.flatMap(schemaName);
  return names.find((name) => name !== 'AboutPage') ?? 'Thing';
}

/** Returns the name of a class of schema.org. */
function schemaName(address: string): string[] {
  return /^https?:\/\/schema\.org\/(\w+)$/.exec(address)?.slice(1) ?? [];
}

function mappedProperties({ content, source }: View, { values, isPage }: Description): Record<string, JsonValue[]> {
  const properties: Record<string, JsonValue[]> = {};
  for (const { field, predicates, text, target, role } of values) {
    if (role !== undefined || content.bundle.fieldNamed.get(field)?.type === POINT) continue;
    for (const predicate of predicates) {
      const property = predicate.startsWith(SCHEMA) ? predicate.slice(SCHEMA.length) : PROPERTIES[predicate];
      if (property === undefined || property === 'name') continue;
      if (content.kind.baseFieldNamed.has(field) && OF_RECORDS.has(property) && !isPage) continue;
      const value = DATES.has(property) ? isoDate(text) : text;
      if (value === undefined) continue;
      const list = properties[property] ?? [];
      properties[property] = list;
      if (list.length >= MAX_VALUES_OF_A_PROPERTY) continue;
      list.push(target === undefined || TEXTS.has(property) ? value : targetObject(target, source));
    }
  }
  return properties;
}

/** Returns a date, a moment, or an interval of two dates. Undefined for an EDTF expression that says more than ISO 8601 can. */
function isoDate(text: string): string | undefined {
  const ends = text.split('/');
  const isIso = ends.length <= 2 && ends.every((end) => isCalendarDate(end) || isMoment(end));
  return isIso ? text : undefined;
}

const isMoment = (text: string) => parseIsoSeconds(text) !== undefined;

function agentObject(agent: Agent, baseUrl: string): JsonObject {
  const name = agentName(agent);
  const parts = 'literal' in name ? {} : { familyName: name.family, givenName: name.given };
  const type = agent.isPerson ? 'Person' : 'Organization';
  const { target } = agent;
  return { '@type': type, name: agent.label, ...parts, ...(target && addressesOfTarget(target, baseUrl)) };
}

function targetObject(target: Neighbour, { baseUrl, model }: View['source']): JsonObject {
  const classes = model.rdf.mappings[target.type].get(target.bundle)?.types ?? [];
  const [type = 'Thing'] = classes.flatMap(schemaName);
  const ownType = target.type === 'taxonomy_term' ? type : 'CreativeWork';
  return { '@type': ownType, name: target.label, ...addressesOfTarget(target, baseUrl) };
}

/** Returns the places of a work: names without a term, and its coordinates, are places, too. */
function places(named: readonly JsonValue[] | undefined, points: readonly JsonObject[]): JsonValue[] {
  const all = (named ?? []).map((each) => (typeof each === 'string' ? { '@type': 'Place', name: each } : each));
  return [...all, ...points.map((geo) => ({ '@type': 'Place', geo }))];
}

function addressesOfTarget({ type, id, authorityUri, externalUri }: Neighbour, baseUrl: string): JsonObject {
  const elsewhere = wholeWebAddress(authorityUri ?? externalUri ?? '');
  return { url: baseUrl + entityPath[type](id), ...(elsewhere !== undefined && { sameAs: elsewhere }) };
}

/** Returns the external addresses of a term. */
function sameAs({ members }: View): string[] {
  return ['field_external_uri', 'field_authority_link'].flatMap((field) =>
    (members[field] ?? []).flatMap(({ uri }) => (typeof uri === 'string' ? (wholeWebAddress(uri) ?? []) : [])),
  );
}

/** Returns the points of content. */
function coordinates({ content, members }: View): JsonObject[] {
  const fields = content.bundle.fields.filter(({ type }) => type === POINT);
  return fields.flatMap(({ name }) =>
    (members[name] ?? []).flatMap(({ lat, lng }) =>
      typeof lat === 'number' && typeof lng === 'number'
        ? [{ '@type': 'GeoCoordinates', latitude: lat, longitude: lng }]
        : [],
    ),
  );
}

/** Returns an object without undefined values and empty lists. A list of one value becomes the value. */
function withoutEmpty(object: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  const whole: JsonObject = {};
  for (const [name, value] of Object.entries(object)) {
    if (value === undefined || (Array.isArray(value) && value.length === 0)) continue;
    whole[name] = Array.isArray(value) && value.length === 1 ? (value[0] as JsonValue) : value;
  }
  return whole;
}
