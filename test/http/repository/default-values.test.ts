import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

/** A term of the default model. */
const TERM = 1;
const UUID = '01900000-0000-7000-8000-000000000001';
const MODEL = `
roles:
  writer: { label: Writer, permissions: [access content, create shown content] }
node_types:
  record:
    label: Record
    fields:
      field_moment: { label: Moment, type: timestamp, default_value: [{ value: '2019-03-14T21:05:24+02:00' }] }
      field_term: { label: Term, type: entity_reference, target_type: taxonomy_term, cardinality: unlimited, default_value: [{ target_id: ${TERM} }, { target_uuid: ${UUID} }] }
      field_type: { label: Type, type: config_reference, target_type: node_type, default_value: [{ target_id: page }] }
  shown:
    label: Shown
    fields:
      field_node: { label: Node, type: entity_reference, target_type: node, required: true, default_value: [{ target_id: 1 }] }
      field_empty: { label: Empty, type: string, default_value: [{ value: '' }] }
  strict:
    label: Strict
    fields:
      field_term: { label: Term, type: entity_reference, target_type: taxonomy_term, cardinality: unlimited, required: true, default_value: [{ target_uuid: ${UUID} }] }
`;

let repository: TestRepository;
beforeAll(async () => {
  repository = await createTestRepository({}, { model: MODEL });
  await repository.user('writer', 'writer');
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const post = (type: string) => repository.post('/node?_format=json', { type, title: ['x'] }, 'admin');
const json = async (response: Response) => (await response.json()) as EntityJson;

describe('the default of a field that was not sent', () => {
  it('applies even if its target is hidden, without empty items', async () => {
    const hidden = await json(
      await repository.post('/node?_format=json', { type: 'page', title: ['x'], status: [false] }, 'admin'),
    );
    expect(hidden.nid[0].value).toBe(1);
    expect((await repository.get('/node/1?_format=json', 'writer')).status).toBe(403);
    const made = await repository.post('/node?_format=json', { type: 'shown', title: ['x'] }, 'writer');
    expect(made.status).toBe(201);
    expect(await json(made)).toMatchObject({ field_node: [{ target_id: 1, url: '/node/1' }], field_empty: [] });
  });

  it('is normalized like a sent value: dates and references', async () => {
    const made = await json(await post('record'));
    expect(made).toMatchObject({
      field_moment: [{ value: '2019-03-14T19:05:24+00:00', format: 'Y-m-d\\TH:i:sP' }],
      field_term: [
        {
          target_id: TERM,
          target_type: 'taxonomy_term',
          target_uuid: expect.any(String),
          url: `/taxonomy/term/${TERM}`,
        },
      ],
      field_type: [{ target_id: 'page', target_type: 'node_type', target_uuid: expect.any(String) }],
    });
    expect(await json(await repository.get(`/node/${made.nid[0].value}?_format=json`, 'admin'))).toEqual(made);
  });

  it('is omitted if its target does not exist, even in a required field', async () => {
    const refused = await post('strict');
    expect(refused.status).toBe(422);
    expect((await json(refused)).message).toBe(
      'Unprocessable Entity: validation failed.\nfield_term: This value should not be null.\n',
    );
  });

  it('allows writes after its target was deleted', async () => {
    expect((await repository.delete(`/taxonomy/term/${TERM}`, 'admin')).status).toBe(204);
    const made = await post('record');
    expect(made.status).toBe(201);
    expect((await json(made)).field_term).toEqual([]);
  });
});
