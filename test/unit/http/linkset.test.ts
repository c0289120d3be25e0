import { describe, expect, it } from 'bun:test';
import LinkHeader from 'http-link-header';
import { type AnchoredLinks, linksetJson, linksetText } from '../../../src/http/link-header.ts';

const PAGE = 'https://repo.example/node/1';
const FILE = 'https://repo.example/a b.png';
const ENCODED_FILE = 'https://repo.example/a%20b.png';
const CREATE = 'https://drupal.org/link-relations/create';

const LINKS: AnchoredLinks[] = [
  {
    anchor: PAGE,
    links: [
      { href: FILE, rel: 'item', type: 'image/png' },
      { href: `${PAGE}/b`, rel: 'tag', title: 'Été\n"x"' },
      { href: `${PAGE}/c`, rel: 'item', type: 'no type', title: '' },
      { href: `${PAGE}/d`, rel: CREATE },
    ],
  },
  { anchor: FILE, links: [{ href: PAGE, rel: 'collection', type: 'text/html' }] },
  {
    anchor: PAGE,
    links: [
      { href: FILE, rel: 'item', type: 'image/png' },
      { href: `${PAGE}/e`, rel: 'tag' },
    ],
  },
];

describe('a link set in JSON', () => {
  it('lists each anchor once, with its targets by relation in order', () => {
    const text = linksetJson(LINKS);
    expect(JSON.parse(text)).toEqual({
      linkset: [
        {
          anchor: PAGE,
          item: [{ href: ENCODED_FILE, type: 'image/png' }, { href: `${PAGE}/c` }],
          tag: [{ href: `${PAGE}/b`, title: 'Été "x"' }, { href: `${PAGE}/e` }],
          [CREATE]: [{ href: `${PAGE}/d` }],
        },
        { anchor: ENCODED_FILE, collection: [{ href: PAGE, type: 'text/html' }] },
      ],
    });
    expect(Object.keys(JSON.parse(text).linkset[0])).toEqual(['anchor', 'item', 'tag', CREATE]);
  });

  it('omits an anchor without links', () => {
    expect(linksetJson([])).toBe('{"linkset":[]}');
    expect(linksetJson([{ anchor: PAGE, links: [] }])).toBe('{"linkset":[]}');
  });
});

describe('a link set as text', () => {
  it('has one link per line, with its anchor', () => {
    expect(linksetText(LINKS).split('\n')).toEqual([
      `<${ENCODED_FILE}>; rel="item"; type="image/png"; anchor="${PAGE}",`,
      `<${PAGE}/b>; rel="tag"; title*=UTF-8'und'%C3%89t%C3%A9%20%22x%22; anchor="${PAGE}",`,
      `<${PAGE}/c>; rel="item"; anchor="${PAGE}",`,
      `<${PAGE}/d>; rel="${CREATE}"; anchor="${PAGE}",`,
      `<${PAGE}/e>; rel="tag"; anchor="${PAGE}",`,
      `<${PAGE}>; rel="collection"; type="text/html"; anchor="${ENCODED_FILE}"`,
    ]);
  });

  it('parses like a Link header', () => {
    const { refs } = LinkHeader.parse(linksetText(LINKS));
    expect(refs.map(({ anchor, rel }) => `${anchor} ${rel}`)).toEqual([
      ...[`${PAGE} item`, `${PAGE} tag`, `${PAGE} item`, `${PAGE} ${CREATE}`, `${PAGE} tag`],
      `${ENCODED_FILE} collection`,
    ]);
  });

  it('is empty without links', () => {
    expect(linksetText([])).toBe('');
  });
});
