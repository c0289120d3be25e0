import type { AuthorityKind } from '../authority-record.ts';

/**
 * The role of a statement for a record: a name, a date or a note; `literal` is the text of a node of its own, to which
 * the roles with `node:` refer.
 */
export type Role =
  | 'pref'
  | 'variant'
  | 'literal'
  | 'begin'
  | 'end'
  | 'scope'
  | 'kind'
  | 'skipped'
  | 'node:pref'
  | 'node:variant'
  | 'node:begin'
  | 'node:end'
  | 'node:facts';

const SKOS = 'http://www.w3.org/2004/02/skos/core#';
const SKOS_XL = 'http://www.w3.org/2008/05/skos-xl#';
const MADS = 'http://www.loc.gov/mads/rdf/v1#';
const GND = 'https://d-nb.info/standards/elementset/gnd#';
const GEONAMES = 'http://www.geonames.org/ontology#';
const GETTY = 'http://vocab.getty.edu/ontology#';
const FOAF = 'http://xmlns.com/foaf/0.1/';
const SCHEMA = ['http://schema.org/', 'https://schema.org/'];
const RDF_TYPE = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';
const RDFS_LABEL = 'http://www.w3.org/2000/01/rdf-schema#label';

/** The role of a date or name whose object is a node. */
const ROLE_OF_NODE: Partial<Record<Role, Role>> = {
  ...{ pref: 'node:pref', variant: 'node:variant', begin: 'node:begin', end: 'node:end' },
};

const ROLES = new Map<string, Role>([
  ...entries(SKOS, {
    ...{ prefLabel: 'pref', altLabel: 'variant', hiddenLabel: 'variant', scopeNote: 'scope', definition: 'scope' },
  }),
  ...entries(SKOS_XL, {
    ...{ prefLabel: 'node:pref', altLabel: 'node:variant', hiddenLabel: 'node:variant', literalForm: 'literal' },
  }),
  ...entries(MADS, {
    ...{ authoritativeLabel: 'pref', variantLabel: 'literal', hasVariant: 'node:variant', identifiesRWO: 'node:facts' },
    ...{ birthDate: 'begin', deathDate: 'end', establishDate: 'begin', terminateDate: 'end' },
    ...{ definitionNote: 'scope', scopeNote: 'scope' },
  }),
  ...entries(GND, {
    ...{ dateOfBirth: 'begin', dateOfDeath: 'end', dateOfEstablishment: 'begin', dateOfTermination: 'end' },
    ...{ biographicalOrHistoricalInformation: 'scope', definition: 'scope', preferredName: 'pref' },
    variantName: 'variant',
  }),
  ...entries(GEONAMES, { name: 'pref', alternateName: 'variant', officialName: 'variant', shortName: 'variant' }),
  ...entries(GETTY, { biographyPreferred: 'node:facts', estStart: 'begin', estEnd: 'end' }),
  ...entries(FOAF, { focus: 'node:facts' }),
  ...SCHEMA.flatMap((schema) => entries(schema, { birthDate: 'begin', deathDate: 'end', description: 'scope' })),
  [RDFS_LABEL, 'literal'],
  [RDF_TYPE, 'kind'],
]);

/** `gndo:preferredNameForThePerson`, `gndo:variantNameForTheFamily` and so on. */
const GND_NAME = /^(preferred|variant)NameForThe\w+$/;

const KINDS = new Map<string, AuthorityKind>([
  ...entries(MADS, {
    ...{ PersonalName: 'person', FamilyName: 'family', CorporateName: 'organisation', ConferenceName: 'organisation' },
    ...{ Geographic: 'place', HierarchicalGeographic: 'place', Topic: 'topic', ComplexSubject: 'topic' },
    ...{ GenreForm: 'genre', Temporal: 'period', Title: 'title', NameTitle: 'title' },
  }),
  ...entries(GND, {
    ...{ DifferentiatedPerson: 'person', UndifferentiatedPerson: 'person', Person: 'person', Pseudonym: 'person' },
    ...{ CollectivePseudonym: 'person', RoyalOrMemberOfARoyalHouse: 'person', LiteraryOrLegendaryCharacter: 'person' },
    ...{ Family: 'family', CorporateBody: 'organisation', ConferenceOrEvent: 'organisation' },
    ...{ OrganOfCorporateBody: 'organisation', MusicalCorporateBody: 'organisation', Company: 'organisation' },
    ...{ SeriesOfConferenceOrEvent: 'organisation', ReligiousCorporateBody: 'organisation' },
    ...{ PlaceOrGeographicName: 'place', TerritorialCorporateBodyOrAdministrativeUnit: 'place', Country: 'place' },
    ...{ BuildingOrMemorial: 'place', NaturalGeographicUnit: 'place', AdministrativeUnit: 'place' },
    ...{ SubjectHeading: 'topic', SubjectHeadingSensoStricto: 'topic', HistoricSingleEventOrEra: 'period' },
    ...{ Work: 'title', MusicalWork: 'title', VersionOfAMusicalWork: 'title', CollectiveManuscript: 'title' },
  }),
  ...entries(GETTY, {
    ...{ PersonConcept: 'person', GroupConcept: 'organisation', AdminPlaceConcept: 'place' },
    ...{ PhysPlaceConcept: 'place', PhysAdminPlaceConcept: 'place' },
  }),
  ...entries(GEONAMES, { Feature: 'place' }),
  ...entries(FOAF, { Person: 'person', Organization: 'organisation' }),
  ...SCHEMA.flatMap((schema) => entries(schema, { Person: 'person', Organization: 'organisation', Place: 'place' })),
]);

/** Types of subjects that have labels and are no records. */
const SKIPPED = new Set([
  ...[`${SKOS}ConceptScheme`, `${SKOS}Collection`, `${SKOS}OrderedCollection`, `${MADS}MADSScheme`],
  ...[`${MADS}MADSCollection`, `${MADS}DeprecatedAuthority`],
]);

/** Returns the role of a statement by its predicate. Undefined for one that is of no use. */
export function roleOf(predicate: string, isObjectNode: boolean): Role | undefined {
  const role = ROLES.get(predicate) ?? gndRole(predicate);
  if (role === undefined || role === 'kind') return role;
  if (isObjectNode) return role.startsWith('node:') ? role : ROLE_OF_NODE[role];
  // A literal where a node is expected is the name itself.
  if (role === 'node:pref') return 'pref';
  if (role === 'node:variant') return 'variant';
  return role.startsWith('node:') ? undefined : role;
}

function gndRole(predicate: string): Role | undefined {
  if (!predicate.startsWith(GND)) return undefined;
  const [, which] = GND_NAME.exec(predicate.slice(GND.length)) ?? [];
  return which === undefined ? undefined : which === 'preferred' ? 'pref' : 'variant';
}

/** Returns the fact that a type tells: a kind, or that the subject is no record. Undefined for other types. */
export function factOfType(type: string): readonly [role: 'kind' | 'skipped', value: string] | undefined {
  if (SKIPPED.has(type)) return ['skipped', ''];
  const kind = KINDS.get(type);
  return kind && ['kind', kind];
}

function entries<Value extends string>(namespace: string, names: Readonly<Record<string, Value>>): [string, Value][] {
  return Object.entries(names).map(([name, value]) => [namespace + name, value]);
}
