import { madeOnce } from '../../base/made-once.ts';
import type { CitationKind, ItemModels } from '../../model/item-models.ts';

/** The type of a work in the vocabularies of schema.org, Open Graph, CSL, RIS, BibTeX and Zotero. */
export interface WorkKind {
  readonly schema: string;
  readonly og: string;
  readonly csl: string;
  readonly ris: string;
  readonly bibtex: string;
  /** The item type of Zotero, which would take any other page for a journal article. */
  readonly zotero: ZoteroType;
  /** The kind in brackets in citations of works that are not text: `Photograph`. */
  readonly words: string | undefined;
}

/** Item types of Zotero (https://api.zotero.org/itemTypes). */
type ZoteroType =
  | 'artwork'
  | 'audioRecording'
  | 'book'
  | 'computerProgram'
  | 'dataset'
  | 'document'
  | 'manuscript'
  | 'map'
  | 'videoRecording'
  | 'webpage';

const DCMI = 'purl.org/dc/dcmitype/';
const LC = 'id.loc.gov/vocabulary/resourceTypes/';
const SCHEMA = 'schema.org/';

type Row = readonly [name: CitationKind, uris: readonly string[], kind: WorkKind];

const row = (
  name: CitationKind,
  uris: readonly string[],
  schema: string,
  {
    og = 'article',
    csl = 'document',
    ris = 'GEN',
    bibtex = 'misc',
    zotero = 'document',
    words,
  }: Partial<WorkKind> = {},
): Row => [name, uris, { schema, og, csl, ris, bibtex, zotero, words }];

/**
 * From the specific to the general: the first row with an address of the work determines its kind. The models of items
 * (config/models.yaml) name a row.
 */
const KINDS: readonly Row[] = [
  row('map', [`${LC}map`], 'Map', { csl: 'map', zotero: 'map', ris: 'MAP', words: 'Map' }),
  row('globe', [`${LC}glo`], 'Map', { csl: 'map', zotero: 'map', ris: 'MAP', words: 'Globe' }),
  row('cartographic', [`${LC}car`], 'Map', { csl: 'map', zotero: 'map', ris: 'MAP', words: 'Cartographic material' }),
  row('photograph', [`${LC}pho`, `${SCHEMA}Photograph`], 'Photograph', {
    ...{ csl: 'graphic', zotero: 'artwork', ris: 'ART', words: 'Photograph' },
  }),
  row('drawing', [`${LC}dwg`], 'Drawing', { csl: 'graphic', zotero: 'artwork', ris: 'ART', words: 'Drawing' }),
  row('print', [`${LC}pri`], 'VisualArtwork', { csl: 'graphic', zotero: 'artwork', ris: 'ART', words: 'Print' }),
  row('manuscript', [`${LC}man`], 'Manuscript', {
    csl: 'manuscript',
    zotero: 'manuscript',
    ris: 'MANSCPT',
    words: 'Manuscript',
  }),
  row('score', [`${LC}not`], 'SheetMusic', { csl: 'musical_score', ris: 'MUSIC', words: 'Musical score' }),
  row('software', [`${LC}sof`, `${DCMI}Software`], 'SoftwareApplication', {
    ...{ csl: 'software', zotero: 'computerProgram', ris: 'COMP', words: 'Computer software' },
  }),
  row('dataset', [`${LC}dat`, `${DCMI}Dataset`], 'Dataset', {
    csl: 'dataset',
    zotero: 'dataset',
    ris: 'DATA',
    words: 'Data set',
  }),
  row('article', [`${SCHEMA}Article`], 'Article', { csl: 'webpage', zotero: 'webpage', ris: 'ELEC' }),
  row('webpage', [`${SCHEMA}WebPage`], 'WebPage', { og: 'website', csl: 'webpage', zotero: 'webpage', ris: 'ELEC' }),
  row('issue', [], 'PublicationIssue', { csl: 'periodical', ris: 'JFULL' }),
  row('newspaper', [`${LC}nws`], 'Newspaper', { csl: 'periodical', ris: 'NEWS' }),
  row('periodical', [`${LC}per`], 'Periodical', { csl: 'periodical', ris: 'JFULL' }),
  row('book', [`${LC}bke`], 'Book', { og: 'book', csl: 'book', zotero: 'book', ris: 'BOOK', bibtex: 'book' }),
  row('video', [`${LC}mov`, `${LC}vid`, `${LC}mot`, `${DCMI}MovingImage`], 'VideoObject', {
    ...{ og: 'video.other', csl: 'motion_picture', zotero: 'videoRecording', ris: 'VIDEO', words: 'Video' },
  }),
  row('audio', [`${LC}aud`, `${LC}aum`, `${LC}aun`, `${DCMI}Sound`], 'AudioObject', {
    ...{ csl: 'song', zotero: 'audioRecording', ris: 'SOUND', words: 'Audio recording' },
  }),
  row('image', [`${LC}img`, `${DCMI}StillImage`, `${DCMI}Image`], 'ImageObject', {
    ...{ csl: 'graphic', zotero: 'artwork', ris: 'ART', words: 'Image' },
  }),
  row('collection', [`${LC}col`], 'Collection', { og: 'website', csl: 'collection', words: 'Collection' }),
  row('document', [], 'DigitalDocument'),
];

/** The item types of Zotero that a part of a journal may have. */
const PARTS_OF_JOURNALS: ReadonlySet<ZoteroType> = new Set(['document', 'webpage', 'manuscript']);

/** Returns true for a text that appeared in a journal. */
export function isJournalArticle({ kind, container }: { kind: WorkKind; container: string | undefined }): boolean {
  return container !== undefined && PARTS_OF_JOURNALS.has(kind.zotero);
}

const [, , OTHER] = row('document', [], 'CreativeWork');

/** Returns the kind of a work with these addresses of its types, of any scheme. */
export function workKind(addresses: readonly string[], { all }: Pick<ItemModels, 'all'>): WorkKind {
  const known = new Set(addresses.map(withoutScheme));
  const citations = citationsByAddress(all);
  const cited = new Set([...known].flatMap((address) => citations.get(address) ?? []));
  return KINDS.find(([name, uris]) => cited.has(name) || uris.some((uri) => known.has(uri)))?.[2] ?? OTHER;
}

const citationsByAddress = madeOnce((all: ItemModels['all']) => {
  const citations = new Map<string, CitationKind[]>();
  for (const { uri, citation } of all) {
    if (citation === undefined) continue;
    const address = withoutScheme(uri);
    citations.set(address, [...(citations.get(address) ?? []), citation]);
  }
  return citations;
});

const withoutScheme = (address: string) => address.replace(/^https?:\/\//, '');
