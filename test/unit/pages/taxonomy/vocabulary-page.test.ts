import { describe, expect, it } from 'bun:test';
import { type VocabularyData, vocabularyPage } from '../../../../src/pages/taxonomy/vocabulary-page.tsx';
import { elementsOf, PLAIN_THEME } from '../../../support/page.ts';

const SITE = { siteName: 'Town Archive', baseUrl: 'https://repo.example/archive', theme: PLAIN_THEME, user: undefined };
const TERM = {
  ...{ id: 7, label: 'Boats', status: true, ownerId: 1, bundle: 'subject', weight: 0, uses: 3, parents: '' },
  ...{ mayEdit: true, mayDelete: true },
};
const DATA: VocabularyData = {
  ...{ name: 'subject', label: 'Subject', mayAdd: false, text: '', page: 0, pages: 3, total: 250 },
  ...{ terms: [TERM], typed: new Map(), messages: [], token: 't' },
};
const PATH = '/archive/taxonomy/manage/subject';

const page = (changes: Partial<VocabularyData> = {}) => vocabularyPage({ ...DATA, ...changes }, SITE).body;
const attributes = (html: string, selector: string, name: string) =>
  elementsOf(html, selector).map((each) => each.attributes[name]);

describe('the page of the terms of a vocabulary', () => {
  it.each([
    [{}, PATH],
    [{ page: 2 }, `${PATH}?page=2`],
    [{ text: 'bo&' }, `${PATH}?q=bo%26`],
    [{ text: 'bo', page: 1 }, `${PATH}?q=bo&page=1`],
  ])('sends its form to the address of the same list: %j', (changes, action) => {
    expect(attributes(page(changes), 'form[method=post]', 'action')).toEqual([action]);
  });

  it('keeps the text in the links to other pages', () => {
    expect(attributes(page({ text: 'bo', page: 1 }), '.pager [rel]', 'href')).toEqual([
      `${PATH}?q=bo`,
      `${PATH}?q=bo&page=2`,
    ]);
  });

  it.each([
    [{ total: 1 }, '1 term'],
    [{ total: 1_250 }, '1,250 terms'],
    [{ total: 2, text: 'bo' }, '2 terms with “bo” in their name. Show all'],
  ])('says how many terms the list has: %j', (changes, lead) => {
    expect(elementsOf(page(changes), 'p.soft').map(({ text }) => text)).toEqual([lead]);
  });

  it('has the links and the weight of a term for those who may change it', () => {
    const linksFor = (mayEdit: boolean, mayDelete: boolean) =>
      attributes(page({ terms: [{ ...TERM, mayEdit, mayDelete }] }), '.actions a', 'href');
    expect(linksFor(true, false)).toEqual([
      '/archive/taxonomy/term/7/edit',
      '/archive/taxonomy/manage/subject/merge/7',
    ]);
    expect(linksFor(false, true)).toEqual(['/archive/taxonomy/term/7/delete']);
    const isLocked = (mayEdit: boolean) =>
      attributes(page({ terms: [{ ...TERM, mayEdit }] }), '.weight', 'disabled')[0] !== undefined;
    expect(isLocked(true)).toBe(false);
    expect(isLocked(false)).toBe(true);
  });
});
