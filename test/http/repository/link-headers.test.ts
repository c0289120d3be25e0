import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createLinkedSite, type LinkedSite } from '../../support/linked-site.ts';
import type { Picture } from '../../support/site-builder.ts';

const ORIGINAL = 'http://pcdm.org/use#OriginalFile';
const SERVICE = 'http://pcdm.org/use#ServiceFile';
const THUMBNAIL = 'http://pcdm.org/use#ThumbnailImage';
const HOCR = 'https://discoverygarden.ca/use#hocr';
const MODEL = 'http://purl.org/coar/resource_type/c_c513';
const WRITER = 'https://viaf.org/viaf/1';

/** The callers. `loader` owns nearly everything, `editor` may see and change all media. */
const CALLERS = ['anonymous', 'reader', 'loader', 'editor', 'admin'] as const;
type Caller = (typeof CALLERS)[number];
type Row = readonly [line: string, ...who: Caller[]];

/** The callers who may see unpublished content of loader. */
const OWNERS: Caller[] = ['loader', 'admin'];
/** The callers who may change media of loader. */
const CHANGERS: Caller[] = ['loader', 'editor', 'admin'];

let site: LinkedSite;
let term: Record<'birds' | 'hidden' | 'writer' | 'publisher', number>;
let node: Record<'shown' | 'hidden' | 'item', number>;
let media: Record<'shown' | 'unpublished' | 'foreign' | 'unused' | 'ofHidden', Picture>;

beforeAll(async () => {
  site = await createLinkedSite();
  const { repository } = site;
  term = {
    birds: await site.term('subject', 'Birds'),
    hidden: await site.term('subject', 'Hidden', { status: [false] }),
    writer: await site.term('person', 'Doe, Jane', { field_authority_link: [{ uri: WRITER, source: 'viaf' }] }),
    publisher: await site.term('corporate_body', 'A press'),
  };
  const shown = await site.node({ title: ['A collection'] });
  const hidden = await site.node({ title: ['A hidden collection'] });
  await site.changeNode(hidden, { status: [false] });
  const item = await site.node({
    field_linked_agent: [
      { target_id: term.publisher, rel_type: 'relators:edt' },
      { target_id: term.writer, rel_type: 'relators:aut' },
    ],
    field_member_of: [hidden, shown],
    field_pid: ['doi:10.1234/abc'],
    field_rights: [{ value: 'http://rightsstatements.org/vocab/InC/1.0/', format: 'basic_html' }],
    field_subject: [term.birds, term.hidden],
    field_subject_general: [term.birds],
    field_subjects_name: [term.writer],
  });
  node = { shown, hidden, item };
  media = {
    shown: await site.picture(item, ORIGINAL),
    unpublished: await site.picture(item, THUMBNAIL, { scheme: 'fedora' }),
    foreign: await site.picture(item, SERVICE, { owner: 1 }),
    unused: await site.picture(item, HOCR, { scheme: 'fedora' }),
    ofHidden: await site.picture(hidden, ORIGINAL),
  };
  const uses = [ORIGINAL, HOCR, SERVICE].map((uri) => repository.termId(uri));
  await site.changeMedia(media.shown.id, { field_media_use: await Promise.all(uses) });
  await site.changeMedia(media.unpublished.id, { status: [false] });
  await site.changeMedia(media.foreign.id, { status: [false] });
  await site.changeNode(item, { field_representative_image: [media.shown.id] });
});
afterAll(async () => {
  expect(site.repository.failures()).toEqual([]);
  await site.stop();
});

const isReference = (line: string) => /^(?:related|tag) /.test(line);
/** The links from a node to its records. */
const recordsOf = (path: string) => [
  `describedby ${path}?_format=oai_dc application/xml`,
  `describedby ${path}?_format=mods application/mods+xml`,
  `describedby ${path}?_format=datacite application/vnd.datacite.datacite+xml`,
];

/** Sends the request as each caller, who gets the lines of the table for them or for all, in this order, but references and then records last. */
async function check(path: string, rows: readonly Row[], callers: readonly Caller[] = CALLERS): Promise<void> {
  for (const caller of callers) {
    const expected = rows.filter(([, ...who]) => who.length === 0 || who.includes(caller)).map(([line]) => line);
    const lines = await site.lines(path, caller === 'anonymous' ? undefined : caller);
    const [own, references] = [expected.filter((line) => !isReference(line)), expected.filter(isReference)];
    const records = recordsOf(path.split('?')[0] as string).filter((line) => lines.includes(line));
    expect([caller, ...lines]).toEqual([caller, ...own, ...references, ...records]);
    // A header without room for all of them has none.
    expect(records.length).toBeOneOf([0, 3]);
  }
}

const mediaCore = ({ id }: Picture): Row[] => [
  [`*add-page /media/add?media=${id}`, ...CHANGERS],
  [`*add-form /media/add/image?media=${id}`, ...CHANGERS],
  [`canonical /media/${id}`],
  [`collection /admin/content/media?media=${id}`, 'editor', 'admin'],
  [`*delete-form /media/${id}/delete`, ...CHANGERS],
  [`*delete-multiple-form /media/delete?media=${id}`, ...CHANGERS],
  [`edit-form /media/${id}/edit`, ...CHANGERS],
  [`*revision /media/${id}`],
  [`version-history /media/${id}/revisions`, 'editor', 'admin'],
];

const described = (path: string): Row[] => [
  [`describedby ${path}?_format=jsonld application/ld+json`],
  [`linkset ${path}/linkset application/linkset+json`],
  [`linkset ${path}/linkset?_format=linkset application/linkset`],
];

const nodeCore = (id: number): Row[] => [
  [`canonical /node/${id}`],
  [`*delete-form /node/${id}/delete`, ...OWNERS],
  [`*delete-multiple-form /admin/content/node/delete?node=${id}`, ...OWNERS],
  [`edit-form /node/${id}/edit`, ...OWNERS],
  [`version-history /node/${id}/revisions`, ...OWNERS],
  [`*revision /node/${id}`],
  [`*create /node?node=${id}`, ...OWNERS],
  [`*add-page /node/add?node=${id}`, ...OWNERS],
  [`*add-form /node/add/islandora_object?node=${id}`, ...OWNERS],
];

/** The references of the node, in the order of its fields. A typed relation is no tag, and a term is named by its URI if it has one. */
const nodeReferences = (): Row[] => [
  [`related /node/${node.hidden} "Member of"`, ...OWNERS],
  [`related /node/${node.shown} "Member of"`],
  [`tag ${MODEL} "Image"`],
  [`related /media/${media.shown.id} "Representative Image"`],
  [`tag /taxonomy/term/${term.birds} "Birds"`],
  [`tag /taxonomy/term/${term.hidden} "Hidden"`, ...OWNERS],
  [`tag /taxonomy/term/${term.writer} "Doe, Jane"`],
  [`tag /taxonomy/term/${term.birds} "Birds"`],
];

/** One for each use of pcdm: `hocr` belongs to another vocabulary, so its media has no link. */
const nodeMedia = (): Row[] => [
  [`related /media/${media.shown.id} "Original File"`],
  [`related /media/${media.shown.id} "Service File"`],
  [`related /media/${media.unpublished.id} "Thumbnail Image"`, ...CHANGERS],
  [`related /media/${media.foreign.id} "Service File"`, 'editor', 'admin'],
];

const nodeSignposts = (): Row[] => [
  ['cite-as https://doi.org/10.1234/abc'],
  [`author ${WRITER}`],
  ['type https://schema.org/AboutPage'],
  [`type ${MODEL}`],
  ['license http://rightsstatements.org/vocab/InC/1.0/'],
  [`item ${media.shown.path} image/png`],
  [`item ${media.unpublished.path} image/png`, ...CHANGERS],
  [`item ${media.foreign.path} image/png`, 'editor', 'admin'],
  [`item ${media.unused.path} image/png`],
  [`collection /node/${node.hidden}`, ...OWNERS],
  [`collection /node/${node.shown}`],
  ...described(`/node/${node.item}`),
];

describe('the links of a node', () => {
  it('are the core links and the links to content that the caller may view', () =>
    check(`/node/${node.item}?_format=json`, [
      ...nodeCore(node.item),
      ...nodeReferences(),
      ...nodeMedia(),
      [`alternate /node/${node.item}?_format=jsonld application/ld+json`],
      ...nodeSignposts(),
    ]));

  it('name the JSON as the alternative to a graph', () =>
    check(`/node/${node.item}?_format=jsonld`, [
      ...nodeCore(node.item),
      ...nodeReferences(),
      ...nodeMedia(),
      [`alternate /node/${node.item}?_format=json application/json`],
      ...nodeSignposts(),
      [`describes /node/${node.item} text/html`],
    ]));

  it('name JSON and graph as the alternatives to a page', () =>
    check(`/node/${node.item}?_format=html`, [
      ...nodeCore(node.item),
      ...nodeReferences(),
      ...nodeMedia(),
      [`alternate /node/${node.item}?_format=jsonld application/ld+json`],
      [`alternate /node/${node.item}?_format=json application/json`],
      ...nodeSignposts(),
    ]));

  it('are few for a node without related content', () =>
    check(`/node/${node.shown}?_format=json`, [
      ...nodeCore(node.shown),
      [`tag ${MODEL} "Image"`],
      [`alternate /node/${node.shown}?_format=jsonld application/ld+json`],
      [`cite-as /node/${node.shown}`],
      ['type https://schema.org/AboutPage'],
      [`type ${MODEL}`],
      ...described(`/node/${node.shown}`),
    ]));

  it('are missing for a caller who may not view it', async () => {
    await check(`/node/${node.hidden}?_format=json`, [], ['anonymous', 'reader', 'editor']);
    expect(await site.lines(`/node/${node.hidden}?_format=json`, 'loader')).toContain(
      `related /media/${media.ofHidden.id} "Original File"`,
    );
  });
});

describe('the links of a media', () => {
  const own = ({ id, path }: Picture): Row[] => [
    [`alternate /media/${id}?_format=jsonld application/ld+json`],
    [`edit-media /media/${id}/source`, ...CHANGERS],
    [`describes ${path} image/png`],
    ['type https://schema.org/AboutPage'],
    ['type https://schema.org/ImageObject'],
  ];

  it('lead to its node, uses and file, and to the source for editors', async () => {
    const rows: Row[] = [
      ...mediaCore(media.shown),
      [`related /node/${node.item} "Media of"`],
      [`tag ${ORIGINAL} "Original File"`],
      [`tag ${HOCR} "hOCR"`],
      [`tag ${SERVICE} "Service File"`],
      ...own(media.shown),
      [`type ${ORIGINAL}`],
      [`type ${HOCR}`],
      [`type ${SERVICE}`],
      [`item ${media.shown.path} image/png`],
      [`collection /node/${node.item}`],
      ...described(`/media/${media.shown.id}`),
    ];
    await check(`/media/${media.shown.id}?_format=json`, rows);
    await check(`/media/${media.shown.id}/edit?_format=json`, rows);
  });

  it('are visible to its owner and media editors while it is unpublished', async () => {
    const { id, path } = media.unpublished;
    await check(`/media/${id}?_format=json`, [], ['anonymous', 'reader']);
    expect(path).toStartWith('/_flysystem/fedora/');
    await check(
      `/media/${id}?_format=json`,
      [
        ...mediaCore(media.unpublished),
        [`related /node/${node.item} "Media of"`],
        [`tag ${THUMBNAIL} "Thumbnail Image"`],
        ...own(media.unpublished),
        [`type ${THUMBNAIL}`],
        [`item ${path} image/png`],
        [`collection /node/${node.item}`],
        ...described(`/media/${id}`),
      ],
      CHANGERS,
    );
  });

  it('lead from its graph to the media and its file', () =>
    check(
      `/media/${media.unpublished.id}?_format=jsonld`,
      [
        ...mediaCore(media.unpublished),
        [`related /node/${node.item} "Media of"`],
        [`tag ${THUMBNAIL} "Thumbnail Image"`],
        [`alternate /media/${media.unpublished.id}?_format=json application/json`],
        ...own(media.unpublished).slice(1),
        [`type ${THUMBNAIL}`],
        [`item ${media.unpublished.path} image/png`],
        [`collection /node/${node.item}`],
        ...described(`/media/${media.unpublished.id}`),
        [`describes /media/${media.unpublished.id} text/html`],
      ],
      CHANGERS,
    ));

  it('do not lead to a node that the caller may not view', async () => {
    const { id, path } = media.ofHidden;
    await check(`/media/${id}?_format=json`, [], ['anonymous', 'reader']);
    const rows: Row[] = [
      ...mediaCore(media.ofHidden),
      [`related /node/${node.hidden} "Media of"`, ...OWNERS],
      [`tag ${ORIGINAL} "Original File"`],
      ...own(media.ofHidden),
      [`type ${ORIGINAL}`],
      [`item ${path} image/png`],
      [`collection /node/${node.hidden}`, ...OWNERS],
      ...described(`/media/${id}`),
    ];
    await check(`/media/${id}?_format=json`, rows, CHANGERS);
  });

  describe('of a site where anonymous callers view only nodes, and readers only media', () => {
    const model =
      'roles: { anonymous: { permissions: [access content] }, authenticated: { permissions: [view media] } }';
    const SCHEMES = ['public', 'private', 'fedora'];
    let other: LinkedSite;
    beforeAll(async () => {
      other = await createLinkedSite(model);
    });
    afterAll(() => other.stop());

    const ours = (lines: string[]) => lines.filter((line) => /^(related|tag|describes|item|edit-media) /.test(line));
    const linesOf = async ({ id }: Picture, as?: 'reader') => ours(await other.lines(`/media/${id}?_format=json`, as));

    it.each(SCHEMES)('lead to no file in %s that the caller may not fetch', async (scheme) => {
      const shown = await other.node();
      const picture = await other.picture(shown, ORIGINAL, { scheme });
      expect(await linesOf(picture, 'reader')).toEqual([]);
      expect((await other.repository.get(picture.path, 'reader')).status).toBe(403);
      expect(await linesOf(picture)).toEqual([]);
      expect((await other.repository.get(picture.path)).status).toBe(401);
      const ofNode = ours(await other.lines(`/node/${shown}?_format=json`));
      expect(ofNode).toEqual([`tag ${MODEL} "Image"`]);
    });

    it.each(SCHEMES)('lead only to files in %s without access to content', async (scheme) => {
      const picture = await other.picture(await other.node(), ORIGINAL, { scheme });
      await other.changeMedia(picture.id, { field_media_of: [] });
      expect(await linesOf(picture, 'reader')).toEqual([
        `describes ${picture.path} image/png`,
        `item ${picture.path} image/png`,
      ]);
      expect((await other.repository.get(picture.path, 'reader')).status).toBe(200);
    });
  });
});

describe('the links of other entities', () => {
  it('of a term are the core links and the link to the graph', async () => {
    const path = `/taxonomy/term/${term.birds}`;
    const rows: Row[] = [
      [`canonical ${path}`],
      [`*delete-form ${path}/delete`, ...OWNERS],
      [`edit-form ${path}/edit`, ...OWNERS],
      [`*create /taxonomy/term?taxonomy_term=${term.birds}`, ...OWNERS],
      [`*revision ${path}`],
      [`version-history ${path}/revisions`, ...OWNERS],
      [`describedby ${path}?_format=jsonld application/ld+json`],
    ];
    for (const format of ['json', 'html']) await check(`${path}?_format=${format}`, rows);
    await check(`${path}?_format=jsonld`, [...rows, [`describes ${path} text/html`]]);
    await check(`/taxonomy/term/${term.hidden}?_format=json`, [], ['anonymous', 'reader', 'editor']);
    expect(await site.lines(`/taxonomy/term/${term.hidden}?_format=json`, 'loader')).toHaveLength(7);
  });

  it('of a file are a core link and the links to bytes and graph', async () => {
    const rows = ({ file, path }: Picture): Row[] => [
      [`*delete-form /file/${file}/delete`, 'admin'],
      [`item ${path} image/png`],
      [`describedby /entity/file/${file}?_format=jsonld application/ld+json`],
    ];
    await check(`/entity/file/${media.shown.file}?_format=json`, rows(media.shown));
    const { file } = media.unpublished;
    await check(`/entity/file/${file}?_format=json`, [], ['anonymous', 'reader']);
    await check(`/entity/file/${file}?_format=json`, rows(media.unpublished), CHANGERS);
  });

  it('of a user are the core links', async () => {
    const rows: Row[] = [
      [`canonical /user/${site.loader}`],
      [`edit-form /user/${site.loader}/edit`, 'loader', 'admin'],
      [`*cancel-form /user/${site.loader}/cancel`, 'admin'],
      [`collection /admin/people?user=${site.loader}`, 'admin'],
    ];
    await check(`/user/${site.loader}?_format=json`, [], ['anonymous', 'reader', 'editor']);
    await check(`/user/${site.loader}?_format=json`, rows, OWNERS);
  });
});
