import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { XMLParser } from 'fast-xml-parser';
import { harvest, identifier, metadata, oai } from '../../support/oai.ts';
import { SiteBuilder } from '../../support/site-builder.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

const MODEL = `
node_types:
  thesis:
    label: Thesis
    fields:
      field_degree: { label: Degree, type: string }
      field_advisor: { label: Advisor, type: string, cardinality: unlimited }
rdf:
  prefixes: { bibo: "http://purl.org/ontology/bibo/" }
  bundles:
    node.thesis: { types: ["bibo:Thesis"], fields: { title: dcterms:title, field_degree: "bibo:degree", nid: { predicates: dcterms:identifier, callback: node_url } } }
harvest:
  node_types: [islandora_object, thesis]
  formats:
    datacite: null
    oai_dc: { elements: { field_note: [], "bibo:degree": { dc:type: "Thesis ({value})" } } }
    short:
      element: record
      namespace: https://example.org/short
      schema: https://example.org/short.xsd
      attributes: { version: "1" }
      merged: [advisors]
      elements:
        dcterms:title: title
        field_advisor: { advisors: { name: "{value}" } }
      defaults: { advisors: { name: none } }
`;

let repository: TestRepository;
let build: SiteBuilder;

beforeAll(async () => {
  repository = await createTestRepository({}, { model: MODEL });
  build = new SiteBuilder(repository);
});
afterAll(() => repository.stop());

const thesis = async (title: string, fields = {}) =>
  (await build.make('/node', { type: 'thesis', title: [title], ...fields })).nid[0].value as number;

describe('formats of a site', () => {
  it('are listed without removed ones', async () => {
    const { verb } = await oai(repository, { verb: 'ListMetadataFormats' });
    const shown = verb.metadataFormat.map((each: Record<string, string>) => [each.metadataPrefix, each.schema]);
    expect(shown).toEqual([
      ['oai_dc', expect.any(String)],
      ['mods', expect.any(String)],
      ['short', 'https://example.org/short.xsd'],
    ]);
    const removed = { verb: 'GetRecord', identifier: identifier(1), metadataPrefix: 'datacite' };
    await thesis('First');
    expect((await oai(repository, removed)).error).toBe('cannotDisseminateFormat');
  });

  it('contain records of other node types, with predicates and fields of the site', async () => {
    const node = await thesis('On <tides>', { field_degree: ['MA'], field_advisor: ['A & B', 'C'] });
    const dublinCore = await metadata(repository, node);
    expect(dublinCore).toMatchObject({ 'dc:title': 'On <tides>', 'dc:type': 'Thesis (MA)' });
    const response = await repository.get(
      `/oai/request?verb=GetRecord&metadataPrefix=short&identifier=${identifier(node)}`,
    );
    const { record } = new XMLParser({ ignoreAttributes: false }).parse(await response.text())['OAI-PMH'].GetRecord
      .record.metadata;
    expect(record).toMatchObject({
      '@_xmlns': 'https://example.org/short',
      '@_version': '1',
      '@_xsi:schemaLocation': 'https://example.org/short https://example.org/short.xsd',
      title: 'On <tides>',
      advisors: { name: ['A & B', 'C'] },
    });
  });

  it('omit fields that the site excludes', async () => {
    const node = await build.node('image', 'With a note', {
      field_note: [{ value: 'internal', format: 'plain_text' }],
    });
    expect((await metadata(repository, node))['dc:description']).toBeUndefined();
    expect((await metadata(repository, node, 'mods')).note).toBe('internal');
  });
});

describe('a list of large records', () => {
  it('has fewer records in each part', async () => {
    const LONG = 'x'.repeat(1_500_000);
    const from = new Date().toISOString().slice(0, 10);
    const before = (await harvest(repository, { verb: 'ListIdentifiers', metadataPrefix: 'mods', from })).length;
    expect(before).toBe(1);
    for (const title of ['One', 'Two', 'Three', 'Four'])
      await build.node('document', title, { field_description: [LONG] });
    const parts = await harvest(repository, { verb: 'ListRecords', metadataPrefix: 'mods', from });
    expect(parts.length).toBeGreaterThan(1);
    for (const { text } of parts) expect(text.length).toBeLessThan(5_000_000);
    const titles = parts
      .map(({ text }) => text)
      .join('')
      .match(/<title>(One|Two|Three|Four)<\/title>/g);
    expect(titles).toHaveLength(4);
  });
});
