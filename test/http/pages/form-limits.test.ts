import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { ADD_ITEM, type FormBrowser, openFormSite, signedIn } from '../../support/form-call.ts';
import type { TestRepository } from '../../support/test-repository.ts';

const FORM = {
  'Content-Type': 'application/x-www-form-urlencoded',
  'Sec-Fetch-Site': 'same-origin',
  Accept: 'text/html',
};
const SMALL_BYTES = 64 * 1024;
const MODEL = 'field_model.0.target_id';
const DESCRIPTION = 'field_description.0.value';

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

const post = async (path: string, body: string, headers: Record<string, string> = {}) => {
  const response = await repository.fetch(path, { method: 'POST', body, headers: { ...FORM, ...headers } });
  return { status: response.status, text: await response.text() };
};

/** A new item with a description of so many characters, as a form that is filled in. */
async function itemForm(characters: number): Promise<URLSearchParams> {
  const fields = (await jane.open(ADD_ITEM)).fields();
  fields.set('title.0.value', 'A long text');
  fields.set(MODEL, image);
  fields.set(DESCRIPTION, 'words '.repeat(characters / 6));
  return fields;
}

describe('the form of a stranger', () => {
  it.each(['/user/login', '/user/reset/token', '/user/mail/token'])(
    'of more than 64 KiB is rejected: %s',
    async (path) => {
      const { status, text } = await post(path, `name=${'x'.repeat(SMALL_BYTES)}`);
      expect({ status, text }).toEqual({ status: 413, text: expect.stringContaining('larger than 65536 bytes') });
    },
  );

  it('of 16 MB and 5.5 million fields is rejected', async () => {
    expect((await post('/user/login', 'a=&'.repeat(5_500_000))).status).toBe(413);
  });

  it('has a bounded number of fields', async () => {
    const { status, text } = await post('/user/login', '&'.repeat(1_000));
    expect({ status, text }).toEqual({ status: 413, text: expect.stringContaining('more than 1000 fields') });
    expect((await post('/user/login', '&'.repeat(999))).status).toBe(400);
  });

  it('of a page that requires a user is not read beyond 64 KiB', async () => {
    const { status, text } = await post('/node/add/islandora_object', 'a=&'.repeat(5_500_000));
    expect({ status, text }).toEqual({ status: 401, text: expect.stringContaining('Your entries are too long') });
  });
});

describe('the form of a user', () => {
  it('of more than 64 KiB is rejected if it has neither texts nor rows', async () => {
    const cookie = { Cookie: jane.session?.cookie ?? '' };
    expect((await post('/user/password', `pass=${'x'.repeat(SMALL_BYTES)}`, cookie)).status).toBe(413);
  });

  it('may have long texts', async () => {
    const saved = await jane.post(ADD_ITEM, await itemForm(300_000));
    expect(saved.status).toBe(303);
  });

  it('has at most 20,000 fields', async () => {
    const cookie = { Cookie: jane.session?.cookie ?? '' };
    expect((await post(ADD_ITEM, '&'.repeat(20_000), cookie)).status).toBe(413);
  });

  it('is kept after the session has ended if it is long, for a user who signs in in another window', async () => {
    const browser = await signedIn(repository, 'jane');
    const fields = await itemForm(120_000);
    fields.set('form_token', (await browser.open(ADD_ITEM)).fields().get('form_token') ?? '');
    await (await browser.open('/user/logout')).submit();
    const asked = await browser.post(ADD_ITEM, fields);
    expect(asked.status).toBe(401);
    expect(asked.elements('main p')[0]?.text).toContain('sign in in another window');
    expect(asked.html.length).toBeLessThan(SMALL_BYTES);
    const again = await (await signedIn(repository, 'jane')).post(ADD_ITEM, fields);
    expect({ status: again.status, heading: again.elements('h1')[0]?.text }).toEqual({
      status: 403,
      heading: 'Your entries are still here',
    });
    expect(again.fields(ADD_ITEM).get(DESCRIPTION)).toBe(fields.get(DESCRIPTION));
  });

  it('is kept by the form to sign in if that is small enough to be sent', async () => {
    const browser = await signedIn(repository, 'jane');
    const fields = await itemForm(30_000);
    await (await browser.open('/user/logout')).submit();
    const asked = await browser.post(ADD_ITEM, fields);
    const again = await asked.submit({ name: 'jane', pass: 'jane' });
    expect(again.elements('h1')[0]?.text).toBe('Your entries are still here');
    expect(again.fields(ADD_ITEM).get(DESCRIPTION)).toBe(fields.get(DESCRIPTION));
  });
});
