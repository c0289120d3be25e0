import type { Part, RestrictedItem, RestrictedSite } from './restricted-site.ts';
import { wordOf } from './restricted-site.ts';

/** A request for content: of all items at once, or of each by itself. */
export interface Way {
  readonly name: string;
  /** The parts of items whose words an answer shows to those who may see them. */
  readonly shows: readonly Part[];
  /** The path for an item; the same for all items if it has no parameter. */
  readonly path: (site: RestrictedSite, item: RestrictedItem, name: string) => string;
  readonly isOfEach: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
  /** Success says that the caller sees these parts, whatever the answer contains. */
  readonly grants?: readonly Part[];
  /** The part without which a caller does not find the others by this way. */
  readonly needs?: Part;
  /** True if a caller may be refused who sees the item. */
  readonly isForSome?: boolean;
  /** True if it leads to the members of the whole. */
  readonly isOfMembers?: boolean;
  /** True if every caller gets what strangers get who are nowhere. */
  readonly isForStrangers?: boolean;
}

type More = Partial<Omit<Way, 'name' | 'shows' | 'path' | 'isOfEach'>>;
const FOR_SOME = { isForSome: true };
const OF_MEMBERS = { isOfMembers: true, isForSome: true };

const DESCRIBED: readonly Part[] = ['title', 'description'];
const FILES: readonly Part[] = ['original', 'service', 'thumbnail', 'texts'];
const PAGE = { headers: { Accept: 'text/html' } };

const all = (
  name: string,
  path: string | ((site: RestrictedSite) => string),
  shows: readonly Part[] = [],
  more: More = {},
): Way => ({
  ...{ name, shows, isOfEach: false, ...more },
  path: typeof path === 'string' ? () => path : path,
});
const each = (
  name: string,
  path: (item: RestrictedItem, name: string, site: RestrictedSite) => string,
  shows: readonly Part[] = [],
  more: More = {},
): Way => ({
  ...{ name, shows, isOfEach: true, ...more },
  path: (site, item, of) => path(item, of, site),
});

const OAI = '/oai/request?verb=';
const STRANGERS = { isForStrangers: true };

/** Ways to all items at once. `model`: what the items are. */
export const WAYS_TO_ALL: readonly Way[] = [
  all('the list of items', '/node?size=100', ['title', 'description']),
  all('the list of media', '/media?size=200', FILES),
  all('the list of files', '/file?size=200'),
  all('the first page', '/', [], PAGE),
  all('the collections', '/collections', [], PAGE),
  all('the page of the whole', ({ container }) => `/node/${container}`, [], PAGE),
  all('the whole as JSON', ({ container }) => `/node/${container}?_format=json`),
  all('the whole as JSON-LD', ({ container }) => `/node/${container}?_format=jsonld`),
  all('the linkset of the whole', ({ container }) => `/node/${container}/linkset`),
  all('the members of the whole', ({ container }) => `/node/${container}/members?_format=json`, ['title'], OF_MEMBERS),
  all('the pages of the whole', ({ container }) => `/node/${container}/pages`),
  all('the manifest of the whole', ({ container }) => `/node/${container}/manifest`, ['title'], {
    ...OF_MEMBERS,
    needs: 'service',
  }),
  all('the book manifest', ({ container }) => `/node/${container}/book-manifest`),
  all('the search within the whole', ({ container }) => `/node/${container}/iiif/search?q=allwords`),
  all('the page of that search', ({ container }) => `/node/${container}/search?q=allwords`, [], PAGE),
  all('the older search within', ({ container }) => `/paged-content-search/${container}?q=allwords`),
  all('the feed of the whole', ({ container }) => `/node/${container}/feed.atom`),
  all('the feed', '/feed.atom'),
  all('the sitemap', '/sitemap.xml'),
  all('a search', '/search?q=allwords&size=100&_format=json', ['title']),
  all('the page of a search', '/search?q=allwords&size=100', [], PAGE),
  all('a search as a table', '/search?q=allwords&_format=csv'),
  all('a search as a table of changes', '/search?q=allwords&_format=csv&columns=changes'),
  all('records', `${OAI}ListRecords&metadataPrefix=oai_dc`, ['title', 'description'], STRANGERS),
  all('records in MODS', `${OAI}ListRecords&metadataPrefix=mods`, ['title'], STRANGERS),
  all(
    'records of a set',
    ({ container }) => `${OAI}ListRecords&metadataPrefix=oai_dc&set=node:${container}`,
    [],
    STRANGERS,
  ),
  all('identifiers', `${OAI}ListIdentifiers&metadataPrefix=oai_dc`, [], STRANGERS),
  all('sets', `${OAI}ListSets`, [], STRANGERS),
  all('the activities', '/iiif/activity', [], STRANGERS),
  all('the newest activities', '/iiif/activity?until=1935446400', [], STRANGERS),
  all('members for Workbench', ({ container }) => `/islandora_workbench_integration/members-of-node/${container}`),
  all('completions', '/entity/completions/node/islandora_object/field_member_of?q=allwords'),
  all('the list of content', '/admin/content', [], PAGE),
  all('the list of all media', '/admin/content/media', [], PAGE),
  all('the report of accessibility', '/admin/reports/accessibility', [], PAGE),
  all('the report of derivatives', '/admin/reports/derivatives', [], PAGE),
  all('the report of usage', '/admin/reports/usage', [], PAGE),
  all('the table of usage', '/admin/reports/usage/table', [], PAGE),
  all('the order of members', ({ container }) => `/node/${container}/order`, [], PAGE),
  all('the publication of members', ({ container }) => `/node/${container}/publication`, [], PAGE),
  all('a table of changes', ({ container }) => `/admin/content/changes.csv?members_of=${container}`),
  all('the page of the owner', ({ owner }) => `/user/${owner}`, [], PAGE),
  all('the owner', ({ owner }) => `/user/${owner}?_format=json`),
];

/** Ways to each item by itself. */
export const WAYS_TO_EACH: readonly Way[] = [
  each('JSON', ({ nid }) => `/node/${nid}?_format=json`, DESCRIBED),
  each('JSON-LD', ({ nid }) => `/node/${nid}?_format=jsonld`, DESCRIBED),
  each('a page', ({ nid }) => `/node/${nid}`, DESCRIBED, PAGE),
  each('MODS', ({ nid }) => `/node/${nid}?_format=mods`, ['title']),
  each('a head', ({ nid }) => `/node/${nid}`, [], { method: 'HEAD', grants: ['title'] }),
  each('a condition', ({ nid }) => `/node/${nid}?_format=json`, [], {
    headers: { 'If-None-Match': '*' },
    grants: ['title'],
  }),
  each('a linkset', ({ nid }) => `/node/${nid}/linkset`, [], { grants: ['title'] }),
  each('members', ({ nid }) => `/node/${nid}/members?_format=json`, [], { grants: ['title'], ...FOR_SOME }),
  each('media', ({ nid }) => `/node/${nid}/media?_format=json`, FILES, FOR_SOME),
  each('pages', ({ nid }) => `/node/${nid}/pages`),
  each('a citation', ({ nid }) => `/node/${nid}/cite?style=ris`, ['title']),
  each('a manifest', ({ nid }) => `/node/${nid}/manifest`, ['title'], { needs: 'service' }),
  each('a manifest of version 2', ({ nid }) => `/node/${nid}/book-manifest`),
  each('an embedded viewer', ({ nid }) => `/node/${nid}/embed`, [], PAGE),
  each('annotations', ({ nid, files }) => `/node/${nid}/canvas/${files.original.media}/annotations`, ['text']),
  each('annotations of another canvas', ({ nid, files }) => `/node/${nid}/canvas/${files.service.media}/annotations`),
  each('a search inside', ({ nid }) => `/node/${nid}/iiif/search?q=allwords`, []),
  each(
    'a search for a text inside',
    ({ nid }, name) => `/node/${nid}/iiif/search?q=${wordOf(name, 'text').slice(0, -2)}*`,
  ),
  each('the page of a search inside', ({ nid }) => `/node/${nid}/search?q=allwords`, [], PAGE),
  each('the older search inside', ({ nid }) => `/single-page-content-search/${nid}?q=allwords`),
  each('a feed', ({ nid }) => `/node/${nid}/feed.atom`),
  each('revisions', ({ nid }) => `/node/${nid}/revisions?_format=json`),
  each('the page of revisions', ({ nid }) => `/node/${nid}/revisions`, [], PAGE),
  each(
    'a revision',
    ({ nid, revision }) => `/node/${nid}/revisions/${revision}/view?_format=json`,
    DESCRIBED,
    FOR_SOME,
  ),
  each('a compared revision', ({ nid, revision }) => `/node/${nid}/revisions/${revision}/view`, [], PAGE),
  each('the form of a revision', ({ nid, revision }) => `/node/${nid}/revisions/${revision}/restore`, [], PAGE),
  each('a form', ({ nid }) => `/node/${nid}/edit`, [], PAGE),
  each('the form of a deletion', ({ nid }) => `/node/${nid}/delete`, [], PAGE),
  each('the page of files', ({ nid }) => `/node/${nid}/files`, [], PAGE),
  each('the order of leaves', ({ nid }) => `/node/${nid}/order`, [], PAGE),
  each('the publication', ({ nid }) => `/node/${nid}/publication`, [], PAGE),
  each('a leaf as JSON', ({ child }) => `/node/${child}?_format=json`),
  each('a leaf as JSON-LD', ({ child }) => `/node/${child}?_format=jsonld`),
  each('the page of a leaf', ({ child }) => `/node/${child}`, ['title'], PAGE),
  each('the linkset of a leaf', ({ child }) => `/node/${child}/linkset`),
  each('the manifest of a leaf', ({ child }) => `/node/${child}/manifest`),
  each('the citation of a leaf', ({ child }) => `/node/${child}/cite?style=ris`),
  each('a term', ({ subject }) => `/taxonomy/term/${subject}`, ['title'], PAGE),
  each('a term as JSON', ({ subject }) => `/taxonomy/term/${subject}?_format=json`),
  each(
    'a record',
    ({ nid }, _name, { repository }) =>
      `${OAI}GetRecord&metadataPrefix=oai_dc&identifier=oai:${new URL(repository.url).hostname}:node-${nid}`,
    [],
    STRANGERS,
  ),
  each(
    'formats of a record',
    ({ nid }, _name, { repository }) =>
      `${OAI}ListMetadataFormats&identifier=oai:${new URL(repository.url).hostname}:node-${nid}`,
    [],
    STRANGERS,
  ),
  each('a suggestion', (_item, name) => `/search/suggest?q=${wordOf(name, 'title').slice(0, -3)}&_format=json`, [
    'title',
  ]),
  each('a search for the title', (_item, name) => `/search?q=${wordOf(name, 'title').slice(0, -2)}*&_format=json`, [
    'title',
  ]),
  each('a misspelt search', (_item, name) => `/search?q=${misspelt(wordOf(name, 'title'))}&_format=json`),
  each('a misspelt search for text', (_item, name) => `/search?q=${misspelt(wordOf(name, 'text'))}&_format=json`),
  each(
    'a search for text',
    (_item, name) => `/search?q=${wordOf(name, 'text').slice(0, -2)}*&_format=json`,
    ['title'],
    { needs: 'text' },
  ),
  ...FILES.flatMap((part) => {
    const key = part as keyof RestrictedItem['files'];
    const of = `the ${part}`;
    return [
      each(`${of} as JSON`, ({ files }) => `/media/${files[key].media}?_format=json`, [part]),
      each(`${of} as JSON-LD`, ({ files }) => `/media/${files[key].media}?_format=jsonld`, []),
      each(`the page of ${of}`, ({ files }) => `/media/${files[key].media}`, [], { ...PAGE, grants: [part] }),
      each(`the linkset of ${of}`, ({ files }) => `/media/${files[key].media}/linkset`, [], { grants: [part] }),
      each(`revisions of ${of}`, ({ files }) => `/media/${files[key].media}/revisions?_format=json`),
      each(`the file of ${of}`, ({ files }) => `/entity/file/${files[key].file}?_format=json`, [part]),
      each(`the bytes of ${of}`, ({ files }) => files[key].path, [], { grants: [part] }),
      each(`the head of the bytes of ${of}`, ({ files }) => files[key].path, [], { method: 'HEAD', grants: [part] }),
      each(`a range of the bytes of ${of}`, ({ files }) => files[key].path, [], {
        headers: { Range: 'bytes=0-3' },
        grants: [part],
      }),
      each(`a condition on the bytes of ${of}`, ({ files }) => files[key].path, [], {
        headers: { 'If-None-Match': '*' },
        grants: [part],
      }),
      each(
        `the image of ${of}`,
        ({ files }) => `/iiif/3/${files[key].uuid}/info.json`,
        [],
        part === 'texts' ? {} : { grants: [part] },
      ),
      each(`a part of the image of ${of}`, ({ files }) => `/iiif/3/${files[key].uuid}/full/max/0/default.jpg`),
    ];
  }),
];

const misspelt = (word: string) => `${word.slice(0, 4)}${word[5]}${word[4]}${word.slice(6)}`;
