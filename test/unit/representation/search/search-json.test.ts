import { describe, expect, it } from 'bun:test';
import { searchJson, searchLinks } from '../../../../src/representation/search/search-json.ts';
import { card, searchData } from '../../../support/search-data.ts';

const BASE = 'https://repo.example/archive';

describe('the JSON of a search', () => {
  it('has the documented members, with absolute addresses', () => {
    const thumbnail = { path: '/sites/default/files/a.jpg', width: 10, height: 10 };
    const snippet = [
      { text: 'a <b> & ', isMark: false },
      { text: '"ferry"', isMark: true },
    ];
    const facets = [{ name: 'model', label: 'Model', values: [{ value: '7', label: 'Image', count: 1 }] }];
    const data = searchData(
      {
        hits: [{ card: card({ id: 5, thumbnail }), snippet, pages: [], pageCount: 0, parent: undefined }],
        facets,
        total: 1,
      },
      { text: 'ferry', view: 'grid', more: 'model', page: 2, size: 50 },
    );
    expect(searchJson(data, BASE)).toEqual({
      total: 1,
      page: 2,
      size: 50,
      items: [
        {
          nid: 5,
          uuid: '00000000-0000-4000-8000-000000000005',
          title: 'Item 5',
          url: `${BASE}/node/5`,
          type: 'islandora_object',
          model: 'Image',
          thumbnail: `${BASE}/sites/default/files/a.jpg`,
          date: '1929~',
          snippet: 'a &lt;b&gt; &amp; <mark>&quot;ferry&quot;</mark>',
          pageCount: 0,
          pages: [],
        },
      ],
      facets: [
        {
          name: 'model',
          label: 'Model',
          values: [
            {
              value: '7',
              label: 'Image',
              count: 1,
              url: `${BASE}/search?q=ferry&f.model=7&size=50&_format=json`,
            },
          ],
        },
      ],
    });
  });

  it('has null for missing facts of an item', () => {
    const bare = card({ model: undefined, date: undefined });
    expect(
      searchJson(searchData({ hits: [{ card: bare, snippet: [], pages: [], pageCount: 0, parent: undefined }] }), BASE)
        .items[0],
    ).toMatchObject({
      ...{ model: null, thumbnail: null, date: null, snippet: null },
    });
  });
});

describe('the links of a search', () => {
  const links = (...given: Parameters<typeof searchData>) =>
    Object.fromEntries(
      searchLinks(searchData(...given), BASE)
        .split(', ')
        .map((link) => {
          const [, href = '', rel = ''] = /^<([^>]*)>; rel="(\w+)"; type="application\/json"$/.exec(link) ?? [];
          return [rel, href.replace(`${BASE}/search?`, '').replace(/&?_format=json/, '')];
        }),
    );

  it('lead from the first page to the last, and from a position to the next', () => {
    expect(links({ total: 45, next: 'abc' })).toEqual({ first: '', next: 'page=1&after=abc', last: 'page=2' });
    expect(links({ total: 45, next: 'xyz' }, { page: 1, after: 'abc' })).toEqual({
      ...{ first: '', prev: '', next: 'page=2&after=xyz', last: 'page=2' },
    });
    expect(links({ total: 45 }, { page: 2, after: 'xyz' })).toEqual({ first: '', prev: 'page=1', last: 'page=2' });
  });

  it('include no other page if there are no results', () => {
    expect(links()).toEqual({ first: '', last: '' });
  });

  it('lead from beyond the end to the last page', () => {
    expect(links({ total: 45 }, { page: 900 })).toEqual({ first: '', prev: 'page=2', last: 'page=2' });
  });
});
