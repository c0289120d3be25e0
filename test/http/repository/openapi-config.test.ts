import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { bundlesOf } from '../../../src/model/bundles-of.ts';
import { type ApiDescription, describedApi } from '../../support/described-api.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
let api: ApiDescription;
beforeAll(async () => {
  repository = await createTestRepository();
  api = await describedApi(repository);
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

async function wrongIn(shape: string, path: string): Promise<unknown[]> {
  const response = await repository.get(path, 'admin');
  if (response.status !== 200) return [`${path}: ${response.status}`];
  return api.shapeErrors(shape, await response.json()).map((error) => `${path}: ${JSON.stringify(error)}`);
}

describe('the content model as it is looked up', () => {
  it.each(['node', 'media', 'taxonomy_term', 'user'])('is described for every field and form of a %s', async (type) => {
    const bundles = [...(bundlesOf(repository.running.services.model, type)?.values() ?? [])];
    const wrong: unknown[] = [];
    for (const { name, fields } of bundles.filter((bundle) => bundle.fields.length > 0)) {
      wrong.push(...(await wrongIn('FormDisplay', `/entity/entity_form_display/${type}.${name}.default`)));
      for (const field of fields) {
        wrong.push(...(await wrongIn('FieldConfig', `/entity/field_config/${type}.${name}.${field.name}`)));
        wrong.push(...(await wrongIn('FieldStorage', `/entity/field_storage_config/${type}.${field.name}`)));
      }
    }
    expect(wrong).toEqual([]);
  });

  it('is described for every bundle', async () => {
    const { nodeTypes, mediaTypes, vocabularies } = repository.running.services.model;
    const wrong: unknown[] = [];
    for (const name of nodeTypes.keys()) wrong.push(...(await wrongIn('NodeType', `/entity/node_type/${name}`)));
    for (const name of mediaTypes.keys()) wrong.push(...(await wrongIn('MediaType', `/entity/media_type/${name}`)));
    for (const name of vocabularies.keys())
      wrong.push(...(await wrongIn('Vocabulary', `/entity/taxonomy_vocabulary/${name}`)));
    expect(wrong).toEqual([]);
  });
});
