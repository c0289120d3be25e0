import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { startRun } from '../../../src/bulk/start-run.ts';
import { endOf, runBulk } from '../../support/bulk-call.ts';
import { type FormBrowser, signedIn } from '../../support/form-call.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

/** A role that may change items, but may not view unpublished ones. */
const MODEL = `
roles:
  text_editor:
    label: Editor of texts
    permissions: [access content, edit any islandora_object content]
`;
let repository: TestRepository;
let admin: FormBrowser;
let reader: number;
let editor: number;
beforeAll(async () => {
  repository = await createTestRepository({}, { model: MODEL });
  reader = await repository.user('reader');
  editor = await repository.user('editor', 'text_editor');
  admin = await signedIn(repository, 'admin');
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const createItem = async (isPublished: boolean): Promise<number> =>
  (await repository.node({ status: [{ value: isPublished }] })).nid[0].value;

/** Changes an item for a user, as if the rights of the user had changed after the start. Returns what the result says. */
async function changeFor(user: number, action: 'publish' | 'unpublish', item: number): Promise<string> {
  const { services } = repository.running;
  const id = await startRun(services.database, { id: user }, { type: 'node', action, parameters: {} }, [item]);
  // Wakes the task.
  await runBulk(admin, 'node', 'publish', [await createItem(true)]);
  const path = `/admin/content/bulk/${id}`;
  await endOf(admin, path);
  return (await admin.open(path))
    .elements('tbody tr')
    .map(({ text }) => text)
    .join();
}

describe('a change of many items', () => {
  it('skips those that its user may not view', async () => {
    expect(await changeFor(editor, 'publish', await createItem(false))).toContain('You may not view it.');
  });

  it('skips those that its user may not change', async () => {
    expect(await changeFor(reader, 'unpublish', await createItem(true))).toContain('You may not change it.');
  });

  it('changes those that its user may view and change', async () => {
    expect(await changeFor(editor, 'unpublish', await createItem(true))).not.toContain('You may not');
  });
});
