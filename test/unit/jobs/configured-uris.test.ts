import { describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import { configuredUris, loadDerivativeRules } from '../../../src/jobs/load-rules.ts';
import { loadTestModel } from '../../support/content-model.ts';
import { emptyFolder } from '../../support/empty-folder.ts';

async function urisOf(modelText?: string, rulesText?: string): Promise<ReadonlySet<string>> {
  const folder = await emptyFolder();
  const file = async (name: string, text: string | undefined) => {
    if (text === undefined) return undefined;
    await Bun.write(join(folder, name), text);
    return join(folder, name);
  };
  const model = await loadTestModel(await file('model.yaml', modelText));
  const derivatives = { rulesFile: await file('rules.yaml', rulesText) };
  const schemes = ['public', 'private', 'fedora'].map((name) => ({ name }));
  return configuredUris(model, await loadDerivativeRules({ derivatives, schemes }, model));
}

describe('the configured URIs', () => {
  it('include models, media uses, displays and derivative rules', async () => {
    const uris = await urisOf();
    for (const uri of [
      'http://purl.org/coar/resource_type/c_c513',
      'http://purl.org/dc/dcmitype/Collection',
      'http://pcdm.org/use#OriginalFile',
      'http://pcdm.org/use#Transcript',
      'https://schema.org/PublicationIssue',
      'http://openseadragon.github.io',
    ])
      expect({ uri, isKnown: uris.has(uri) }).toEqual({ uri, isKnown: true });
    expect(uris.has('http://id.loc.gov/vocabulary/resourceTypes/txt')).toBe(false);
    expect(uris.size).toBe(11 + 10 + 3);
  });

  it("include a site's own rules, Signposting and terms", async () => {
    const uris = await urisOf(
      `
terms:
  islandora_models: { terms: [{ name: Map, uri: "https://example.org/map" }] }
signposting:
  node.islandora_object: { item: ["https://example.org/use#shown"] }
`,
      `
contexts:
  own:
    label: Own
    conditions:
      - { condition: parent_node_has_term, uri: ["https://example.org/a", "https://example.org/b"], logic: or }
      - { condition: media_has_mimetype, mimetypes: image/png }
    actions: [generate_a_technical_metadata_derivative]
actions:
  generate_a_technical_metadata_derivative: { derivative_term: "https://example.org/use#metadata" }
`,
    );
    const own = [...uris].filter((uri) => uri.startsWith('https://example.org/')).sort();
    expect(own).toEqual([
      'https://example.org/a',
      'https://example.org/b',
      'https://example.org/map',
      'https://example.org/use#metadata',
      'https://example.org/use#shown',
    ]);
    // No term of the model is left that has it, and no rule names it.
    expect(uris.has('http://purl.org/dc/dcmitype/Collection')).toBe(false);
    expect([...uris].some((uri) => uri.includes('image/png'))).toBe(false);
  });
});
