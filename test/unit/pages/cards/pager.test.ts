import { describe, expect, it } from 'bun:test';
import { jsx } from '../../../../src/base/markup/jsx-runtime.ts';
import { Pager } from '../../../../src/pages/cards/pager.tsx';
import { elementsOf } from '../../../support/page.ts';

const pagerOf = (page: number, pages: number) =>
  jsx(Pager, { page, pages, addressOf: (each: number) => `/list?page=${each}` }).html;
/** The numbers of the pages with a link, with the gaps between them. */
const numbers = (html: string) =>
  elementsOf(html, 'li').flatMap(({ text }) => /^(…)?Page (\d+)/.exec(text)?.slice(1).filter(Boolean) ?? []);
const hrefOf = (html: string, rel: string) => elementsOf(html, `[rel=${rel}]`)[0]?.attributes.href;

describe('the pager of a list', () => {
  it.each([
    [0, 2, '1 2'],
    [1, 3, '1 2 3'],
    [0, 5, '1 2 3 … 5'],
    [2, 5, '1 2 3 4 5'],
    [3, 7, '1 2 3 4 5 6 7'],
    [4, 9, '1 … 3 4 5 6 7 … 9'],
    [8, 9, '1 … 7 8 9'],
  ])('of page %d of %d has links to the first, the last and the two on each side', (page, pages, shown) => {
    expect(numbers(pagerOf(page, pages)).join(' ')).toBe(shown);
  });

  it.each([
    [0, 3, undefined, '/list?page=1'],
    [1, 3, '/list?page=0', '/list?page=2'],
    [2, 3, '/list?page=1', undefined],
  ])('of page %d of %d leads to the pages before and after it', (page, pages, before, after) => {
    const html = pagerOf(page, pages);
    expect(hrefOf(html, 'prev')).toBe(before as string);
    expect(hrefOf(html, 'next')).toBe(after as string);
  });

  it('leads back from a page behind the last one', () => {
    expect(hrefOf(pagerOf(9, 3), 'prev')).toBe('/list?page=2');
    expect(hrefOf(pagerOf(9, 0), 'prev')).toBe('/list?page=0');
  });

  it('is left out for one page', () => {
    expect(pagerOf(0, 1)).toBe('');
  });
});
