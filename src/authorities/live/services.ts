import { isMap } from '../../base/is-map.ts';
import type { AuthorityKind, AuthorityRecord, LanguageName } from '../authority-record.ts';
import { factOfType } from '../load/rdf-vocabulary.ts';

/** A service on the web that has records of an authority file. */
interface LiveService {
  readonly label: string;
  readonly address: string;
  /** The kinds of records that it has; `other` for one that tells none. */
  readonly kinds: readonly AuthorityKind[];
  /** Returns the paths with queries to ask for a text and some kinds. */
  readonly paths: (text: string, kinds: ReadonlySet<AuthorityKind>, options: { readonly user: string }) => string[];
  readonly read: (answer: unknown) => AuthorityRecord[];
}

const COUNT = 10;
const MADS = 'http://www.loc.gov/mads/rdf/v1#';
const GND = 'https://d-nb.info/standards/elementset/gnd#';
const NAMES: readonly AuthorityKind[] = ['person', 'family', 'organisation', 'place', 'title'];

/** The services by their names in the configuration. The structures of their answers are those that they document. */
export const LIVE_SERVICES = {
  loc: {
    label: 'id.loc.gov',
    address: 'https://id.loc.gov/',
    kinds: [...NAMES, 'topic', 'genre', 'period', 'other'],
    paths: (text, kinds) => {
      const files = [
        ...(NAMES.some((kind) => kinds.has(kind)) ? ['names'] : []),
        ...(kinds.has('topic') || kinds.has('period') ? ['subjects'] : []),
        ...(kinds.has('genre') ? ['genreForms'] : []),
      ];
      const query = new URLSearchParams({ q: text, searchtype: 'keyword', count: String(COUNT) });
      return files.map((file) => `authorities/${file}/suggest2?${query}`);
    },
    read: (answer) =>
      mapsIn(answer, 'hits').flatMap((hit) => {
        const more = isMap(hit.more) ? hit.more : {};
        const kind = kindOf(textsIn(more.rdftypes).map((type) => MADS + type));
        const label = textOf(hit.aLabel) || textOf(hit.suggestLabel);
        const dates = { dateBegin: textsIn(more.birthdates)[0], dateEnd: textsIn(more.deathdates)[0] };
        return recordOf({ uri: textOf(hit.uri), kind, label, others: textsIn(more.variantLabels), ...dates });
      }),
  },
  gnd: {
    label: 'lobid.org (GND)',
    address: 'https://lobid.org/',
    kinds: [...NAMES, 'topic', 'period'],
    paths: (text) => [`gnd/search?${new URLSearchParams({ q: text, format: 'json', size: String(COUNT) })}`],
    read: (answer) =>
      mapsIn(answer, 'member').flatMap((each) =>
        recordOf({
          uri: textOf(each.id),
          kind: kindOf(textsIn(each.type).map((type) => GND + type)),
          label: textOf(each.preferredName),
          others: textsIn(each.variantName),
          dateBegin: textsIn(each.dateOfBirth)[0] ?? textsIn(each.dateOfEstablishment)[0],
          dateEnd: textsIn(each.dateOfDeath)[0] ?? textsIn(each.dateOfTermination)[0],
          scope: textsIn(each.biographicalOrHistoricalInformation)[0],
        }),
      ),
  },
  viaf: {
    label: 'VIAF',
    address: 'https://viaf.org/',
    kinds: ['person', 'organisation', 'place', 'title'],
    paths: (text) => [`viaf/AutoSuggest?${new URLSearchParams({ query: text })}`],
    read: (answer) =>
      mapsIn(answer, 'result').flatMap((each) => {
        const id = textOf(each.viafid);
        const label = textOf(each.displayForm) || textOf(each.term);
        const kind = VIAF_KINDS[textOf(each.nametype)];
        return recordOf({ uri: id && `http://viaf.org/viaf/${id}`, kind, label, others: [textOf(each.term)] });
      }),
  },
  wikidata: {
    label: 'Wikidata',
    address: 'https://www.wikidata.org/',
    kinds: ['other'],
    paths: (text) => {
      const query = { action: 'wbsearchentities', search: text, language: 'en', format: 'json', limit: String(COUNT) };
      return [`w/api.php?${new URLSearchParams(query)}`];
    },
    read: (answer) =>
      mapsIn(answer, 'search').flatMap((each) =>
        recordOf({
          ...{ uri: textOf(each.concepturi), kind: 'other', label: textOf(each.label), others: textsIn(each.aliases) },
          scope: textOf(each.description) || undefined,
        }),
      ),
  },
  geonames: {
    label: 'GeoNames',
    address: 'https://secure.geonames.org/',
    kinds: ['place'],
    paths: (text, _kinds, { user }) => [
      `searchJSON?${new URLSearchParams({ q: text, maxRows: String(COUNT), username: user })}`,
    ],
    read: (answer) =>
      mapsIn(answer, 'geonames').flatMap((each) => {
        const id = textOf(each.geonameId);
        const scope = [each.adminName1, each.countryName]
          .map(textOf)
          .filter((part) => part !== '')
          .join(', ');
        const others = [textOf(each.toponymName)];
        const uri = id && `https://sws.geonames.org/${id}/`;
        return recordOf({ uri, kind: 'place', label: textOf(each.name), others, scope: scope || undefined });
      }),
  },
} as const satisfies Readonly<Record<string, LiveService>>;

export type LiveServiceName = keyof typeof LIVE_SERVICES;

/** Returns a service by its name. */
export function liveService(name: LiveServiceName): LiveService {
  return LIVE_SERVICES[name];
}

const VIAF_KINDS: Readonly<Record<string, AuthorityKind>> = {
  ...{ personal: 'person', corporate: 'organisation', geographic: 'place', uniformtitlework: 'title' },
};

interface RecordParts {
  readonly uri: string;
  readonly kind: AuthorityKind | undefined;
  readonly label: string;
  readonly others: readonly string[];
  readonly dateBegin?: string | undefined;
  readonly dateEnd?: string | undefined;
  readonly scope?: string | undefined;
}

/** Returns a record of its parts; none without a web address and a name. */
function recordOf({ uri, kind = 'other', label, others, dateBegin, dateEnd, scope }: RecordParts): AuthorityRecord[] {
  if (!/^https?:\/\//.test(uri) || label === '') return [];
  const [, begin, end] = /, (\d{4})?-(\d{4})?$/.exec(label) ?? [];
  const variants = others.filter((name) => name !== '' && name !== label).map((name): LanguageName => [name, '']);
  return [
    {
      ...{ uri, kind, label, preferred: [[label, '']], variants, scope },
      ...{ dateBegin: dateBegin ?? begin, dateEnd: dateEnd ?? end },
    },
  ];
}

function kindOf(types: readonly string[]): AuthorityKind | undefined {
  const kind = types.map(factOfType).find((fact) => fact?.[0] === 'kind')?.[1];
  return kind as AuthorityKind | undefined;
}

function mapsIn(answer: unknown, member: string): Record<string, unknown>[] {
  const list = isMap(answer) ? answer[member] : undefined;
  return Array.isArray(list) ? list.filter(isMap) : [];
}

function textOf(value: unknown): string {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  return text
    .toWellFormed()
    .replace(/\p{Cc}+/gu, ' ')
    .trim();
}

function textsIn(value: unknown): string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : value === undefined ? [] : [value];
  return list.map(textOf).filter((text) => text !== '');
}
