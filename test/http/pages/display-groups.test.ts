import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { detail, elementsOf } from '../../support/page.ts';
import { PNG } from '../../support/repository-routes.ts';
import { SiteBuilder } from '../../support/site-builder.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

const MODEL = `
node_types:
  islandora_object:
    fields:
      field_shelf: { label: Shelf, type: string }
      field_depth: { label: Depth, type: string }
    display:
      groups:
        archive: { label: In the archive, fields: [field_shelf, field_local_identifier], panel: true }
      labels: { field_subject: Themes }
`;

let repository: TestRepository;
let node: number;
let html: string;
beforeAll(async () => {
  repository = await createTestRepository({}, { model: MODEL });
  const build = new SiteBuilder(repository);
  node = await build.node('image', 'A view', {
    field_identifier: ['A 1'],
    field_local_identifier: ['L 1'],
    field_shelf: ['B 12'],
    field_depth: ['2 m'],
    field_rights: ['http://rightsstatements.org/vocab/InC/1.0/'],
    field_extent: ['1 print'],
    field_note: ['Dated by the ferry.'],
    field_edtf_date_created: ['1929'],
    field_subject: [{ target_id: await build.term('subject', 'Harbours') }],
    field_linked_agent: [{ target_id: await build.term('person', 'Boyle, M.'), rel_type: 'relators:pht' }],
    field_table_of_contents: ['One. Two.'],
    field_description: ['A street.'],
  });
  await build.upload(node, { use: 'original', media: 'image', mimeType: 'image/png', name: 'a.png', bytes: PNG });
  html = await (await repository.get(`/node/${node}`, undefined, { Accept: 'text/html' })).text();
});
afterAll(() => repository.stop());

const texts = (selector: string) => elementsOf(html, selector).map(({ text }) => text);

describe('the page of an item', () => {
  it('begins with descriptions and names, and ends with identifiers and fields outside of groups', () => {
    expect(texts('.description h2')).toEqual(['Description']);
    expect(texts('.record h3')).toEqual([
      ...['Description', 'Names', 'Dates', 'Subjects', 'Physical form', 'Notes', 'Identifiers', 'More'],
    ]);
    expect(texts('.record dt')).toEqual([
      ...['Contents', 'Contributors', 'Date created', 'Themes', 'Extent', 'Notes', 'Identifier', 'Depth'],
    ]);
  });

  it('names a field once that is alone in its group', () => {
    expect(texts('.record dt.unseen')).toEqual(['Notes']);
    expect(detail(html, 'Notes')).toEqual(['Dated by the ferry.']);
  });

  it('shows the rights and the panels of the model beside the details', () => {
    expect(texts('.field-panel h2')).toEqual(['Rights', 'In the archive']);
    expect(detail(html, 'Rights')).toEqual(['In Copyright']);
    expect(texts('.field-panel dt:not(.unseen)')).toEqual(['Shelf', 'Local identifier']);
  });

  it('shows the fields of panels among the details of a revision', async () => {
    const { vid } = (await (await repository.get(`/node/${node}?_format=json`, 'admin')).json()) as EntityJson;
    const path = `/node/${node}/revisions/${vid[0].value}/view`;
    const revision = await (await repository.get(path, 'admin', { Accept: 'text/html' })).text();
    expect(detail(revision, 'Rights')).toEqual(['In Copyright']);
    expect(detail(revision, 'Shelf')).toEqual(['B 12']);
  });

  it('shows one citation, and the others one click away', () => {
    expect(texts('.cite > .citations dd')).toHaveLength(1);
    expect(texts('.cite > details dd')).toHaveLength(2);
    expect(texts('.cite > details .reference-managers a')).toEqual(['BibTeX', 'RIS', 'CSL-JSON']);
  });

  it('leaves the labels that clients read as they are', async () => {
    const label = async (field: string) => {
      const path = `/entity/field_config/node.islandora_object.${field}?_format=json`;
      return ((await (await repository.get(path, 'admin')).json()) as EntityJson).label;
    };
    expect(await label('field_subject')).toBe('Subject (Topical)');
    expect(await label('field_member_of')).toBe('Member of');
  });

  it('has the same words and order in its manifest', async () => {
    const manifest = (await (await repository.get(`/node/${node}/manifest`)).json()) as EntityJson;
    const labels = (manifest.metadata ?? []).map(({ label }: { label: { en: string[] } }) => label.en[0]);
    expect(labels.slice(0, 3)).toEqual(['Contents', 'Contributors', 'Model']);
    expect(labels.at(-1)).toBe('Depth');
  });
});
