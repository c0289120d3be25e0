import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createReader } from '../../support/linked-data.ts';
import { contentPage, detail, elementsOf, pageSource } from '../../support/page.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
beforeAll(async () => {
  repository = await createTestRepository();
});
afterAll(() => repository.stop());

async function pageOf(id: number): Promise<string> {
  const reader = createReader(repository.running.services);
  const content = await reader.find('taxonomy_term', id);
  return contentPage(content, await reader.around(content), [], pageSource(repository.running.services.model));
}

describe('the page of a term', () => {
  it('shows vocabulary, description, fields and the address in an authority file', async () => {
    const html = await pageOf(
      await repository.build.term('person', 'Ansel "Easton" Adams', {
        description: [{ value: 'A <em>photographer</em>', format: 'basic_html' }],
        field_authority_link: [{ uri: 'http://id.loc.gov/authorities/names/n79056546', title: 'Adams', source: 'naf' }],
        field_cat_date_begin: [{ value: '1902-02-20' }],
      }),
    );
    expect(elementsOf(html, '.kind')[0]?.text).toBe('Person');
    expect(elementsOf(html, 'h1')[0]?.text).toBe('Ansel "Easton" Adams');
    expect(elementsOf(html, '.description em').map(({ text }) => text)).toEqual(['photographer']);
    expect(elementsOf(html, '.fields dt').map(({ text }) => text)).toEqual(['Authority Sources', 'Birth Date']);
    expect(detail(html, 'Authority Sources')).toEqual(['Adams (NACO Authority File)']);
    expect(elementsOf(html, '.fields time')[0]?.attributes.datetime).toBe('1902-02-20');
  });

  it('links to its parent term', async () => {
    const parent = await repository.build.term('genre', 'Pictures');
    const html = await pageOf(await repository.build.term('genre', 'Photographs', { parent: [{ target_id: parent }] }));
    expect(detail(html, 'Broader term')).toEqual(['Pictures']);
    expect(elementsOf(html, '.fields a')[0]?.attributes.href).toBe(`/taxonomy/term/${parent}`);
  });

  it('is complete with only a name', async () => {
    const html = await pageOf(await repository.build.term('genre', 'Alone'));
    expect(elementsOf(html, 'h1')[0]?.text).toBe('Alone');
    expect(elementsOf(html, 'h2, .fields').map(({ text }) => text)).toEqual(['Items']);
    expect(elementsOf(html, '.empty').map(({ text }) => text)).toEqual(['No item refers to this term yet.']);
  });
});
