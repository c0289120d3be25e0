import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { metadata } from '../../support/oai.ts';
import { elementsOf } from '../../support/page.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
beforeAll(async () => {
  repository = await createTestRepository();
});
afterAll(() => repository.stop());

/** A date of DataCite and what is said about it, the date for reference managers, and that of schema.org. */
type Expected = [edtf: string, datacite: string, information: string, highwire: string, schema: string | undefined];

const YEAR = String(new Date().getUTCFullYear());
const DATES: Expected[] = [
  ['1908-05-12', '1908-05-12', '', '1908/05/12', '1908-05-12'],
  ['1964/2008', '1964/2008', '', 'between 1964 and 2008', '1964/2008'],
  ['/1960', '/1960', '', 'until 1960', undefined],
  ['[..1984]', '/1984', '1984 or earlier', '1984 or earlier', undefined],
  ['1910~', '1910', 'about 1910', 'about 1910', undefined],
  ['{1960,1961-12}', '1960/1961-12', '1960 and December 1961', '1960 and December 1961', undefined],
  ['192X', '1920/1929', '1920s', '1920s', undefined],
  ['-19XX', '-1999/-1900', '20th century BCE', '20th century BCE', undefined],
  ['Y10000', '10000', '10,000', '10,000', undefined],
  ['XXXX', '', '', '', undefined],
  ['XXXX-12-25', '', '', '', undefined],
  ['[XXXX,1960]', '/1960', 'unknown or 1960', 'unknown or 1960', undefined],
];

describe.each(DATES)('the date %s', (edtf, datacite, information, highwire, schema) => {
  it('is exported with both ends and what qualifies it', async () => {
    const { nid } = await repository.node({ field_edtf_date_issued: [{ value: edtf }] });
    const id = nid[0].value;
    expect((await metadata(repository, id))['dc:date']).toBe(edtf);

    const record = await metadata(repository, id, 'datacite');
    const { '#text': text = '', '@dateInformation': note = '' } = record.dates?.date ?? {};
    expect({ text, note }).toEqual({ text: datacite, note: information });
    expect(record.publicationYear).toMatch(/^\d{4}$/);
    if (datacite === '') expect(record.publicationYear).toBe(YEAR);

    const html = await (await repository.get(`/node/${id}?_format=html`)).text();
    const contents = (name: string) =>
      elementsOf(html, `meta[name="${name}"]`).map(({ attributes }) => attributes.content);
    expect(contents('citation_publication_date').join()).toBe(highwire);
    expect(contents('DCTERMS.issued')).toEqual([edtf]);
    const [, graph = ''] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(html) ?? [];
    expect(JSON.parse(graph).datePublished).toBe(schema);
  });
});

it('finds no decade for an item in an unknown year', async () => {
  await repository.node({ title: ['Nothing certain'], field_edtf_date_issued: [{ value: 'XXXX-12-25' }] });
  const result = await (await repository.get('/search?_format=json&q=%22Nothing+certain%22')).json();
  expect(result.total).toBe(1);
  expect(result).not.toHaveProperty('decades');
});
