import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { ADD_ITEM, type FormBrowser, openFormSite } from '../../support/form-call.ts';
import type { TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
let jane: FormBrowser;
let image: string;

beforeAll(async () => {
  ({ repository, jane, image } = await openFormSite());
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const item = async (fields: object = {}): Promise<number> =>
  (await repository.build.item({ title: ['Letters'], ...fields })).nid[0].value;
const ruleOf = async (id: number) =>
  ((await (await repository.get(`/node/${id}?_format=json`, 'admin')).json()) as { access_rule?: object[] })
    .access_rule;
const rule = (member: string) => `access_rule.0.${member}`;

describe('the access rule in the form of an item', () => {
  it('is a choice in words, in the group of the rights', async () => {
    const first = await jane.open(ADD_ITEM);
    const form = await first.submit({}, { button: ['do', 'open access_rule'] });
    const choices = form
      .elements(`[data-group=rights] select[name="${rule('preset')}"] option`)
      .map(({ text }) => text);
    expect(choices).toEqual([
      'No rule of its own',
      ...['Open', 'Only description', 'Campus only', 'Embargo until a day', 'Closed'],
    ]);
    expect(form.elements('details.fold summary').map(({ text }) => text)).toEqual([
      'Reason and contact',
      'More: dates, who is let in, and which files stay open',
    ]);
  });

  it('closes a new item without JavaScript', async () => {
    const form = await jane.open(ADD_ITEM);
    const saved = await form.submit({
      'title.0.value': 'Thesis',
      'field_model.0.target_id': image,
      [rule('preset')]: 'embargo',
      [rule('until')]: '2999-05-01',
      [rule('contact')]: 'archive@example.org',
      [rule('roles')]: 'authenticated, content_editor',
    });
    expect(saved.status).toBe(303);
    const id = Number(/\/node\/(\d+)/.exec(saved.headers.get('location') ?? '')?.[1]);
    expect(await ruleOf(id)).toEqual([
      {
        ...{ preset: 'embargo', until: '2999-05-01', roles: ['authenticated', 'content_editor'] },
        contact: 'archive@example.org',
      },
    ]);
  });

  it('says what is wrong and keeps what was typed', async () => {
    const form = await jane.open(ADD_ITEM);
    const values = { 'title.0.value': 'Thesis', 'field_model.0.target_id': image, [rule('preset')]: 'embargo' };
    const again = await form.submit(values);
    expect(again.status).toBe(422);
    expect(again.html).toContain('Who may see it: The rule needs the day on which it ends.');
    expect(again.elements('[aria-invalid]').map(({ attributes }) => attributes.name)).toEqual([rule('until')]);
    const other = await form.submit({ ...values, [rule('until')]: '2999-05-01', [rule('roles')]: 'nobody' });
    expect(other.html).toContain('There is no role &quot;nobody&quot;.');
    expect(other.fields().get(rule('roles'))).toBe('nobody');
  });

  it('keeps a stored rule that the form was sent with unchanged', async () => {
    const stored = {
      ...{ level: 'files_closed', from: '2020-01-01', users: [1], roles: ['content_editor'] },
      ...{ open_uses: ['http://pcdm.org/use#ServiceFile'], reason: 'By contract' },
    };
    const id = await item({ access_rule: [stored] });
    const form = await jane.open(`/node/${id}/edit`);
    expect((await form.submit({ 'title.0.value': 'Renamed' })).status).toBe(303);
    const [kept] = (await ruleOf(id)) ?? [];
    expect(kept).toEqual(stored);
  });

  it('lifts a rule when it is cleared, and reports values without a rule', async () => {
    const id = await item({ access_rule: [{ preset: 'closed', reason: 'Private' }] });
    const form = await jane.open(`/node/${id}/edit`);
    const half = await form.submit({ [rule('preset')]: '' });
    expect([half.status, half.html]).toEqual([422, expect.stringContaining('A rule needs a preset')]);
    expect((await form.submit({ [rule('preset')]: '', [rule('reason')]: '' })).status).toBe(303);
    expect(await ruleOf(id)).toBeUndefined();
  });

  it('says what the collection restricts', async () => {
    const collection = await item({
      title: ['Private papers'],
      access_rule: [{ preset: 'closed', until: '2999-05-01' }],
    });
    const id = await item({ field_member_of: [{ target_id: collection }] });
    const note = 'Its collection “Private papers” is closed until 1 May 2999';
    expect((await jane.open(`/node/${id}/edit`)).html).toContain(note);
    expect((await jane.open(`${ADD_ITEM}?field_member_of=${collection}`)).html).toContain(note);
    expect((await jane.open(ADD_ITEM)).html).not.toContain(note);
  });
});
