import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import LinkHeader from 'http-link-header';
import type { Link } from '../../../src/http/link-header.ts';
import { encodeAddress, linkHeader } from '../../../src/http/link-header.ts';

const HREF = 'https://repo.example/node/1';
const anyText = fc.oneof(fc.string({ unit: 'binary' }), fc.string(), fc.string({ unit: 'grapheme' }));
const loneSurrogates = fc.array(fc.integer({ min: 0, max: 0xffff })).map((codes) => String.fromCharCode(...codes));
const anyLink: fc.Arbitrary<Link> = fc.record(
  {
    href: fc.oneof(anyText, loneSurrogates).map((path) => `https://repo.example/${path}`),
    rel: fc.constantFrom('tag', 'cite-as', 'https://drupal.org/link-relations/create'),
    title: fc.oneof(anyText, loneSurrogates),
    type: fc.oneof(anyText, fc.constantFrom('text/html', 'application/ld+json')),
  },
  { requiredKeys: ['href', 'rel'] },
);

/** A title as a reader of the header should find it. */
function readable(title: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it is about.
  return title.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, ' ').toWellFormed();
}

function only(link: Omit<Link, 'href' | 'rel'>) {
  const [reference] = LinkHeader.parse(linkHeader([{ href: HREF, rel: 'tag', ...link }])).refs;
  return reference;
}

describe('a Link header', () => {
  it('holds each link with its relation, title and type, in this order', () => {
    const links = [
      { href: HREF, rel: 'tag', title: 'Maps, "old" and \\new', type: 'text/html' },
      { href: `${HREF}/linkset`, rel: 'linkset', type: 'application/linkset+json' },
      { href: HREF, rel: 'https://drupal.org/link-relations/create' },
    ];
    expect(linkHeader(links)).toBe(
      `<${HREF}>; rel="tag"; title="Maps, \\"old\\" and \\\\new"; type="text/html", ` +
        `<${HREF}/linkset>; rel="linkset"; type="application/linkset+json", ` +
        `<${HREF}>; rel="https://drupal.org/link-relations/create"`,
    );
  });

  it('is empty without links', () => {
    expect(linkHeader([])).toBe('');
  });

  it('holds titles beyond ASCII in title* only', () => {
    expect(linkHeader([{ href: HREF, rel: 'tag', title: "Sous-préfecture d'été (50 %)" }])).toBe(
      `<${HREF}>; rel="tag"; title*=UTF-8'und'Sous-pr%C3%A9fecture%20d%27%C3%A9t%C3%A9%20%2850%20%25%29`,
    );
    expect(only({ title: '月 "moon"' })).toEqual({
      ...{ uri: HREF, rel: 'tag' },
      'title*': { value: '月 "moon"', language: 'und', encoding: null } as never,
    });
  });

  it.each([
    ['de', 'de'],
    ['zh-hans', 'zh-hans'],
    ['', 'und'],
    [undefined, 'und'],
    ["x'y", 'und'],
    ['de_AT', 'und'],
    ['de"; rel="next', 'und'],
  ])('names the language %j of a title as %s', (language, tag) => {
    const link = { href: HREF, rel: 'tag', title: 'Käthe', language };
    expect(linkHeader([link])).toBe(`<${HREF}>; rel="tag"; title*=UTF-8'${tag}'K%C3%A4the`);
  });

  it('has no language for an ASCII title', () => {
    expect(linkHeader([{ href: HREF, rel: 'tag', title: 'Maps', language: 'en' }])).toBe(
      `<${HREF}>; rel="tag"; title="Maps"`,
    );
  });

  it('omits an empty title, and replaces line breaks with spaces', () => {
    expect(only({ title: '' })).toEqual({ uri: HREF, rel: 'tag' });
    expect(only({ title: 'a\r\nSet-Cookie: x=1\u0000' })?.title).toBe('a  Set-Cookie: x=1 ');
  });

  it.each(['', 'html', 'text/', '/html', 'text/html"; rel="next', 'text/html\r\nX: y', 'text/ht ml', 'tëxt/html'])(
    'omits %j, which is not a media type',
    (type) => {
      expect(only({ type })).toEqual({ uri: HREF, rel: 'tag' });
    },
  );

  it.each([
    ['a b', 'a%20b'],
    ['a%20b', 'a%20b'],
    ['100%', '100%25'],
    ['%zz%2', '%25zz%252'],
    ['<>"\\^`{|}', '%3C%3E%22%5C%5E%60%7B%7C%7D'],
    ['é月🌙', '%C3%A9%E6%9C%88%F0%9F%8C%99'],
    ['\ud83c', '%EF%BF%BD'],
    ['a\r\nb\u007f', 'a%0D%0Ab%7F'],
    ["[::1]:80/?a=(1)&b=*'!$+,;@~#x", "[::1]:80/?a=(1)&b=*'!$+,;@~#x"],
  ])('encodes the address %j as %s', (address, encoded) => {
    expect(encodeAddress(address)).toBe(encoded);
  });

  it('round-trips through a parser for any links', () => {
    fc.assert(
      fc.property(fc.array(anyLink, { minLength: 1, maxLength: 5 }), (links) => {
        const { refs } = LinkHeader.parse(linkHeader(links));
        expect(refs.map(({ uri, rel }) => [uri, rel])).toEqual(
          links.map(({ href, rel }) => [encodeAddress(href), rel]),
        );
        for (const [index, { title }] of links.entries()) {
          expect(refs[index]?.title ?? refs[index]?.['title*']?.value ?? '').toBe(readable(title ?? ''));
        }
      }),
      { numRuns: 500 },
    );
  });

  it('is always a valid header value', () => {
    fc.assert(
      fc.property(fc.array(anyLink, { minLength: 1, maxLength: 5 }), (links) => {
        const header = linkHeader(links);
        expect(header).toMatch(/^[ -~]+$/);
        expect(new Headers({ Link: header }).get('Link')).toBe(header.trim());
      }),
      { numRuns: 500 },
    );
  });

  it('keeps the meaning of an address for browsers', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (url) => {
        expect(new URL(encodeAddress(url)).href).toBe(new URL(url).href);
      }),
    );
  });
});
