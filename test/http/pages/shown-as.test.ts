import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { elementsOf } from '../../support/page.ts';
import { PNG } from '../../support/repository-routes.ts';
import { SiteBuilder } from '../../support/site-builder.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

const MODEL = `
node_types:
  islandora_object:
    fields:
      field_a_story: { label: The story, type: text_long, shown_as: description }
      field_shelf: { label: Shelf, type: string, shown_as: none }
      field_extent: { shown_as: none }
      field_weight: { shown_as: row }
      field_edition: { label: Edition Statement, type: string }
`;

let repository: TestRepository;
let node: number;
beforeAll(async () => {
  repository = await createTestRepository({}, { model: MODEL });
  const build = new SiteBuilder(repository);
  node = await build.node('image', 'A view', {
    ...{ field_a_story: ['It rained.'], field_description: ['A street.'] },
    ...{ field_shelf: ['B 12'], field_extent: ['1 print'], field_weight: [7], field_edition: ['2nd'] },
  });
  await build.upload(node, { use: 'original', media: 'image', mimeType: 'image/png', name: 'a.png', bytes: PNG });
});
afterAll(async () => {
  await repository.stop();
});

describe('a field with a configured display', () => {
  it('is a description, a row, or hidden on the page of an item', async () => {
    const html = await (await repository.get(`/node/${node}`, undefined, { Accept: 'text/html' })).text();
    expect(elementsOf(html, '.description h2').map(({ text }) => text)).toEqual(['Description', 'The story']);
    expect(elementsOf(html, '.fields dt').map(({ text }) => text)).toEqual(['Edition', 'Position']);
  });

  it('is the summary, metadata, or omitted in a manifest', async () => {
    const manifest = (await (await repository.get(`/node/${node}/manifest`)).json()) as {
      summary: object;
      metadata: { label: { en: string[] } }[];
    };
    expect(manifest.summary).toEqual({ en: ['A street.'] });
    expect(manifest.metadata.map(({ label }) => label.en[0])).toEqual([...['Model', 'Edition', 'Position']]);
  });
});
