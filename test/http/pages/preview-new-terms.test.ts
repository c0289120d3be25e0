import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { ADD_ITEM, errorsOf, type FormBrowser, openFormSite } from '../../support/form-call.ts';
import { detail } from '../../support/page.ts';
import { barOf, EDIT, NOTHING_SAVED, PREVIEW, previewed, SAVE } from '../../support/preview-call.ts';
import type { TestRepository } from '../../support/test-repository.ts';

const MODEL = 'field_model.0.target_id';

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

describe('an unknown term name in a preview', () => {
  const values = () => ({ 'title.0.value': 'A title', [MODEL]: image, 'field_subject.0.target_id': 'Lighthouses' });

  it('is shown as a new term, but not created', async () => {
    const preview = await previewed(repository, jane, ADD_ITEM, {
      ...values(),
      'field_genre.0.target_id': 'LIGHTHOUSES',
    });
    expect(preview.status).toBe(200);
    expect(detail(preview.html, 'Topics')).toEqual(['Lighthouses (new term)']);
    expect(detail(preview.html, 'Genre')).toEqual(['LIGHTHOUSES (new term)']);
    expect(preview.html).not.toContain('/taxonomy/term/-');
    expect(barOf(preview)).toEqual([
      NOTHING_SAVED,
      'Create these terms in the form before you save: LIGHTHOUSES, Lighthouses',
    ]);
  });

  it('counts as one term if it is typed twice', async () => {
    const form = await jane.open(ADD_ITEM);
    const two = await form.submit(values(), { button: ['do', 'add field_subject'] });
    const preview = await two.submit({ 'field_subject.1.target_id': 'lighthouses' }, PREVIEW);
    expect(barOf(preview)).toEqual([NOTHING_SAVED, 'Create this term in the form before you save: Lighthouses']);
    expect(detail(preview.html, 'Topics')).toHaveLength(2);
  });

  it('is listed in the bar among five, with the number of others', async () => {
    const fields = (await jane.open(ADD_ITEM)).fields();
    for (const [name, value] of Object.entries(values())) fields.set(name, value);
    for (let at = 1; at < 7; at++) fields.set(`field_subject.${at}.target_id`, `Light ${at}`);
    fields.set('do', 'preview');
    const preview = await jane.post(ADD_ITEM, fields);
    expect(barOf(preview)[1]).toEndWith(': Lighthouses, Light 1, Light 2, Light 3, Light 4 and 2 more');
    expect(detail(preview.html, 'Topics')).toHaveLength(7);
  });

  it('has a button in the form that creates the term', async () => {
    const preview = await previewed(repository, jane, ADD_ITEM, values());
    const form = await preview.submit({}, EDIT);
    expect(form.elements('button[value="create field_subject 0 subject"]')[0]?.text).toBe(
      'Create “Lighthouses” as a topic',
    );
    const unsaved = await preview.submit({}, SAVE);
    expect(unsaved.status).toBe(422);
    expect(errorsOf(unsaved)).toEqual(['Topics: Nothing is called "Lighthouses". Choose another name, or create it.']);
    const filled = await form.submit({}, { button: ['do', 'create field_subject 0 subject'] });
    const shown = await filled.submit({}, PREVIEW);
    expect(detail(shown.html, 'Topics')).toEqual(['Lighthouses']);
    expect((await shown.submit({}, SAVE)).status).toBe(303);
  });

  it('is rejected if it cannot be a term name', async () => {
    const answer = await previewed(repository, jane, ADD_ITEM, {
      ...values(),
      'field_subject.0.target_id': 'x'.repeat(256),
    });
    expect({ status: answer.status, bars: answer.elements('.preview-bar') }).toEqual({ status: 422, bars: [] });
    expect(errorsOf(answer)).toEqual([expect.stringContaining('may not be longer than 255 characters')]);
  });

  it('is rejected if the field creates no terms', async () => {
    const answer = await previewed(repository, jane, ADD_ITEM, {
      'title.0.value': 'x',
      [MODEL]: image,
      'field_member_of.0.target_id': 'None',
    });
    expect(answer.status).toBe(422);
    expect(errorsOf(answer)).toEqual(['Part of: Nothing is called "None". Choose a name that exists.']);
  });
});
