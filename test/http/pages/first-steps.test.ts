import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { elementsOf } from '../../support/page.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

const BROWSER = { Accept: 'text/html,*/*;q=0.8' };

let repository: TestRepository;
beforeAll(async () => {
  repository = await createTestRepository();
  await repository.user('reader');
  await repository.user('editor', 'repository_editor');
});
afterAll(() => repository.stop());

const home = async (as?: string) => (await repository.get('/', as, BROWSER)).text();
const stepsOf = (html: string) => elementsOf(html, '.first-steps a').map(({ text }) => text);

describe('the first page of an empty repository', () => {
  it('leads an administrator to a collection, a table, and name and logo', async () => {
    const html = await home('admin');
    expect(stepsOf(html)).toEqual(['Make a collection', 'load a table', 'Set name and logo']);
    for (const { attributes } of elementsOf(html, '.first-steps a'))
      expect((await repository.get(attributes.href ?? '', 'admin', BROWSER)).status).toBe(200);
    const form = elementsOf(html, '.first-steps a')[0]?.attributes.href ?? '';
    const page = await (await repository.get(form, 'admin', BROWSER)).text();
    expect(elementsOf(page, 'select[name^=field_model] option[selected]').map(({ text }) => text)).toEqual([
      'Collection',
    ]);
  });

  it('leads editors to what they may do, and tells readers that there is nothing yet', async () => {
    expect(stepsOf(await home('editor'))).toEqual(['Make a collection', 'load a table']);
    for (const as of [undefined, 'reader']) {
      const html = await home(as);
      expect(stepsOf(html)).toEqual([]);
      expect(elementsOf(html, '.empty')[0]?.text).toContain('no public items yet');
    }
  });

  it('has no steps once there is an item', async () => {
    await repository.node({ title: [{ value: 'One' }] });
    expect(stepsOf(await home('admin'))).toEqual([]);
  });
});
