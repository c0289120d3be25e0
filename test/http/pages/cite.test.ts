import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { elementsOf } from '../../support/page.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
let id: number;
let secret: number;

beforeAll(async () => {
  repository = await createTestRepository();
  const term = async (vid: string, name: string, fields = {}) => {
    const body = { vid: [{ target_id: vid }], name: [{ value: name }], ...fields };
    const response = await repository.post('/taxonomy/term?_format=json', body, 'admin');
    return ((await response.json()) as EntityJson).tid[0].value as number;
  };
  secret = await term('person', 'Hidden, Person', { status: [{ value: false }] });
  const made = await repository.node({
    title: [{ value: 'القمر {100%} & <i>more</i>' }],
    field_edtf_date_issued: [{ value: '1929-05-12~' }],
    field_linked_agent: [
      { target_id: await term('person', 'Adams, Ansel'), rel_type: 'relators:pht' },
      { target_id: await term('corporate_body', 'Town Press & Co'), rel_type: 'relators:aut' },
      { target_id: secret, rel_type: 'relators:aut' },
    ],
    field_publisher: [{ value: 'Press\r\nER  - \r\nTY  - BOOK' }],
    field_isbn: [{ value: '978-3-16-148410-0' }],
  });
  id = made.nid[0].value;
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

describe('the citations on the page of a node', () => {
  it('are in three styles, with the permanent address as a link', async () => {
    const html = await (await repository.get(`/node/${id}`, undefined, { Accept: 'text/html' })).text();
    const names = elementsOf(html, '.citations dt').map(({ text }) => text.replace(/ Copy.*/s, ''));
    expect(names).toEqual(['APA', 'Chicago', 'MLA']);
    const [apa, , mla] = elementsOf(html, '.citations dd').map(({ text }) => text);
    expect(apa).toStartWith('Adams, A., & Town Press & Co. (ca. 1929). القمر {100%} & <i>more</i> [Image].');
    expect(mla).toContain('circa 12 May 1929');
    expect(elementsOf(html, '.citations a').map(({ attributes }) => attributes.href)).toEqual(
      Array.from({ length: 3 }, () => `${repository.url}/node/${id}`),
    );
    expect(elementsOf(html, '.citations cite bdi').map(({ text }) => text)).toContain('القمر {100%} & <i>more</i>');
    expect(html).not.toContain('Hidden, Person');
  });

  it('link to downloads for reference managers', async () => {
    const html = await (await repository.get(`/node/${id}`, undefined, { Accept: 'text/html' })).text();
    for (const { attributes } of elementsOf(html, '.reference-managers a')) {
      const response = await repository.get(attributes.href ?? '');
      expect(response.status).toBe(200);
      expect(response.headers.get('content-disposition')).toStartWith(`attachment; filename=node-${id}.`);
    }
  });
});

describe('the citation entry of a node', () => {
  const entry = async (style: string, as?: string) =>
    (await repository.get(`/node/${id}/cite?style=${style}`, as)).text();

  it('is valid, escaped BibTeX', async () => {
    const response = await repository.get(`/node/${id}/cite`);
    expect(response.headers.get('content-type')).toBe('application/x-bibtex; charset=utf-8');
    expect((await response.text()).split('\n')).toEqual([
      `@misc{node-${id},`,
      '  author = {Adams, Ansel and {Town Press \\& Co}},',
      '  title = {{القمر \\{100\\%\\} \\& <i>more</i>}},',
      '  year = {1929},',
      '  month = {5},',
      '  publisher = {Press ER - TY - BOOK},',
      '  isbn = {978-3-16-148410-0},',
      `  url = {${repository.url}/node/${id}},`,
      '  language = {en},',
      expect.stringMatching(/^ {2}howpublished = /),
      '}',
      '',
    ]);
  });

  it('is RIS in which values cannot add lines', async () => {
    const lines = (await entry('ris')).split('\r\n');
    expect(lines).toContainValues(['TY  - ART', 'AU  - Adams, Ansel', 'AU  - Town Press & Co', 'PY  - 1929']);
    expect(lines).toContain('DA  - 1929/05/12/');
    expect(lines).toContain('PB  - Press ER - TY - BOOK');
    expect(lines.filter((line) => /^(?:TY|ER) /.test(line))).toEqual(['TY  - ART', 'ER  - ']);
  });

  it('is CSL-JSON', async () => {
    const [item] = JSON.parse(await entry('csl-json')) as [EntityJson];
    expect(item).toMatchObject({
      type: 'graphic',
      title: 'القمر {100%} & <i>more</i>',
      author: [{ family: 'Adams', given: 'Ansel' }, { literal: 'Town Press & Co' }],
      issued: { 'date-parts': [[1929, 5, 12]], circa: true },
      ISBN: '978-3-16-148410-0',
    });
  });

  it('contains only what the caller may view', async () => {
    expect(await entry('bibtex')).not.toContain('Hidden');
    expect(await entry('bibtex', 'admin')).toContain('Hidden, Person');
    const hidden = await repository.node({ status: [{ value: false }] });
    const path = `/node/${hidden.nid[0].value}/cite`;
    expect((await repository.get(path)).status).toBe(401);
    expect((await repository.get(path, 'admin')).status).toBe(200);
    expect((await repository.get('/node/99999/cite')).status).toBe(404);
  });

  it('is rejected in an unknown style', async () => {
    const response = await repository.get(`/node/${id}/cite?style=harvard`);
    expect({ status: response.status, body: await response.json() }).toEqual({
      status: 400,
      body: { message: 'The query parameter "style" must be one of bibtex, ris, csl-json, found "harvard".' },
    });
  });

  it('returns 304 to a client that has it', async () => {
    const path = `/node/${id}/cite`;
    const etag = (await repository.get(path)).headers.get('etag') ?? '';
    expect((await repository.get(path, undefined, { 'If-None-Match': etag })).status).toBe(304);
  });
});
