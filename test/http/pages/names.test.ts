import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import {
  ADD_ITEM,
  errorsOf,
  type FormBrowser,
  type OpenPage,
  openFormSite,
  signedIn,
} from '../../support/form-call.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

const AGENTS = '/entity/completions/node/islandora_object/field_linked_agent';
const NAME = 'field_linked_agent.0.target_id';
const ROLE = 'field_linked_agent.0.rel_type';
const MODEL = 'field_model.0.target_id';
const SAVE = { button: ['do', 'view'] } as const;

let repository: TestRepository;
let jane: FormBrowser;
let image: string;
beforeAll(async () => {
  ({ repository, jane, image } = await openFormSite());
  await repository.user('reader');
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

interface Completion {
  readonly id: number;
  readonly text: string;
  readonly noun: string;
  readonly years: string;
  readonly items: number | null;
}
interface Answer {
  readonly completions: readonly Completion[];
  readonly vocabularies: readonly { readonly name: string; readonly noun: string }[];
}
const complete = async (text: string, as = 'jane', path = AGENTS) =>
  (await (await repository.get(`${path}?q=${encodeURIComponent(text)}`, as)).json()) as Answer;
async function person(name: string, more: object): Promise<number> {
  const body = { vid: 'person', name: [{ value: name }], ...more };
  const answer = await repository.post('/taxonomy/term?_format=json', body, 'admin');
  return ((await answer.json()) as EntityJson).tid[0].value;
}
const create = (vocabulary: string, name: string, as = 'jane') =>
  repository.post(`/entity/named_term/${vocabulary}`, { name }, as);
const values = (name: string) => ({ 'title.0.value': 'Ferry', [MODEL]: image, [ROLE]: 'relators:pht', [NAME]: name });
const send = async (name: string, button: readonly [string, string] = SAVE.button) =>
  (await jane.open(ADD_ITEM)).submit(values(name), { button });
const buttons = (page: OpenPage) => page.elements('.new-terms button').map(({ text }) => text);
const termsNamed = async (name: string) =>
  (await complete(name)).completions.filter(({ text }) => text.startsWith(`${name} (`));

describe('the completions of a name', () => {
  it('tell equal names apart by their dates and their numbers of published items', async () => {
    const older = await person('Smith, John', {
      field_cat_date_begin: [{ value: '1850-03' }],
      field_cat_date_end: [{ value: '1910' }],
    });
    const younger = await person('Smith, John', { field_cat_date_begin: [{ value: '1931' }] });
    const agent = { target_id: older, rel_type: 'relators:pht' };
    await repository.node({ field_linked_agent: [agent, { ...agent, rel_type: 'relators:aut' }] });
    await repository.node({ field_linked_agent: [agent], status: [{ value: false }] });
    expect((await complete('smith')).completions).toMatchObject([
      { id: older, noun: 'person', years: '1850–1910', items: 1 },
      { id: younger, noun: 'person', years: '1931–', items: 0 },
    ] as object[]);
  });

  it('offer the vocabularies of the field in which the caller may create a term', async () => {
    expect((await complete('x')).vocabularies).toEqual([
      { name: 'corporate_body', noun: 'organization' },
      { name: 'family', noun: 'family' },
      { name: 'person', noun: 'person' },
    ]);
    expect((await complete('x', 'reader')).vocabularies).toEqual([]);
  });

  it('count the items of titles not at all', async () => {
    await repository.node({ title: [{ value: 'Harbour albums' }] });
    const path = AGENTS.replace('field_linked_agent', 'field_member_of');
    const { completions, vocabularies } = await complete('harbour alb', 'jane', path);
    expect(completions).toMatchObject([{ noun: 'Repository Item', years: '', items: null }] as object[]);
    expect(vocabularies).toEqual([]);
  });
});

describe('a term that is created by its name', () => {
  it('exists once, however many callers create it at the same moment', async () => {
    const answers = await Promise.all(['Doe, Jane', 'Doe, Jane', 'DOE, JANE'].map((name) => create('person', name)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 201]);
    const ids = await Promise.all(answers.map(async (answer) => ((await answer.json()) as { id: number }).id));
    expect(new Set(ids).size).toBe(1);
    expect(await termsNamed('Doe, Jane')).toHaveLength(1);
  });

  it('is in the vocabulary that the caller names, and keeps markup as text', async () => {
    const answer = await create('corporate_body', ' <b>Harbour</b> & Co ');
    const { id, text } = (await answer.json()) as { id: number; text: string };
    expect(text).toBe(`<b>Harbour</b> & Co (${id})`);
    const term = (await (await repository.get(`/taxonomy/term/${id}?_format=json`)).json()) as EntityJson;
    expect(term).toMatchObject({
      name: [{ value: '<b>Harbour</b> & Co' }],
      vid: [{ target_id: 'corporate_body' }],
    } as object);
  });

  it.each([
    ['person', 'x'.repeat(300), 'jane', 422],
    ['person', ' ', 'jane', 422],
    ['person', 'Roe, Richard', 'reader', 403],
    ['no_vocabulary', 'Roe, Richard', 'jane', 404],
  ])('in %s is refused if it cannot be one', async (vocabulary, name, as, status) => {
    expect((await create(vocabulary, name, as)).status).toBe(status);
    expect((await complete('roe, ri')).completions).toEqual([]);
  });
});

describe('a form without script', () => {
  it('asks in which vocabulary a new name belongs, keeps the form, and creates the term', async () => {
    const asked = await send('Boyle, Margaret');
    expect(asked.status).toBe(422);
    expect(errorsOf(asked)).toEqual([
      'Contributors: Nothing is called "Boyle, Margaret". Choose another name, or create it.',
    ]);
    expect(buttons(asked)).toEqual([
      'Create “Boyle, Margaret” as an organization',
      'Create “Boyle, Margaret” as a family',
      'Create “Boyle, Margaret” as a person',
    ]);
    const filled = await asked.submit({}, { button: ['do', 'create field_linked_agent 0 person'] });
    expect({ status: filled.status, errors: errorsOf(filled) }).toEqual({ status: 200, errors: [] });
    const [term] = await termsNamed('Boyle, Margaret');
    expect(term?.noun).toBe('person');
    expect(Object.fromEntries(filled.fields())).toMatchObject({ ...values(`Boyle, Margaret (${term?.id})`) });
    expect((await filled.submit({}, SAVE)).status).toBe(303);
  });

  it('keeps the choices for the other new names', async () => {
    const form = await (await jane.open(ADD_ITEM)).submit(
      { ...values('Aalto, Aino'), 'field_subject.0.target_id': 'Sailmaking' },
      SAVE,
    );
    const filled = await form.submit({}, { button: ['do', 'create field_subject 0 subject'] });
    expect(buttons(filled).map((text) => text.split('“')[1])).toEqual(
      ['an organization', 'a family', 'a person'].map((noun) => `Aalto, Aino” as ${noun}`),
    );
  });

  it('shows equal names with their dates', async () => {
    const [first, second] = (await complete('smith')).completions;
    expect(errorsOf(await send('smith, john'))).toEqual([
      `Contributors: 2 entries are called "smith, john". Write one of: ${first?.text}, 1850–1910, 1 item; ${second?.text}, 1931–, 0 items.`,
    ]);
  });

  it('takes the term that somebody else has created meanwhile', async () => {
    const asked = await send('Roebling, Emily');
    const { id } = (await (await create('person', 'Roebling, Emily')).json()) as { id: number };
    const filled = await asked.submit({}, { button: ['do', 'create field_linked_agent 0 person'] });
    expect(filled.fields().get(NAME)).toBe(`Roebling, Emily (${id})`);
    expect(await termsNamed('Roebling, Emily')).toHaveLength(1);
  });

  it('shows markup in a name as it was typed', async () => {
    const asked = await send('<img src=x onerror=alert(1)>');
    expect(asked.html).not.toContain('<img src=x');
    expect(buttons(asked)[2]).toContain('as a person');
    expect(asked.fields().get(NAME)).toBe('<img src=x onerror=alert(1)>');
  });

  it('offers nothing for a name that is too long, and loses nothing', async () => {
    const long = 'x'.repeat(300);
    const asked = await send(long);
    expect(errorsOf(asked)).toEqual(['Contributors: The name may not be longer than 255 characters.']);
    expect(buttons(asked)).toEqual([]);
    const again = await asked.submit({}, { button: ['do', 'create field_linked_agent 0 person'] });
    expect([again.status, again.fields().get(NAME), again.fields().get('title.0.value')]).toEqual([200, long, 'Ferry']);
  });

  it('creates nothing in a vocabulary that the field does not have', async () => {
    const asked = await send('Roe, Jo', ['do', 'create field_linked_agent 0 subject']);
    expect([asked.status, asked.fields().get(NAME)]).toEqual([200, 'Roe, Jo']);
    expect(
      (await complete('roe, jo', 'jane', AGENTS.replace('field_linked_agent', 'field_subject'))).completions,
    ).toEqual([]);
  });

  it('begins the roles with the most frequent ones', async () => {
    const form = await jane.open(ADD_ITEM);
    const groups = form.html.match(/<optgroup label="Used most">(.*?)<\/optgroup>/s)?.[1] ?? '';
    const labels = [...groups.matchAll(/<option[^>]*>([^<]*)</g)].map(([, label]) => label);
    expect(labels.slice(0, 2)).toEqual(['Photographer', 'Author']);
    expect(labels).toHaveLength(8);
  });
});

describe('a form of a caller who may not create terms', () => {
  const model = `
roles:
  describer:
    label: Describer
    permissions: [access content, create islandora_object content, view media]
`;

  it('says so and offers nothing', async () => {
    const site = await createTestRepository({}, { model });
    await site.user('joe', 'describer');
    const joe = await signedIn(site, 'joe');
    const asked = await (await joe.open(ADD_ITEM)).submit(values('Roe, Jo'), SAVE);
    expect(errorsOf(asked)).toEqual([
      'Contributors: Nothing is called "Roe, Jo". You may not create names here: choose one that exists.',
    ]);
    expect(buttons(asked)).toEqual([]);
    const pressed = await asked.submit({}, { button: ['do', 'create field_linked_agent 0 person'] });
    expect(pressed.fields().get(NAME)).toBe('Roe, Jo');
    await site.stop();
  });
});
