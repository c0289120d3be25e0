import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { wordsOfTitles } from '../../../src/repository/title-words.ts';
import { createIiifSite, type IiifSite } from '../../support/iiif-site.ts';
import { search } from '../../support/search-call.ts';
import { hocrOf, searchedPage, searchWithin } from '../../support/searched-book.ts';
import { SiteBuilder } from '../../support/site-builder.ts';
import type { EntityJson } from '../../support/test-repository.ts';

const LONG = 'A page of a book that has a very long title indeed, longer than any key';
const TITLES = [
  'Reading the Qurʼān in Hawaiʻi',
  "Papers of the O'Connor family",
  'Fonds de l’Université de Montréal',
  'Co-operative stores',
  'ʻAjam and ʿArab',
  'Axes of stone',
  '東京湾の地図',
  '국립중앙도서관',
  '新𠮷野家',
  'Bay map 札幌ラーメン店 of 1960',
  'Straße der ﬁlme',
  'צה״ל',
  'Käthe Kollwitz',
  'Of the sea',
  LONG,
];

let site: IiifSite;
let book: EntityJson;
beforeAll(async () => {
  site = await createIiifSite();
  const build = new SiteBuilder(site.repository);
  for (const title of TITLES) await build.node('image', title, { field_description: [`About: ${title}, and more.`] });
  book = await site.item('book', [], { title: ['Scans'] });
  await searchedPage(site, hocrOf("letters of O'Connor and d’Arcy", '東 京 湾 東京湾岸 co-operate'), {
    parents: [book],
  });
});
afterAll(async () => {
  expect(site.repository.failures()).toEqual([]);
  await site.repository.stop();
});

async function suggested(text: string, as?: string): Promise<string[]> {
  const response = await site.repository.get(`/search/suggest?q=${encodeURIComponent(text)}`, as);
  return ((await response.json()) as EntityJson).suggestions.map((each: EntityJson) => each.text);
}

/** Returns the number of words of the title of a node in the index. */
async function wordsInIndex(nid: number): Promise<number> {
  const { database } = site.repository.running.services;
  database.refresh();
  return (await database.all(wordsOfTitles([nid]))).length;
}

async function found(q: string): Promise<{ titles: string[]; marks: string[] }> {
  const { items } = await search(site.repository, { q, sort: 'title' });
  const shown = items.filter(({ title }) => TITLES.includes(title));
  const marks = shown.flatMap(({ snippet }) =>
    [...(snippet ?? '').matchAll(/<mark>(.*?)<\/mark>/g)].map((each) => each[1] ?? ''),
  );
  return { titles: shown.map(({ title }) => title), marks };
}

describe('a search', () => {
  it.each([
    ['Quran', TITLES[0], 'Qurʼān'],
    ["Qur'an", TITLES[0], 'Qurʼān'],
    ['“quran in hawaii”', TITLES[0], 'Qurʼān in Hawaiʻi'],
    ['hawai*', TITLES[0], 'Hawaiʻi'],
    ['oconnor', TITLES[1], "O'Connor"],
    ['O’Connor', TITLES[1], "O'Connor"],
    ['connor', TITLES[1], 'Connor'],
    ['"OConnor family"', TITLES[1], "O'Connor family"],
    ['"université de montréal"', TITLES[2], 'Université de Montréal'],
    ["l'universite", TITLES[2], 'l’Université'],
    ['cooperative', TITLES[3], 'Co-operative'],
    ['co-op*', TITLES[3], 'Co-operative'],
    ['ajam', TITLES[4], 'ʻAjam'],
    ['東京', TITLES[6], '東京'],
    ['京湾', TITLES[6], '京湾'],
    ['東京湾', TITLES[6], '東京湾'],
    ['図', TITLES[6], '図'],
    ['title:地図', TITLES[6], '地図'],
    ['중앙', TITLES[7], '중앙'],
    ['𠮷野', TITLES[8], '𠮷野'],
    ['ﾗｰﾒﾝ', TITLES[9], 'ラーメン'],
    ['"map 札幌"', TITLES[9], 'map 札幌'],
    ['strasse', TITLES[10], 'Straße'],
    ['film*', TITLES[10], 'ﬁlme'],
    ['צה"ל', TITLES[11], 'צה״ל'],
  ])('for %s finds %p and marks %p', async (q, title = '', mark) => {
    const { titles, marks } = await found(q);
    expect(titles).toEqual([title]);
    expect(marks).toContain(mark);
  });

  it.each(['東湾', '湾京', '"ラーメン 札幌"', '中央'])('for %s finds nothing', async (q) => {
    expect((await found(q)).titles).toEqual([]);
  });

  it('suggests a similar word for one with a typing error', async () => {
    const page = await (await site.repository.get(`/search?q=${encodeURIComponent("O'Conor")}&_format=html`)).text();
    expect(page).toMatch(/href="[^"]*q=oconnor[^"]*"/);
  });

  it('orders titles without their leading signs', async () => {
    const { titles } = await found('about -title:longer');
    expect(titles.slice(0, 3)).toEqual(['ʻAjam and ʿArab', 'Axes of stone', 'Bay map 札幌ラーメン店 of 1960']);
  });
});

describe('the suggestions', () => {
  it.each([
    ['kollw', ['Käthe Kollwitz']],
    ['kathe koll', ['Käthe Kollwitz']],
    ['käth', ['Käthe Kollwitz']],
    ['connor', ["Papers of the O'Connor family"]],
    ["o'conn", ["Papers of the O'Connor family"]],
    ['universite', ['Fonds de l’Université de Montréal']],
    ["l'univ", ['Fonds de l’Université de Montréal']],
    ['luniv', ['Fonds de l’Université de Montréal']],
    ['quran in h', ['Reading the Qurʼān in Hawaiʻi']],
    ['and ara', ['ʻAjam and ʿArab']],
    ['湾の', ['東京湾の地図']],
    ['地図', ['東京湾の地図']],
    ['도서', ['국립중앙도서관']],
    ['a page of a book that has a very long title indee', [LONG]],
    ['book that has a very long title', [LONG]],
    ['book that has a very long titel', []],
    ['ollwitz', []],
  ])('for %s are %p', async (text, titles) => {
    expect(await suggested(text)).toEqual(titles);
  });

  it('begin with titles that begin so', async () => {
    expect(await suggested('of')).toEqual(['Of the sea', ...(await suggested('of')).slice(1)]);
    expect((await suggested('of')).length).toBeGreaterThan(2);
  });

  it('follow changes, access and deletions', async () => {
    const node = await site.repository.node({ title: [{ value: 'A zyzzyva of the third kind' }] });
    const path = `/node/${node.nid[0].value}?_format=json`;
    expect(await suggested('zyzz')).toEqual(['A zyzzyva of the third kind']);
    const change = (fields: object) =>
      site.repository.patch(path, { type: [{ target_id: 'islandora_object' }], ...fields }, 'admin');
    await change({ title: [{ value: 'One ypsilon' }] });
    expect(await suggested('zyzz')).toEqual([]);
    expect(await suggested('third')).toEqual([]);
    expect(await suggested('ypsi')).toEqual(['One ypsilon']);
    await change({ status: [{ value: false }] });
    expect(await suggested('ypsi')).toEqual([]);
    expect(await suggested('ypsi', 'admin')).toEqual(['One ypsilon']);
    await site.repository.delete(path, 'admin');
    expect(await suggested('ypsi', 'admin')).toEqual([]);
    const nid = node.nid[0].value as number;
    expect(await wordsInIndex(nid)).toEqual(0);
  });
});

describe('the filter of titles in /admin/content', () => {
  it.each([
    ['oconnor', TITLES[1]],
    ["o'con", TITLES[1]],
    ['coop', TITLES[3]],
    ['京', TITLES[6]],
    ['湾の', TITLES[6]],
    ['東京 地図', TITLES[6]],
    ['도서관', TITLES[7]],
  ])('%s shows %p', async (text, title = '') => {
    const path = `/admin/content?title=${encodeURIComponent(text)}`;
    const page = await (await site.repository.get(path, 'admin')).text();
    const shown = TITLES.filter((each) => page.includes(`>${each}<`));
    expect(shown).toEqual([title]);
  });
});

describe('the search within an item', () => {
  it.each([
    ['oconnor', ["O'Connor"]],
    ['connor', ["O'Connor"]],
    ['darcy', ['d’Arcy']],
    ["d'arcy", ['d’Arcy']],
    ['"and darcy"', ['and d’Arcy']],
    ['cooperate', ['co-operate']],
    ['co-op*', ['co-operate']],
    ['東京湾', ['東 京 湾', '東京湾岸']],
    ['湾岸', ['東京湾岸']],
    ['京', ['京', '東京湾岸']],
  ])('for %s finds %p', async (q, words) => {
    const answer = await searchWithin(site, book, q);
    expect(answer.items.map(({ body }: EntityJson) => body.value)).toEqual(words);
  });
});
