import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

const SUBJECTS = '/entity/completions/node/islandora_object/field_subject';
let repository: TestRepository;

beforeAll(async () => {
  repository = await createTestRepository();
  await repository.user('jane', 'repository_editor');
  await repository.user('reader');
  for (const name of ['Boats', 'Boat houses', 'Rowing boats', 'ÄGYPTEN', '100 %', 'A_b'])
    await repository.post('/taxonomy/term?_format=json', { vid: 'subject', name: [{ value: name }] }, 'admin');
});
afterAll(() => repository.stop());

interface Answer {
  readonly completions: readonly { readonly text: string; readonly bundle: string }[];
  readonly vocabularies: readonly { readonly name: string; readonly noun: string }[];
}
const complete = async (text: string, as = 'jane', path = SUBJECTS) =>
  (await (await repository.get(`${path}?q=${encodeURIComponent(text)}`, as)).json()) as Answer & EntityJson;
const names = async (text: string) =>
  (await complete(text)).completions.map((each) => each.text.replace(/ \(\d+\)$/, ''));

describe('the completions of a reference', () => {
  it.each([
    ['boat', ['Boat houses', 'Boats', 'Rowing boats']],
    ['  BOATS ', ['Boats', 'Rowing boats']],
    ['ing boats', ['Rowing boats']],
    ['ägypt', ['ÄGYPTEN']],
    ['%', ['100 %']],
    ['_b', ['A_b']],
    ['nothing of this name', []],
  ])('for "%s" begin with names that start with it, followed by names that contain it', async (text, found) => {
    expect(await names(text)).toEqual(found);
  });

  it('of a title begin with its beginning, followed by that of a later word', async () => {
    for (const title of ['Prints by Käthe Kollwitz', 'Kollwitz, a life', 'L’Étranger'])
      await repository.node({ title: [{ value: title }] });
    const of = async (text: string) =>
      (await complete(text, 'jane', SUBJECTS.replace('field_subject', 'field_member_of'))).completions.map((each) =>
        each.text.replace(/ \(\d+\)$/, ''),
      );
    expect(await of('kollw')).toEqual(['Kollwitz, a life', 'Prints by Käthe Kollwitz']);
    expect(await of('kathe koll')).toEqual(['Prints by Käthe Kollwitz']);
    expect(await of('etr')).toEqual(['L’Étranger']);
    expect(await of('ollwitz')).toEqual([]);
  });

  it('name each vocabulary, and those in which the caller may create a term', async () => {
    const { completions, vocabularies } = await complete('rowing');
    expect(completions[0]).toMatchObject({ bundle: 'Subject', noun: 'topic' } as object);
    expect(vocabularies).toEqual([{ name: 'subject', noun: 'topic' }]);
    expect((await complete('rowing', 'reader')).vocabularies).toEqual([]);
  });

  it('require a signed-in user, and an existing field', async () => {
    expect((await repository.get(`${SUBJECTS}?q=a`)).status).toBe(401);
    expect((await repository.get(SUBJECTS.replace('field_subject', 'field_gone'), 'jane')).status).toBe(404);
  });
});
