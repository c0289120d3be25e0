import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../../src/base/json.ts';
import type { Link } from '../../../src/http/link-header.ts';
import type { ParsedContent } from '../../../src/repository/content/content.ts';
import type { AttachedMedia, Neighbour, Surroundings } from '../../../src/repository/content/read/surroundings.ts';
import { linksetLinks, linksetOf, signpostingLinks } from '../../../src/representation/signposting-links.ts';
import { createReader, type Reader, withMembers } from '../../support/linked-data.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';
import { parseUserModel } from '../../unit/model/parse-user-model.ts';

const BASE = 'https://repo.example';
const ABOUT = 'https://schema.org/AboutPage';
const IMAGE_MODEL = 'http://purl.org/coar/resource_type/c_c513';
const ORIGINAL = 'http://pcdm.org/use#OriginalFile';
const THUMBNAIL = 'http://pcdm.org/use#ThumbnailImage';
const NOTHING: Surroundings = { targets: [], media: [], hasMoreMedia: false, file: undefined };

let repository: TestRepository;
let reader: Reader;
const from = { baseUrl: BASE, model: parseUserModel('') };

beforeAll(async () => {
  repository = await createTestRepository();
  reader = createReader(repository.running.services);
});
afterAll(() => repository.stop());

async function person(name: string, uri?: string): Promise<number> {
  const body = {
    vid: [{ target_id: 'person' }],
    name: [{ value: name }],
    ...(uri && { field_authority_link: [{ uri, source: 'viaf' }] }),
  };
  const response = await repository.post('/taxonomy/term?_format=json', body, 'admin');
  expect(response.status).toBe(201);
  return ((await response.json()) as EntityJson).tid[0].value;
}

async function node(fields: JsonObject = {}): Promise<ParsedContent> {
  return reader.find('node', (await repository.node(fields)).nid[0].value);
}

function media(id: number, uri: string, uses: string[] = [ORIGINAL]): AttachedMedia {
  const facts = { bundle: 'image', ownerId: 1, status: true, accessSet: 0, authorityUri: undefined };
  return {
    ...facts,
    ...{ type: 'media', id, label: uri, externalUri: undefined },
    uses: uses.map((externalUri, index) => ({ ...facts, type: 'taxonomy_term', id: index, label: 'Use', externalUri })),
    file: { id, ownerId: 1, uri, filemime: 'image/png' },
  };
}

/** The targets of one relation. */
const to = (links: readonly Link[], rel: string) => links.filter((link) => link.rel === rel).map(({ href }) => href);

async function linksOf(content: ParsedContent, hides?: (target: Neighbour) => boolean): Promise<Link[]> {
  return signpostingLinks(content, await reader.around(content, hides), from);
}

describe('the signposting links of a node', () => {
  it('have all relations of the profile, in its order', async () => {
    const collection = (await repository.node()).nid[0].value as number;
    const known = await person('Known', 'https://viaf.org/viaf/1');
    const unknown = await person('Unknown');
    const content = await node({
      field_pid: [{ value: 'hdl:2027/x.1' }],
      field_identifier: [{ value: 'AA-1' }, { value: '10.1234/abc' }],
      field_linked_agent: [
        { target_id: known, rel_type: 'relators:edt' },
        { target_id: unknown, rel_type: 'relators:pht' },
        { target_id: known, rel_type: 'relators:aut' },
      ],
      field_member_of: [{ target_id: collection }],
      field_rights: [
        { value: ' https://creativecommons.org/licenses/by/4.0/\n', format: 'basic_html' },
        { value: 'See https://creativecommons.org/', format: 'basic_html' },
      ],
    });
    const url = `${BASE}/node/${content.head.id}`;
    const around = {
      ...(await reader.around(content)),
      media: [media(7, 'public://a b.png'), media(8, 'fedora://c.png')],
    };
    expect(signpostingLinks(content, around, from)).toEqual([
      { rel: 'cite-as', href: 'https://hdl.handle.net/2027/x.1' },
      { rel: 'author', href: `${BASE}/taxonomy/term/${unknown}` },
      { rel: 'author', href: 'https://viaf.org/viaf/1' },
      { rel: 'type', href: ABOUT },
      { rel: 'type', href: IMAGE_MODEL },
      { rel: 'license', href: 'https://creativecommons.org/licenses/by/4.0/' },
      { rel: 'item', href: `${BASE}/sites/default/files/a%20b.png`, type: 'image/png' },
      { rel: 'item', href: `${BASE}/_flysystem/fedora/c.png`, type: 'image/png' },
      { rel: 'collection', href: `${BASE}/node/${collection}` },
      { rel: 'describedby', href: `${url}?_format=jsonld`, type: 'application/ld+json' },
      { rel: 'linkset', href: `${url}/linkset`, type: 'application/linkset+json' },
      { rel: 'linkset', href: `${url}/linkset?_format=linkset`, type: 'application/linkset' },
    ]);
  });

  it('cite the first identifier with an address, or else the node itself', async () => {
    const values = (...texts: string[]) => texts.map((value) => ({ value }));
    const content = await node({ field_identifier: values('AA-1', '10.1234/abc', '10.1234/other') });
    expect(to(await linksOf(content), 'cite-as')).toEqual(['https://doi.org/10.1234/abc']);
    const local = await node({ field_pid: values('islandora:1'), field_identifier: values('javascript:alert(1)') });
    expect(to(await linksOf(local), 'cite-as')).toEqual([`${BASE}/node/${local.head.id}`]);
  });

  it('omit targets that the caller may not view', async () => {
    const collection = (await repository.node()).nid[0].value as number;
    const author = await person('Hidden', 'https://viaf.org/viaf/2');
    const content = await node({
      field_linked_agent: [{ target_id: author, rel_type: 'relators:aut' }],
      field_member_of: [{ target_id: collection }],
    });
    const links = await linksOf(content, () => true);
    expect(links.map(({ rel }) => rel)).toEqual(['cite-as', 'type', 'describedby', 'linkset', 'linkset']);
    const withoutAuthor = await linksOf(content, ({ id, type }) => type === 'taxonomy_term' && id === author);
    expect(to(withoutAuthor, 'author')).toEqual([]);
    expect(to(withoutAuthor, 'collection')).toEqual([`${BASE}/node/${collection}`]);
  });

  it('contain each target once', async () => {
    const author = await person('Twice', 'https://viaf.org/viaf/3');
    const content = await node({
      field_linked_agent: [
        { target_id: author, rel_type: 'relators:aut' },
        { target_id: author, rel_type: 'relators:cre' },
      ],
    });
    const around = await reader.around(content);
    const twice = { ...around, media: [media(7, 'public://a.png'), media(8, 'public://a.png')] };
    const links = signpostingLinks(content, twice, from);
    expect(to(links, 'author')).toEqual(['https://viaf.org/viaf/3']);
    expect(to(links, 'item')).toEqual([`${BASE}/sites/default/files/a.png`]);
  });

  it.each(['javascript:alert(1)', 'data:text/html,x', 'urn:x:y', 'entity:node/1'])('never point to %s', async (uri) => {
    const content = withMembers(await node(), { field_rights: [{ value: uri }], field_pid: [{ value: uri }] });
    const around = await reader.around(content);
    const bad = around.targets.map(({ field, target }) => ({
      field,
      target: { ...target, externalUri: uri, authorityUri: uri },
    }));
    const links = signpostingLinks(content, { ...around, targets: bad }, from);
    expect(links.map(({ href }) => href.split(':')[0])).toEqual(links.map(() => 'https'));
    expect(to(links, 'type')).toEqual([ABOUT]);
  });

  it('include only files with the configured uses', async () => {
    const content = await node();
    const around = { ...NOTHING, media: [media(7, 'public://a.png'), media(8, 'public://b.png', [THUMBNAIL])] };
    const itemsUnder = (item: string) => {
      const model = parseUserModel(`signposting: { node.islandora_object: { item: ${item} } }`);
      return to(signpostingLinks(content, around, { baseUrl: BASE, model }), 'item');
    };
    expect(itemsUnder(`["${THUMBNAIL}"]`)).toEqual([`${BASE}/sites/default/files/b.png`]);
    expect(itemsUnder('none')).toEqual([]);
    expect(itemsUnder('all')).toHaveLength(2);
  });

  it('follow the configuration for links, lists and references', async () => {
    const target = (await repository.node()).nid[0].value as number;
    const content = withMembers(await node({ field_member_of: [{ target_id: target }] }), {
      field_web: [{ uri: 'https://a.example/x y', title: '', options: [] }, { uri: 'internal:/node/1' }],
    });
    const model = parseUserModel(`
node_types: { islandora_object: { fields: { field_web: { label: Web, type: link } } } }
signposting: { node.islandora_object: { license: [field_web, "https://b.example/"], type: [field_member_of], author: null, cite-as: null } }
`);
    const links = signpostingLinks(content, await reader.around(content), { baseUrl: BASE, model });
    expect(to(links, 'license')).toEqual(['https://a.example/x%20y', 'https://b.example/']);
    expect(to(links, 'type')).toEqual([`${BASE}/node/${target}`]);
    expect(to(links, 'cite-as')).toEqual([`${BASE}/node/${content.head.id}`]);
  });

  it('exist without configuration', async () => {
    const content = await node({ field_pid: [{ value: '10.1234/abc' }] });
    const model = parseUserModel('signposting: { node.islandora_object: null }');
    const links = signpostingLinks(content, await reader.around(content), { baseUrl: BASE, model });
    expect(links.map(({ rel }) => rel)).toEqual(['cite-as', 'describedby', 'linkset', 'linkset']);
    expect(to(links, 'cite-as')).toEqual([`${BASE}/node/${content.head.id}`]);
  });
});

describe('the signposting links of a media and of a term', () => {
  it('link from a media to its file and its node', async () => {
    const { head } = await node();
    const use = await repository.termId(ORIGINAL);
    const bytes = await Bun.file(new URL('../../fixtures/images/red.png', import.meta.url)).bytes();
    const headers = { 'Content-Type': 'image/png', 'Content-Location': 'public://red.png' };
    const response = await repository.put(`/node/${head.id}/media/image/${use}`, bytes, headers, 'admin');
    const id = Number(response.headers.get('location')?.split('/').at(-1));
    const content = await reader.find('media', id);
    const around = await reader.around(content);
    expect(signpostingLinks(content, around, from)).toEqual([
      { rel: 'type', href: ABOUT },
      { rel: 'type', href: 'https://schema.org/ImageObject' },
      { rel: 'type', href: ORIGINAL },
      { rel: 'item', href: `${BASE}/sites/default/files/red.png`, type: 'image/png' },
      { rel: 'collection', href: `${BASE}/node/${head.id}` },
      { rel: 'describedby', href: `${BASE}/media/${id}?_format=jsonld`, type: 'application/ld+json' },
      ...linksetLinks(content, BASE),
    ]);
    expect(to(signpostingLinks(content, { ...around, file: undefined }, from), 'item')).toEqual([]);
    expect(linksetOf(content, around, [], from)[1]?.links.map(({ href }) => href)).toEqual([
      ...[`${BASE}/media/${id}`, `${BASE}/media/${id}?_format=jsonld`],
    ]);
  });

  it('link from a term to its graph', async () => {
    const id = await person('Term', 'https://viaf.org/viaf/4');
    const content = await reader.find('taxonomy_term', id);
    expect(await linksOf(content)).toEqual([
      { rel: 'describedby', href: `${BASE}/taxonomy/term/${id}?_format=jsonld`, type: 'application/ld+json' },
    ]);
  });
});

describe('the link set of a node', () => {
  it('contains the graph only if the node has one', async () => {
    const content = await node();
    const own = [{ rel: 'canonical', href: `${BASE}/node/${content.head.id}` }];
    expect(linksetOf(content, NOTHING, own, from)).toEqual([{ anchor: `${BASE}/node/${content.head.id}`, links: own }]);
  });

  it('contains its own links, and links from its graph and files to it', async () => {
    const content = await node();
    const url = `${BASE}/node/${content.head.id}`;
    const own = [{ rel: 'cite-as', href: url }];
    const around = {
      ...NOTHING,
      media: [media(7, 'public://a.png'), { ...media(8, 'public://b.png'), file: undefined }],
    };
    const toGraph = { rel: 'describedby', href: `${url}?_format=jsonld`, type: 'application/ld+json' };
    expect(linksetOf(content, around, [...own, toGraph], from)).toEqual([
      { anchor: url, links: [...own, toGraph] },
      { anchor: toGraph.href, links: [{ rel: 'describes', href: url, type: 'text/html' }] },
      {
        anchor: `${BASE}/sites/default/files/a.png`,
        links: [
          { rel: 'collection', href: url, type: 'text/html' },
          { rel: 'describedby', href: `${BASE}/media/7?_format=jsonld`, type: 'application/ld+json' },
        ],
      },
    ]);
  });
});
