import { describe, expect, it } from 'bun:test';
import {
  EVERYTHING,
  filterList,
  isNarrowed,
  refined,
  type SearchState,
  searchAddress,
  searchParameters,
  withFilter,
  withoutFilter,
} from '../../../../src/representation/search/search-state.ts';

const state = (changes: Partial<SearchState>): SearchState => ({ ...EVERYTHING, ...changes });
const FULL = state({
  text: 'harbour "two words"',
  filters: { subject: ['12', '3'], model: ['7'] },
  from: -50,
  to: 1930,
  sort: 'title',
  view: 'grid',
  size: 50,
  page: 3,
  after: 'abc',
  more: 'subject',
});

describe('the address of a search', () => {
  it('is only the path for an unrestricted search', () => {
    expect(searchAddress('/search', EVERYTHING)).toBe('/search');
  });

  it('has every changed part of the state in a fixed order', () => {
    expect(searchAddress('/a/search', FULL)).toBe(
      '/a/search?q=harbour+%22two+words%22&f.model=7&f.subject=12&f.subject=3&from=-50&to=1930&sort=title&view=grid&size=50&page=3&after=abc&more=subject',
    );
  });

  it('is the same for the same state, chosen in any order', () => {
    const one = withFilter(withFilter(EVERYTHING, { name: 'model', value: '7' }), { name: 'genre', value: '1' });
    const other = withFilter(withFilter(EVERYTHING, { name: 'genre', value: '1' }), { name: 'model', value: '7' });
    expect(searchAddress('/search', one)).toBe(searchAddress('/search', other));
  });

  it('encodes reserved characters', () => {
    const text = 'a&b=c#d?e %41 ünïcode ‏עברית +';
    const address = searchAddress('/search', state({ text }));
    expect(new URL(address, 'http://repo.example').searchParams.get('q')).toBe(text);
    const value = 'fnd|12&q=x';
    const filtered = searchAddress('/search', withFilter(EVERYTHING, { name: 'agent', value }));
    expect([...new URL(filtered, 'http://repo.example').searchParams]).toEqual([['f.agent', value]]);
  });

  it('includes the year 0', () => {
    expect(searchParameters(state({ from: 0 }))).toEqual([['from', '0']]);
  });
});

describe('a change of a search', () => {
  it('returns to the first page', () => {
    expect(refined(FULL, { sort: 'date' })).toEqual({
      ...FULL,
      sort: 'date',
      page: 0,
      after: undefined,
      more: undefined,
    });
  });

  it('adds a value to its facet once', () => {
    const twice = withFilter(withFilter(FULL, { name: 'model', value: '8' }), { name: 'model', value: '8' });
    expect(filterList(twice.filters)).toEqual([
      { name: 'model', value: '7' },
      { name: 'model', value: '8' },
      { name: 'subject', value: '12' },
      { name: 'subject', value: '3' },
    ]);
    expect(twice.page).toBe(0);
    expect(twice.after).toBeUndefined();
    expect(twice.text).toEqual(FULL.text);
  });

  it('removes a value and keeps the others', () => {
    expect(withoutFilter(FULL, { name: 'subject', value: '3' }).filters).toEqual({ subject: ['12'], model: ['7'] });
    expect(withoutFilter(FULL, { name: 'model', value: '7' }).filters).toEqual({ subject: ['12', '3'] });
    expect(withoutFilter(FULL, { name: 'genre', value: '1' }).filters).toEqual(FULL.filters);
  });

  it('reports whether filters narrow the search', () => {
    expect(isNarrowed(EVERYTHING)).toBe(false);
    expect(isNarrowed(state({ text: 'x' }))).toBe(false);
    expect(isNarrowed(state({ from: 0 }))).toBe(true);
    expect(isNarrowed(FULL)).toBe(true);
  });
});
