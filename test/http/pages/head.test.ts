import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { elementsOf } from '../../support/page.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
let site: string;
let person: number;
let company: number;
let secret: number;

beforeAll(async () => {
  repository = await createTestRepository();
  site = repository.url;
  person = await repository.build.term('person', 'Adams, Ansel, 1902-1984', {
    field_authority_link: [{ uri: 'http://id.loc.gov/authorities/names/n79056546', source: 'naf' }],
  });
  company = await repository.build.term('corporate_body', 'Town Press');
  secret = await repository.build.term('genre', 'Secret genre', { status: [{ value: false }] });
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

async function attach(node: number, name: string, type: string, bundle: string, bytes: Bun.BodyInit): Promise<string> {
  const use = await repository.termId('http://pcdm.org/use#OriginalFile');
  const headers = { 'Content-Type': type, 'Content-Location': `public://${name}` };
  const response = await repository.put(`/node/${node}/media/${bundle}/${use}`, bytes, headers, 'admin');
  expect(response.status).toBe(201);
  return new URL(response.headers.get('Location') ?? '').pathname;
}

async function pageAt(path: string, as?: string): Promise<string> {
  const response = await repository.get(path, as, { Accept: 'text/html' });
  expect(response.status).toBe(200);
  return response.text();
}

/** The contents of the meta elements of a name or property, in order. */
function metas(html: string, name: string): (string | undefined)[] {
  return elementsOf(html, `meta[name="${name}"], meta[property="${name}"]`).map(({ attributes }) => attributes.content);
}

function graph(html: string): EntityJson {
  const scripts = elementsOf(html, 'script[type="application/ld+json"]');
  expect(scripts).toHaveLength(1);
  const [, text = ''] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(html) ?? [];
  return JSON.parse(text) as EntityJson;
}

describe('the head of the page of a node', () => {
  let id: number;
  let html: string;
  let pdf: string;
  beforeAll(async () => {
    const subject = await repository.build.term('subject', 'Mountains');
    const french = await repository.build.term('language', 'Middle French', {
      field_authority_link: [{ uri: 'http://id.loc.gov/vocabulary/iso639-2/fre', source: 'iso639-2' }],
    });
    const collection = (await repository.node({ title: [{ value: 'Views' }] })).nid[0].value;
    const made = await repository.node({
      title: [{ value: 'Moon and Half Dome' }],
      field_abstract: [{ value: '<p>Black &amp; <em>white</em></p><p>Second</p>', format: 'basic_html' }],
      field_edtf_date_issued: [{ value: '1960-12-28?' }],
      field_edtf_date_created: [{ value: '1959~' }],
      field_genre: [{ target_id: secret }],
      field_identifier: [{ value: 'doi:10.1234/abc.5' }],
      field_isbn: [{ value: '978-3-16-148410-0' }, { value: 'none' }],
      field_language: [{ target_id: french }],
      field_linked_agent: [
        { target_id: person, rel_type: 'relators:pht' },
        { target_id: person, rel_type: 'relators:aut' },
        { target_id: company, rel_type: 'relators:prt' },
      ],
      field_member_of: [{ target_id: collection }],
      field_publisher: [{ value: 'Town Press' }],
      field_subject: [{ target_id: subject }],
    });
    id = made.nid[0].value;
    await attach(id, 'essay.pdf', 'application/pdf', 'document', '%PDF-1.4\n');
    pdf = '/sites/default/files/essay.pdf';
    html = await pageAt(`/node/${id}`);
  });

  it('contains the canonical address once', () => {
    expect(elementsOf(html, 'link[rel=canonical]').map(({ attributes }) => attributes.href)).toEqual([
      `${site}/node/${id}`,
    ]);
  });

  it('describes a preview in Open Graph tags', () => {
    expect(metas(html, 'og:title')).toEqual(['Moon and Half Dome']);
    expect(metas(html, 'og:type')).toEqual(['article']);
    expect(metas(html, 'og:url')).toEqual([`${site}/node/${id}`]);
    expect(metas(html, 'og:description')).toEqual(['Black & white Second']);
    expect(metas(html, 'description')).toEqual(['Black & white Second']);
    expect(metas(html, 'og:locale')).toEqual(['en_US']);
    expect(metas(html, 'og:site_name')).toHaveLength(1);
  });

  it('describes the work for reference managers, with each author once', () => {
    expect(metas(html, 'citation_title')).toEqual(['Moon and Half Dome']);
    expect(metas(html, 'citation_author')).toEqual(['Adams, Ansel']);
    expect(metas(html, 'citation_publication_date')).toEqual(['perhaps 28 December 1960']);
    expect(metas(html, 'citation_language')).toEqual(['fr']);
    expect(metas(html, 'citation_publisher')).toEqual(['Town Press']);
    expect(metas(html, 'citation_doi')).toEqual(['10.1234/abc.5']);
    expect(metas(html, 'citation_isbn')).toEqual(['978-3-16-148410-0']);
    expect(metas(html, 'citation_keywords')).toEqual(['Mountains']);
    expect(metas(html, 'citation_pdf_url')).toEqual([`${site}${pdf}`]);
  });

  it('contains the mapped fields in Dublin Core, agents by role', () => {
    expect(metas(html, 'DCTERMS.title')).toEqual(['Moon and Half Dome']);
    expect(metas(html, 'DCTERMS.creator')).toEqual(['Adams, Ansel, 1902-1984']);
    expect(metas(html, 'DCTERMS.contributor')).toEqual(['Town Press']);
    expect(metas(html, 'DCTERMS.issued')).toEqual(['1960-12-28?']);
    expect(metas(html, 'DCTERMS.created')).toEqual(['1959~']);
    expect(metas(html, 'DCTERMS.subject')).toEqual(['Mountains']);
    expect(metas(html, 'DC.publisher')).toEqual(['Town Press']);
    expect(metas(html, 'DCTERMS.identifier')).toEqual(['https://doi.org/10.1234/abc.5', 'doi:10.1234/abc.5']);
    expect(elementsOf(html, 'link[rel="schema.DCTERMS"]')[0]?.attributes.href).toBe('http://purl.org/dc/terms/');
  });

  it('describes the work in schema.org terms', () => {
    expect(graph(html)).toMatchObject({
      '@context': 'https://schema.org',
      '@type': 'ImageObject',
      '@id': `${site}/node/${id}`,
      name: 'Moon and Half Dome',
      abstract: 'Black & white Second',
      creator: {
        '@type': 'Person',
        familyName: 'Adams',
        givenName: 'Ansel',
        sameAs: 'http://id.loc.gov/authorities/names/n79056546',
      },
      contributor: { '@type': 'Organization', name: 'Town Press' },
      about: { '@type': 'Thing', name: 'Mountains' },
      isPartOf: { name: 'Views' },
      isbn: '978-3-16-148410-0',
      sameAs: 'https://doi.org/10.1234/abc.5',
      encoding: { '@type': 'MediaObject', contentUrl: `${site}${pdf}`, encodingFormat: 'application/pdf' },
    });
    // An uncertain date has no form in ISO 8601.
    expect(graph(html)).not.toHaveProperty('datePublished');
  });

  it('omits what the caller may not view', async () => {
    expect(html).not.toContain('Secret genre');
    expect(metas(await pageAt(`/node/${id}`, 'admin'), 'DCTERMS.type')).toEqual(['Secret genre']);
    const owner = await repository.node({ title: [{ value: 'Public' }] });
    const hidden = await repository.node({ title: [{ value: 'Hidden' }], status: [{ value: false }] });
    const media = await attach(hidden.nid[0].value, 'hidden.pdf', 'application/pdf', 'document', '%PDF-1.4\n');
    expect((await repository.get(media, undefined, { Accept: 'text/html' })).status).toBe(401);
    const shown = await pageAt(`/node/${owner.nid[0].value}`);
    expect(metas(shown, 'citation_pdf_url')).toEqual([]);
  });

  it('keeps hostile text inside of attribute values', async () => {
    const hostile = `"></script><script>alert(1)</script><!-- ' & {{x}} \u2028`;
    const made = await repository.node({
      title: [{ value: hostile }],
      field_abstract: [{ value: hostile, format: 'full_html' }],
      field_publisher: [{ value: hostile }],
      field_identifier: [{ value: 'javascript:alert(1)' }],
      field_linked_agent: [{ target_id: await repository.build.term('person', hostile), rel_type: 'relators:aut' }],
    });
    const page = await pageAt(`/node/${made.nid[0].value}`);
    expect(
      elementsOf(page, 'script:not([type="application/ld+json"])').filter(({ text }) => text.includes('alert')),
    ).toEqual([]);
    expect(metas(page, 'og:title')).toEqual([hostile]);
    expect(metas(page, 'DCTERMS.title')).toEqual([hostile]);
    expect(graph(page)).toMatchObject({ name: hostile, creator: { name: hostile } });
    expect(elementsOf(page, '[href^="javascript"]')).toEqual([]);
  });

  it('is valid with only a title, and excludes unpublished content from search engines', async () => {
    const made = await repository.node({ title: [{ value: 'x' }], status: [{ value: false }] });
    const page = await pageAt(`/node/${made.nid[0].value}`, 'admin');
    expect(metas(page, 'robots')).toEqual(['noindex']);
    expect(metas(page, 'citation_author')).toEqual([]);
    expect(metas(page, 'citation_publication_date')).toEqual([]);
    expect(graph(page)).not.toHaveProperty('creator');
    expect(metas(html, 'robots')).toEqual([]);
  });

  it('limits the number of values', async () => {
    const identifiers = Array.from({ length: 300 }, (_, at) => ({ value: `number ${at}` }));
    const made = await repository.node({ field_identifier: identifiers });
    const page = await pageAt(`/node/${made.nid[0].value}`);
    expect(metas(page, 'DCTERMS.identifier')).toHaveLength(20);
    expect((graph(page).identifier as string[]).length).toBe(20);
  });

  it('uses the dates of the record for an article', async () => {
    const body = {
      type: [{ target_id: 'article' }],
      title: [{ value: 'News' }],
      created: [{ value: '2019-03-14T19:05:24+00:00' }],
      body: [{ value: '<p>We are open.</p>', format: 'basic_html' }],
    };
    const made = (await (await repository.post('/node?_format=json', body, 'admin')).json()) as EntityJson;
    const page = await pageAt(`/node/${made.nid[0].value}`);
    expect(metas(page, 'citation_publication_date')).toEqual(['2019/03/14']);
    expect(metas(page, 'og:description')).toEqual(['We are open.']);
    expect(graph(page)).toMatchObject({ '@type': 'Article', dateCreated: '2019-03-14T19:05:24+00:00' });
  });
});

describe('the head of other pages', () => {
  it('describes the file of a media with its size', async () => {
    const node = (await repository.node()).nid[0].value;
    const png = Bun.file(new URL('../../fixtures/images/red.png', import.meta.url));
    const path = await attach(node, 'red.png', 'image/png', 'image', png);
    const page = await pageAt(path);
    const media = (await (await repository.get(`${path}?_format=json`)).json()) as EntityJson;
    const file = `${site}/sites/default/files/red.png`;
    expect(metas(page, 'og:image')).toEqual([file]);
    expect(metas(page, 'og:image:width')).toEqual([String(media.field_width[0].value)]);
    expect(metas(page, 'og:image:height')).toEqual([String(media.field_height[0].value)]);
    expect(metas(page, 'citation_title')).toEqual([]);
    expect(graph(page)).toMatchObject({ '@type': 'ImageObject', contentUrl: file, encodingFormat: 'image/png' });
    const ofNode = await pageAt(`/node/${node}`);
    expect(metas(ofNode, 'og:image')).toEqual([file]);
    expect(metas(ofNode, 'og:image:width')).toEqual([String(media.field_width[0].value)]);
    expect(metas(ofNode, 'og:image:height')).toEqual([String(media.field_height[0].value)]);
  });

  it('prefers the representative image of an item', async () => {
    const node = (await repository.node()).nid[0].value;
    const other = (await repository.node()).nid[0].value;
    const png = Bun.file(new URL('../../fixtures/images/red.png', import.meta.url));
    await attach(node, 'own.png', 'image/png', 'image', png);
    const media = await attach(other, 'chosen.png', 'image/png', 'image', png);
    const body = { type: 'islandora_object', field_representative_image: [Number(media.split('/').at(-1))] };
    expect((await repository.patch(`/node/${node}?_format=json`, body, 'admin')).status).toBe(200);
    expect(metas(await pageAt(`/node/${node}`), 'og:image')).toEqual([`${site}/sites/default/files/chosen.png`]);
  });

  it('describes a person with the address in an authority file', async () => {
    const page = await pageAt(`/taxonomy/term/${person}`);
    expect(metas(page, 'og:type')).toEqual(['profile']);
    expect(graph(page)).toMatchObject({
      '@type': 'Person',
      name: 'Adams, Ansel, 1902-1984',
      sameAs: 'http://id.loc.gov/authorities/names/n79056546',
    });
  });
});
