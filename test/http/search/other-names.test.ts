import { afterAll, beforeAll, expect, it } from 'bun:test';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';
import { until } from '../../support/until.ts';

let repository: TestRepository;
beforeAll(async () => {
  repository = await createTestRepository();
});
afterAll(() => repository.stop());

async function term(fields: object): Promise<number> {
  const answer = (await (await repository.post('/taxonomy/term?_format=json', fields, 'admin')).json()) as EntityJson;
  return answer.tid[0].value as number;
}

async function titlesOf(text: string): Promise<string[]> {
  const response = await repository.get(`/search?_format=json&q=${encodeURIComponent(text)}`);
  return ((await response.json()) as { items: { title: string }[] }).items.map(({ title }) => title);
}

it.each([
  ['person', 'field_alternate_name', 'field_linked_agent', { rel_type: 'relators:aut' }, 'creator:'],
  ['corporate_body', 'field_corp_alt_name', 'field_linked_agent', { rel_type: 'relators:aut' }, 'creator:'],
  ['family', 'field_alternate_name', 'field_subjects_name', {}, 'subject:'],
  ['subject', 'field_alternate_name', 'field_subject', {}, 'subject:'],
  ['geo_location', 'field_geo_alt_name', 'field_geographic_subject', {}, 'subject:'],
  ['genre', 'field_alternate_name', 'field_genre', {}, 'subject:'],
])('a search finds items by the other names of a %s', async (vid, names, field, item, prefix) => {
  const other = `Qvist${vid.replaceAll('_', '')}`;
  const id = await term({
    vid,
    name: [{ value: `Name of ${vid}` }],
    [names]: [{ value: 'Ignored' }, { value: other }],
  });
  const title = `An item with a ${vid}`;
  await repository.node({ title: [{ value: title }], [field]: [{ target_id: id, ...item }] });
  expect(await titlesOf(`${prefix}${other}`)).toEqual([title]);
  const later = `Later${other}`;
  await repository.patch(`/taxonomy/term/${id}?_format=json`, { vid, [names]: [{ value: later }] }, 'admin');
  await until(async () => (await titlesOf(later)).length === 1);
  expect(await titlesOf(later)).toEqual([title]);
  expect(await titlesOf(other)).toEqual([]);
});

it('an unpublished term adds no other names to the index', async () => {
  const names = [{ value: 'Hiddennomen' }];
  const id = await term({
    vid: 'person',
    status: [{ value: false }],
    name: [{ value: 'Hidden' }],
    field_alternate_name: names,
  });
  const agent = [{ target_id: id, rel_type: 'relators:aut' }];
  await repository.node({ title: [{ value: 'By a hidden person' }], field_linked_agent: agent });
  expect(await titlesOf('Hiddennomen')).toEqual([]);
});
