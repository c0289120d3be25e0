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

const COAR = 'purl.org/coar/resource_type/';
const DCMI = 'purl.org/dc/dcmitype/';
const LC = 'id.loc.gov/vocabulary/resourceTypes/';
const SCHEMA = 'schema.org/';

type Row = readonly [uris: readonly string[], kind: WorkKind];

const row = (
  uris: readonly string[],
  schema: string,
  { og = 'article', csl = 'document', ris = 'GEN', bibtex = 'misc', words }: Partial<WorkKind> = {},
): Row => [uris, { schema, og, csl, ris, bibtex, words }];

/** From the specific to the general: the first row with an address of the work determines its kind. */
const KINDS: readonly Row[] = [
  row([`${LC}map`], 'Map', { csl: 'map', ris: 'MAP', words: 'Map' }),
  row([`${LC}glo`], 'Map', { csl: 'map', ris: 'MAP', words: 'Globe' }),
  row([`${LC}car`], 'Map', { csl: 'map', ris: 'MAP', words: 'Cartographic material' }),
  row([`${LC}pho`, `${SCHEMA}Photograph`], 'Photograph', { csl: 'graphic', ris: 'ART', words: 'Photograph' }),
  row([`${LC}dwg`], 'Drawing', { csl: 'graphic', ris: 'ART', words: 'Drawing' }),
  row([`${LC}pri`], 'VisualArtwork', { csl: 'graphic', ris: 'ART', words: 'Print' }),
  row([`${LC}man`], 'Manuscript', { csl: 'manuscript', ris: 'MANSCPT', words: 'Manuscript' }),
  row([`${LC}not`], 'SheetMusic', { csl: 'musical_score', ris: 'MUSIC', words: 'Musical score' }),
  row([`${LC}sof`, `${DCMI}Software`], 'SoftwareApplication', {
    csl: 'software',
    ris: 'COMP',
    words: 'Computer software',
  }),
  row([`${LC}dat`, `${DCMI}Dataset`], 'Dataset', { csl: 'dataset', ris: 'DATA', words: 'Data set' }),
  row([`${SCHEMA}Article`], 'Article', { csl: 'webpage', ris: 'ELEC' }),
  row([`${SCHEMA}WebPage`], 'WebPage', { og: 'website', csl: 'webpage', ris: 'ELEC' }),
  row([`${SCHEMA}PublicationIssue`], 'PublicationIssue', { csl: 'periodical', ris: 'JFULL' }),
  row([`${SCHEMA}Newspaper`, `${LC}nws`], 'Newspaper', { csl: 'periodical', ris: 'NEWS' }),
  row([`${LC}per`], 'Periodical', { csl: 'periodical', ris: 'JFULL' }),
  row([`${SCHEMA}Book`, `${LC}bke`], 'Book', { og: 'book', csl: 'book', ris: 'BOOK', bibtex: 'book' }),
  row([`${COAR}c_12ce`, `${LC}mov`, `${LC}vid`, `${LC}mot`, `${DCMI}MovingImage`], 'VideoObject', {
    ...{ og: 'video.other', csl: 'motion_picture', ris: 'VIDEO', words: 'Video' },
  }),
  row([`${COAR}c_18cc`, `${LC}aud`, `${LC}aum`, `${LC}aun`, `${DCMI}Sound`], 'AudioObject', {
    ...{ csl: 'song', ris: 'SOUND', words: 'Audio recording' },
  }),
  row([`${COAR}c_c513`, `${LC}img`, `${DCMI}StillImage`, `${DCMI}Image`], 'ImageObject', {
    ...{ csl: 'graphic', ris: 'ART', words: 'Image' },
  }),
  row([`${DCMI}Collection`, `${LC}col`], 'Collection', { og: 'website', csl: 'collection', words: 'Collection' }),
  row([`${SCHEMA}DigitalDocument`], 'DigitalDocument'),
];

const [, OTHER] = row([], 'CreativeWork');

/** Returns the kind of a work with these addresses of its types, of any scheme. */
export function workKind(addresses: readonly string[]): WorkKind {
  const known = new Set(addresses.map((address) => address.replace(/^https?:\/\//, '')));
  return KINDS.find(([uris]) => uris.some((uri) => known.has(uri)))?.[1] ?? OTHER;
}
