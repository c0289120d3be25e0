import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { Link } from '../../../src/http/link-header.ts';
import type { ParsedContent } from '../../../src/repository/content/content.ts';
import type { Surroundings } from '../../../src/repository/content/read/surroundings.ts';
import type { PageSource } from '../../../src/web/site.ts';
import { createReader, type Reader, withMembers } from '../../support/linked-data.ts';
import { contentPage, detail, elementsOf, pageSource, RUNNING_SCRIPT } from '../../support/page.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
let reader: Reader;
let source: PageSource;
let node: ParsedContent;
let around: Surroundings;
let page: string;
let ids: { person: number; subject: number; hidden: number; collection: number };

beforeAll(async () => {
  repository = await createTestRepository();
  const { services } = repository.running;
  reader = createReader(services);
  source = pageSource(services.model);
  ids = {
    person: await repository.build.term('person', 'Ansel Adams'),
    subject: await repository.build.term('subject', 'Mountains & "Valleys"'),
    hidden: await repository.build.term('genre', 'Secret genre'),
    collection: (await repository.node({ title: [{ value: 'Views' }] })).nid[0].value,
  };
  const { nid } = await repository.node({
    title: [{ value: 'Moon & <i>Half</i> Dome' }],
    created: [{ value: '2019-03-14T19:05:24+00:00' }],
    field_abstract: [{ value: '<p>Black &amp; <strong>white</strong></p><script>x()</script>', format: 'basic_html' }],
    field_alt_title: [{ value: 'Moon' }, { value: 'القمر' }],
    field_coordinates: [{ lat: 37.74, lng: -119.53 }],
    field_description: [{ value: 'First line\nsecond line' }],
    field_edtf_date: [{ value: '196X' }, { value: '1960-12-28?/1961' }],
    field_edtf_date_created: [{ value: '1960-12' }],
    field_genre: [{ target_id: ids.hidden }],
    field_identifier: [{ value: 'https://hdl.handle.net/1/2' }],
    field_linked_agent: [
      { target_id: ids.person, rel_type: 'relators:pht' },
      { target_id: ids.person, rel_type: 'relators:att' },
    ],
    field_member_of: [{ target_id: ids.collection }],
    field_subject: [{ target_id: ids.subject }],
    field_weight: [{ value: 5 }],
  });
  node = await reader.find('node', nid[0].value);
  around = await reader.around(node, ({ id, type }) => type === 'taxonomy_term' && id === ids.hidden);
  page = contentPage(node, around, [], source);
});
afterAll(() => repository.stop());

describe('the page of a node', () => {
  it('has one main heading, landmarks and a skip link', () => {
    expect(page).toStartWith('<!DOCTYPE html>\n<html lang="en">');
    expect(elementsOf(page, 'h1').map(({ text }) => text)).toEqual(['Moon & <i>Half</i> Dome']);
    expect(elementsOf(page, 'title').map(({ text }) => text)).toEqual(['Moon & <i>Half</i> Dome · Town Archive']);
    expect(elementsOf(page, 'body > header, main, body > footer').map(({ tag }) => tag)).toEqual([
      ...['header', 'main', 'footer'],
    ]);
    const [skip] = elementsOf(page, 'body > a:first-child');
    expect(elementsOf(page, `main[id="${skip?.attributes.href?.slice(1)}"]`)).toHaveLength(1);
  });

  it('shows fields in the words and the order of the model for readers, and no ids', () => {
    const labels = elementsOf(page, '.fields dt').map(({ text }) => text);
    expect(labels).toEqual([
      ...['Contributors', 'Other titles', 'Date created', 'Date', 'Topics', 'Location', 'Part of', 'Identifier'],
    ]);
    expect(page).not.toContain(JSON.parse(node.document).uuid[0].value);
  });

  it('begins with the abstract and the description', () => {
    expect(elementsOf(page, '.description h2').map(({ text }) => text)).toEqual(['Abstract', 'Description']);
    expect(elementsOf(page, '.description strong').map(({ text }) => text)).toEqual(['white']);
    expect(elementsOf(page, '.description .lines').map(({ text }) => text)).toEqual(['First line\nsecond line']);
    expect(elementsOf(page, RUNNING_SCRIPT)).toEqual([]);
  });

  it('links referenced entities by name, agents with their role', () => {
    const links = elementsOf(page, '.fields a').map(({ attributes, text }) => [attributes.href, text]);
    expect(links).toContainEqual([`/taxonomy/term/${ids.subject}`, 'Mountains & "Valleys"']);
    expect(links).toContainEqual([`/node/${ids.collection}`, 'Views']);
    expect(detail(page, 'Contributors')).toEqual([...['Ansel Adams (Photographer)', 'Ansel Adams (Attributed name)']]);
  });

  it('omits content that the caller may not view', () => {
    expect(detail(page, 'Genre')).toEqual([]);
    expect(page).not.toContain('Secret genre');
    expect(page).not.toContain(`/taxonomy/term/${ids.hidden}"`);
  });

  it('shows dates in words, with machine-readable values', () => {
    expect(detail(page, 'Date')).toEqual(['1960s', 'between perhaps 28 December 1960 and 1961']);
    expect(elementsOf(page, '.fields time').map(({ attributes, text }) => [attributes.datetime, text])).toEqual([
      ['1960-12', 'December 1960'],
    ]);
  });

  it('shows points on a map and identifier links, each in its direction', () => {
    expect(detail(page, 'Location')).toEqual(['37.74° north, 119.53° west']);
    expect(elementsOf(page, '.map circle').map(({ attributes }) => [attributes.cx, attributes.cy])).toEqual([
      ['302.4', '261.3'],
    ]);
    expect(elementsOf(page, '.fields a[href="https://hdl.handle.net/1/2"]')).toHaveLength(1);
    const values = elementsOf(page, '.fields dd');
    expect(values.filter(({ attributes }) => attributes.dir !== 'auto')).toEqual([]);
  });

  it('links to its data and its linkset', () => {
    const id = node.head.id;
    const linkset = { rel: 'linkset', href: `http://repo.example/node/${id}/linkset` };
    const withLinkset = contentPage(node, around, [linkset], source);
    expect(elementsOf(withLinkset, 'main nav a').map(({ attributes, text }) => [text, attributes.href])).toEqual([
      ['JSON', `/node/${id}?_format=json`],
      ['JSON-LD', `/node/${id}?_format=jsonld`],
      ['Linkset', linkset.href],
    ]);
  });

  it('has the canonical address of its Link header', () => {
    const canonical = { rel: 'canonical', href: 'http://repo.example/papers/letter' };
    const aliased = contentPage(node, around, [canonical], source);
    expect(elementsOf(aliased, 'link[rel=canonical]').map(({ attributes }) => attributes.href)).toEqual([
      canonical.href,
    ]);
  });

  it('keeps the path prefix of a proxy', () => {
    const below = contentPage(node, around, [], { ...source, baseUrl: 'https://library.example/repo' });
    expect(elementsOf(below, '.fields a').map(({ attributes }) => attributes.href)).toContain(
      `/repo/node/${ids.collection}`,
    );
  });

  it('formats dates in the language of the content, and marks English labels', () => {
    const inFrench = withMembers(node, { langcode: [{ value: 'fr' }] });
    const french = contentPage(inFrench, around, [], source);
    expect(elementsOf(french, 'html')[0]?.attributes.lang).toBe('fr');
    expect(elementsOf(french, '.record-foot time')[0]?.text).toBe('14 mars 2019');
    expect(elementsOf(french, '.record-foot time')[0]?.attributes.datetime).toBe('2019-03-14T19:05:24+00:00');
    expect(
      elementsOf(french, '.record h2, .panel, .fields dt, .skip').filter(({ attributes }) => attributes.lang !== 'en'),
    ).toEqual([]);
    expect(elementsOf(page, '.record-foot time')[0]?.text).toBe('14 March 2019');
  });

  it.each(['und', 'zxx', 'no language', ''])('is in English if the language is %j', (langcode) => {
    const content = withMembers(node, { langcode: [{ value: langcode }] });
    const html = contentPage(content, around, [], source);
    expect(elementsOf(html, 'html')[0]?.attributes.lang).toBe('en');
    expect(elementsOf(html, '.record-foot time')[0]?.text).toBe('14 March 2019');
  });

  it('marks unpublished content, and excludes it from search engines', () => {
    const hidden = contentPage({ ...node, head: { ...node.head, status: false } }, around, [], source);
    expect(elementsOf(hidden, '.mark').map(({ text }) => text)).toEqual(['Not published']);
    expect(elementsOf(hidden, 'meta[name=robots]')[0]?.attributes.content).toBe('noindex');
    expect(elementsOf(page, '.mark, meta[name=robots]')).toEqual([]);
  });

  it('shows the name of the signed-in user', () => {
    const user = { id: 7, name: 'Ms "Quote" <b>', mayAdd: true, mayManage: false };
    expect(elementsOf(contentPage(node, around, [], { ...source, user }), 'header.site').at(0)?.text).toContain(
      'Signed in as Ms "Quote" <b>',
    );
    expect(page).not.toContain('Signed in');
  });
});

describe('the Signposting links of a page', () => {
  const link = (rel: string, at = 0): Link => ({ rel, href: `http://repo.example/${rel}/${at}` });

  it('are in its head with type and title, unlike other relations', () => {
    const signposts = ['cite-as', 'author', 'type', 'license', 'item', 'collection', 'describedby', 'linkset'];
    const rels = ['canonical', ...signposts, 'alternate'];
    const links = [...rels, 'edit-form', 'stylesheet'].map((rel) => link(rel));
    const html = contentPage(
      node,
      around,
      [...links, { ...link('item', 1), type: 'image/png', title: '"A" & B' }],
      source,
    );
    const found = elementsOf(
      html,
      'head > link:not([rel=stylesheet], [rel=icon], [rel=search], [rel=expect], [rel^="schema."])',
    ).map(({ attributes }) => attributes);
    expect(found.map(({ rel }) => rel)).toEqual([...rels, 'item']);
    expect(found.at(-1)).toEqual({
      ...{ rel: 'item', href: 'http://repo.example/item/1', type: 'image/png', title: '"A" & B' },
    });
  });

  it('are limited to a hundred, twenty of them to files', () => {
    const linked = (rel: string) =>
      contentPage(
        node,
        around,
        Array.from({ length: 150 }, (_, at) => link(rel, at)),
        source,
      );
    expect(elementsOf(linked('item'), 'head > link[rel=item]')).toHaveLength(20);
    expect(elementsOf(linked('author'), 'head > link[rel=author]')).toHaveLength(100);
  });
});
