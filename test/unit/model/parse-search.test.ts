import { describe, expect, it } from 'bun:test';
import { parseUserModel, problemsOf } from './parse-user-model.ts';

const search = (members: string) => `search: { ${members} }`;
const facet = (members: string) => search(`facets: [{ name: mine, label: Mine, ${members} }]`);
const namesOf = (members: string) => parseUserModel(members).search.facets.map(({ name }) => name);

describe('the search of the default model', () => {
  it('has all facets of the page in order', () => {
    expect(namesOf('').join(' ')).toBe(
      'collection model type genre subject agent language place decade full_text rights file_type',
    );
  });

  it('assigns fields to columns, weights and dates', () => {
    const { columnOf, weights, dates } = parseUserModel('').search;
    expect(columnOf.get('field_subject')).toBe('subject');
    expect(columnOf.get('field_linked_agent')).toBe('creator');
    expect(columnOf.get('field_description')).toBeUndefined();
    expect(weights.title).toBeGreaterThan(weights.text);
    expect(dates[0]).toBe('field_edtf_date_created');
  });

  it('omits fields that a site has removed', () => {
    const removed = 'node_types: { islandora_object: { fields: { field_genre: null, field_subject: null } } }';
    expect(namesOf(removed)).not.toContain('genre');
    expect(parseUserModel(removed).search.columnOf.has('field_subject')).toBe(false);
  });
});

describe('the search of a site', () => {
  it('changes one weight, and replaces whole lists', () => {
    const { weights, facets, columnOf } = parseUserModel(
      search('weights: { title: 3 }, creator: [], facets: [{ name: kind, label: Kind, kind: bundle }]'),
    ).search;
    expect({ title: weights.title, identifier: weights.identifier }).toEqual({ title: 3, identifier: 8 });
    expect(facets).toEqual([{ name: 'kind', label: 'Kind', kind: 'bundle', fields: [] }]);
    expect(columnOf.has('field_linked_agent')).toBe(false);
  });

  it.each([
    [search('weights: { body: 1 }'), /weights.*unknown|unknown.*body/i],
    [search('weights: { title: -1 }'), /a number from 0 to 1000/],
    [search('subject: [field_subjct]'), /no field "field_subjct".*field_subject/],
    [search('subject: [field_genre], creator: [field_genre]'), /field_genre is already in search.subject/],
    [search('dates: [field_genre]'), /field_genre has no dates/],
    [facet('kind: colour'), /one of reference, agent/],
    [facet('kind: reference'), /needs a field/],
    [facet('kind: decade, field: field_genre'), /has no field/],
    [facet('kind: reference, field: field_gone'), /no field "field_gone"/],
    [facet('kind: reference, field: field_abstract'), /refers to no terms or nodes/],
    [facet('kind: agent, field: field_genre'), /has no roles/],
    [search('facets: [{ name: constructor, label: C, kind: bundle }]'), /the name constructor is reserved/],
    [search('facets: [{ name: q, label: Q, kind: bundle }]'), /"q" is a parameter/],
    [search('facets: [{ name: a, label: A, kind: bundle }, { name: a, label: B, kind: decade }]'), /another facet "a"/],
  ])('rejects %s', (text, message) => {
    expect(problemsOf(text).join('\n')).toMatch(message);
  });
});
