import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { BUILT_IN, type BuiltInName } from '../../../src/field-types/registry.ts';
import type { FieldDefinition } from '../../../src/model/content-model.ts';
import type { ParsedContent } from '../../../src/repository/content/content.ts';
import type { Surroundings } from '../../../src/repository/content/read/surroundings.ts';
import type { PageSource } from '../../../src/web/site.ts';
import { createReader, withMembers } from '../../support/linked-data.ts';
import {
  addressesIn,
  attached,
  contentPage,
  detail,
  elementsOf,
  neighbour,
  pageSource,
  RUNNING_SCRIPT,
  sourceFile,
} from '../../support/page.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';
import { define } from '../../unit/field-types/definitions.ts';

let repository: TestRepository;
let source: PageSource;
let node: ParsedContent;
const ALONE: Surroundings = { targets: [], media: [], hasMoreMedia: false, file: undefined };

beforeAll(async () => {
  repository = await createTestRepository();
  const { services } = repository.running;
  source = pageSource(services.model);
  const { nid } = await repository.node();
  node = await createReader(services).find('node', nid[0].value);
});
afterAll(() => repository.stop());

/** Content with these fields alone. */
function contentWith(fields: readonly FieldDefinition[], members: Record<string, unknown>): ParsedContent {
  const fieldNamed = new Map(fields.map((field) => [field.name, field]));
  const base = Object.fromEntries(
    Object.entries(JSON.parse(node.document)).filter(([name]) => node.kind.baseFieldNamed.has(name)),
  );
  const content = { ...node, bundle: { ...node.bundle, fields, fieldNamed }, document: JSON.stringify(base) };
  return withMembers(content, members);
}

function pageOf(type: BuiltInName, item: unknown, settings: Partial<FieldDefinition> = {}, around = ALONE): string {
  const content = contentWith([define(type, settings)], { field_x: [item] });
  return contentPage(content, around, [], source);
}

const shown = (type: BuiltInName, item: unknown, settings?: Partial<FieldDefinition>) =>
  detail(pageOf(type, item, settings), 'X');

describe('the value of a field', () => {
  it.each<[BuiltInName, unknown, string]>([
    ['boolean', { value: true }, 'Yes'],
    ['boolean', { value: false }, 'No'],
    ['integer', { value: 0 }, '0'],
    ['decimal', { value: '1.50' }, '1.50'],
    ['float', { value: 0.1 }, '0.1'],
    ['language', { value: 'en' }, 'English'],
    ['language', { value: 'nb' }, 'Norwegian Bokmål'],
    ['language', { value: 'und' }, 'Undetermined'],
    ['language', { value: 'qqq' }, 'qqq'],
    ['edtf', { value: '1929~' }, 'about 1929'],
    ['edtf', { value: 'in spring' }, 'in spring'],
    ['geolocation', { lat: -33.9, lng: 18.4 }, '33.9° south, 18.4° east'],
    ['timestamp', { value: '1999-12-31T23:59:59+00:00' }, '31 December 1999'],
    ['timestamp', { value: '2000-01-01T00:30:00+01:00' }, '31 December 1999'],
    ['timestamp', { value: 'some day' }, 'some day'],
    ['uri', { value: 'fedora://a b.tif', url: '/_flysystem/fedora/a%20b.tif' }, 'fedora://a b.tif'],
    ['textfield_attr', { attr0: 'note', attr1: null, value: 'Text' }, 'Text (note)'],
    ['part_detail', { type: 'volume', caption: null, number: '3', title: '' }, 'volume, 3'],
    ['hierarchical_geographic', { continent: 'Europe', country: 'Malta' }, 'Europe, Malta'],
    ['config_reference', { target_id: 'editor', target_type: 'user_role' }, 'editor'],
    ['text_with_summary', { value: '', processed: '', summary: 'Short & plain' }, 'Short & plain'],
    ['path', { alias: '/moon' }, '/moon'],
  ])('of type %s %j reads "%s"', (type, item, text) => {
    expect(shown(type, item)).toEqual([text]);
  });

  it.each<[BuiltInName, unknown]>([
    ['string', { value: '' }],
    ['string', { value: ' \n' }],
    ['string_long', { value: null }],
    ['text_long', { value: '<script></script>', format: 'basic_html', processed: '' }],
    ['comment', { status: 2, comment_count: 3 }],
    ['entity_reference', { target_id: 5, target_type: 'user', url: '/user/5' }],
    ['entity_reference', { target_id: null }],
    ['geolocation', { lat: null, lng: null }],
    ['related_item', { title: null }],
    ['file', { target_id: 1 }],
  ])('of type %s has no label if %j shows nothing', (type, item) => {
    expect(elementsOf(pageOf(type, item), '.fields dt')).toEqual([]);
  });

  it('shows the label of a list value, or the value itself', () => {
    const allowedValues = { a: 'First choice' };
    expect(shown('list_string', { value: 'a' }, { allowedValues })).toEqual(['First choice']);
    expect(shown('list_string', { value: 'constructor' }, { allowedValues })).toEqual(['constructor']);
  });

  it('names the authority file of a link', () => {
    const item = { uri: 'http://viaf.org/viaf/1', title: '', source: 'viaf' };
    const html = pageOf('authority_link', item, { authoritySources: { viaf: 'Virtual Authority File' } });
    expect(detail(html, 'X')).toEqual(['http://viaf.org/viaf/1 (Virtual Authority File)']);
    expect(elementsOf(html, 'dd a')[0]?.attributes.href).toBe('http://viaf.org/viaf/1');
  });

  it('links an image that browsers cannot show, and shows others with their alternative text', () => {
    const shownImage = pageOf('image', { target_id: 1, url: '/sites/default/files/a%20b.JPG', alt: 'A "red" dot' });
    expect(elementsOf(shownImage, 'dd img')[0]?.attributes).toMatchObject({
      ...{ src: '/sites/default/files/a%20b.JPG', alt: 'A "red" dot', loading: 'lazy' },
    });
    const linked = pageOf('image', { target_id: 1, url: '/system/files/100%.tif' });
    expect(elementsOf(linked, 'dd img')).toEqual([]);
    expect(elementsOf(linked, '.fields dd a').map(({ text }) => text)).toEqual(['100%.tif']);
  });

  it('omits an unknown role', () => {
    const around = { ...ALONE, targets: [{ field: 'field_x', target: neighbour({ id: 4 }) }] };
    const role = (rel_type: string) =>
      detail(
        pageOf(
          'typed_relation',
          { target_id: 4, target_type: 'taxonomy_term', rel_type },
          { relationTypes: {} },
          around,
        ),
        'X',
      );
    expect(role('relators:xyz')).toEqual(['Name']);
    expect(role('toString')).toEqual(['Name']);
  });
});

const HOSTILE = [
  `"><script>alert(1)</script>`,
  `'"><img src=x onerror=alert(1)>`,
  `<svg/onload=alert(1)>`,
  `</title></style></textarea><script>alert(1)</script>`,
  `{{constructor}} \${x} <!-- --> &lt;b&gt;`,
];
const BAD_ADDRESSES = [
  ...[
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    '\u0001javascript:1',
  ],
  ...[
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
    'file:///etc/passwd',
    '//evil.example/x',
    '/\\evil.example',
  ],
];
const ELEMENTS_OF_OURS = `${RUNNING_SCRIPT}, svg, iframe, object, embed, main form, main input, base, meta[http-equiv]`;

/** An item with text in every member that any type of field looks at. */
function filledWith(text: string): Record<string, unknown> {
  const members = ['value', 'uri', 'url', 'title', 'source', 'alt', 'label', 'kind', 'srclang', 'rel_type', 'summary'];
  const others = ['alias', 'attr0', 'attr1', 'lat', 'lng', 'description', 'caption', 'number', 'identifier', 'country'];
  return {
    ...Object.fromEntries([...members, ...others].map((name) => [name, text])),
    ...{ target_id: 4, target_type: 'taxonomy_term' },
  };
}

function hostilePage(text: string): string {
  const fields = (Object.keys(BUILT_IN) as BuiltInName[]).map((type) =>
    define(type, { name: `field_${type}`, label: text }),
  );
  const members = Object.fromEntries(fields.map(({ name }) => [name, [filledWith(text)]]));
  const target = neighbour({ id: 4, label: text, externalUri: text, authorityUri: text });
  const file = sourceFile(text, `public://${text}`);
  const image = sourceFile('image/png', `${text}://${text}`);
  const around: Surroundings = {
    targets: [{ field: 'field_entity_reference', target }],
    media: [
      { ...attached(1, 'ServiceFile', image, text), uses: [target] },
      { ...attached(2, 'OriginalFile', file, text), uses: [target] },
    ],
    hasMoreMedia: true,
    file: undefined,
  };
  const content = contentWith(fields, { ...members, title: [{ value: text }], langcode: [{ value: text }] });
  const links = ['item', 'license', 'linkset'].map((rel) => ({ rel, href: text, title: text, type: text }));
  const actor = { ...source.actor, isAuthenticated: true, name: text };
  return contentPage(content, around, links, { ...source, siteName: text, actor });
}

describe('hostile text in every field, name and link', () => {
  it.each(HOSTILE)('is shown as text only: %s', (text) => {
    const html = hostilePage(text);
    expect(elementsOf(html, ELEMENTS_OF_OURS)).toEqual([]);
    const everything = elementsOf(html, '*');
    const handlers = everything
      .flatMap(({ attributes }) => Object.keys(attributes))
      .filter((name) => /^on/i.test(name));
    expect(handlers).toEqual([]);
    // What was written between our own elements would have made more of them.
    const harmless = elementsOf(hostilePage('x'), 'body *');
    expect(elementsOf(html, 'body *').map(({ tag }) => tag)).toEqual(harmless.map(({ tag }) => tag));
    expect(elementsOf(html, 'head *').map(({ tag }) => tag)).toEqual(
      elementsOf(hostilePage('x'), 'head *').map(({ tag }) => tag),
    );
    expect(elementsOf(html, 'h1')[0]?.text).toBe(text);
    expect(elementsOf(html, '.fields dt').every((label) => label.text === text)).toBe(true);
  });

  it.each(BAD_ADDRESSES)('creates no foreign link from the address %j', (address) => {
    const found = addressesIn(hostilePage(address));
    expect(found.length).toBeGreaterThan(0);
    const isOwn = (each: string) =>
      /^(?:#|https?:\/\/repo\.example\/|\/(?![/\\]))/.test(each) || each.startsWith('mailto:');
    expect(found.filter((each) => !isOwn(each))).toEqual([]);
  });

  it('is filtered by its text format if it is formatted', () => {
    const html = pageOf('text_long', { value: '<b>raw</b>', processed: '<p>a <em>b</em> &lt;i&gt;</p>' });
    expect(elementsOf(html, 'dd em').map(({ text }) => text)).toEqual(['b']);
    expect(elementsOf(html, 'dd i, dd b')).toEqual([]);
  });

  it.each([[null], [7], [true], ['text'], [[]], [[['x']]], [{ value: {} }]])(
    'causes no error where a property is %j',
    (odd) => {
      for (const type of Object.keys(BUILT_IN) as BuiltInName[]) {
        const members = Object.fromEntries(Object.keys(filledWith('x')).map((name) => [name, odd]));
        expect(pageOf(type, { ...members, processed: odd })).toEndWith('</html>\n');
      }
    },
  );
});
