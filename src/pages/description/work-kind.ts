import type { CitationKind, ItemModels } from '../../model/item-models.ts';

/** The type of a work in the vocabularies of schema.org, Open Graph, CSL, RIS and BibTeX. */
export interface WorkKind {
  readonly schema: string;
  readonly og: string;
  readonly csl: string;
  readonly ris: string;
  readonly bibtex: string;
  /** The kind in brackets in citations of works that are not text: `Photograph`. */
  readonly words: string | undefined;
}

const DCMI = 'purl.org/dc/dcmitype/';
const LC = 'id.loc.gov/vocabulary/resourceTypes/';
const SCHEMA = 'schema.org/';

type Row = readonly [name: CitationKind, uris: readonly string[], kind: WorkKind];

const row = (
  name: CitationKind,
  uris: readonly string[],
  schema: string,
  { og = 'article', csl = 'document', ris = 'GEN', bibtex = 'misc', words }: Partial<WorkKind> = {},
): Row => [name, uris, { schema, og, csl, ris, bibtex, words }];

/**
 * From the specific to the general: the first row with an address of the work determines its kind. The models of items
 * (config/models.yaml) name a row.
 */
const KINDS: readonly Row[] = [
  row('map', [`${LC}map`], 'Map', { csl: 'map', ris: 'MAP', words: 'Map' }),
  row('globe', [`${LC}glo`], 'Map', { csl: 'map', ris: 'MAP', words: 'Globe' }),
  row('cartographic', [`${LC}car`], 'Map', { csl: 'map', ris: 'MAP', words: 'Cartographic material' }),
  row('photograph', [`${LC}pho`, `${SCHEMA}Photograph`], 'Photograph', {
    ...{ csl: 'graphic', ris: 'ART', words: 'Photograph' },
  }),
  row('drawing', [`${LC}dwg`], 'Drawing', { csl: 'graphic', ris: 'ART', words: 'Drawing' }),
  row('print', [`${LC}pri`], 'VisualArtwork', { csl: 'graphic', ris: 'ART', words: 'Print' }),
  row('manuscript', [`${LC}man`], 'Manuscript', { csl: 'manuscript', ris: 'MANSCPT', words: 'Manuscript' }),
  row('score', [`${LC}not`], 'SheetMusic', { csl: 'musical_score', ris: 'MUSIC', words: 'Musical score' }),
  row('software', [`${LC}sof`, `${DCMI}Software`], 'SoftwareApplication', {
    ...{ csl: 'software', ris: 'COMP', words: 'Computer software' },
  }),
  row('dataset', [`${LC}dat`, `${DCMI}Dataset`], 'Dataset', { csl: 'dataset', ris: 'DATA', words: 'Data set' }),
  row('article', [`${SCHEMA}Article`], 'Article', { csl: 'webpage', ris: 'ELEC' }),
  row('webpage', [`${SCHEMA}WebPage`], 'WebPage', { og: 'website', csl: 'webpage', ris: 'ELEC' }),
  row('issue', [], 'PublicationIssue', { csl: 'periodical', ris: 'JFULL' }),
  row('newspaper', [`${LC}nws`], 'Newspaper', { csl: 'periodical', ris: 'NEWS' }),
  row('periodical', [`${LC}per`], 'Periodical', { csl: 'periodical', ris: 'JFULL' }),
  row('book', [`${LC}bke`], 'Book', { og: 'book', csl: 'book', ris: 'BOOK', bibtex: 'book' }),
  row('video', [`${LC}mov`, `${LC}vid`, `${LC}mot`, `${DCMI}MovingImage`], 'VideoObject', {
    ...{ og: 'video.other', csl: 'motion_picture', ris: 'VIDEO', words: 'Video' },
  }),
  row('audio', [`${LC}aud`, `${LC}aum`, `${LC}aun`, `${DCMI}Sound`], 'AudioObject', {
    ...{ csl: 'song', ris: 'SOUND', words: 'Audio recording' },
  }),
  row('image', [`${LC}img`, `${DCMI}StillImage`, `${DCMI}Image`], 'ImageObject', {
    ...{ csl: 'graphic', ris: 'ART', words: 'Image' },
  }),
  row('collection', [`${LC}col`], 'Collection', { og: 'website', csl: 'collection', words: 'Collection' }),
  row('document', [], 'DigitalDocument'),
];

const [, , OTHER] = row('document', [], 'CreativeWork');

/** Returns the kind of a work with these addresses of its types, of any scheme. */
export function workKind(addresses: readonly string[], { all }: Pick<ItemModels, 'all'>): WorkKind {
  const known = new Set(addresses.map(withoutScheme));
  const cited = new Set(all.filter(({ uri }) => known.has(withoutScheme(uri))).map(({ citation }) => citation));
  return KINDS.find(([name, uris]) => cited.has(name) || uris.some((uri) => known.has(uri)))?.[2] ?? OTHER;
}

const withoutScheme = (address: string) => address.replace(/^https?:\/\//, '');
