import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { ItemSkipped } from '../../../src/bulk/item-skipped.ts';
import { removeItem } from '../../../src/bulk/remove-item.ts';
import type { Actor } from '../../../src/repository/actor.ts';
import { createKinds } from '../../../src/repository/content/kinds.ts';
import { createFindContent, type FindContent } from '../../../src/repository/content/read/find-content.ts';
import { SiteBuilder } from '../../support/site-builder.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';
import { UNRESTRICTED } from '../../support/unrestricted.ts';

let repository: TestRepository;
let build: SiteBuilder;
beforeAll(async () => {
  repository = await createTestRepository();
  build = new SiteBuilder(repository);
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

/** An actor with all permissions, until they are taken away. */
function createActor() {
  let isAllowed = true;
  const may = () => isAllowed;
  const facts = { id: 1, uuid: '', name: 'admin', roles: ['administrator'], isAuthenticated: true };
  const actor: Actor = { ...facts, ...UNRESTRICTED, may };
  const stop = () => {
    isAllowed = false;
  };
  return { actor, stop };
}

/**
 * Removes an item with its media. `meanwhile` runs after the rights were checked, and before the media is deleted. Returns the
 * item, its media and the removal.
 */
async function removeWithMedia(actor: Actor, meanwhile: (media: number) => unknown) {
  const { services } = repository.running;
  const node = await build.node('image', 'A letter');
  const file = { use: 'original', media: 'file', mimeType: 'text/plain', name: 'a.txt', bytes: 'text' } as const;
  const media = await build.upload(node, file);
  const find = createFindContent(services.database, createKinds(services.model));
  let reads = 0;
  const findContent: FindContent = async (type, id) => {
    if (type === 'media') reads += 1;
    if (type === 'media' && reads === 2) await meanwhile(id);
    return find(type, id);
  };
  const content = await find('node', node);
  if (content === undefined) throw new Error(`no node ${node}`);
  const options = { content, read: async () => content, check: () => {}, withMedia: true, settle: () => [] };
  const removal = await Promise.allSettled([removeItem({ services, findContent }, actor, options)]);
  return { node, media, error: removal[0].status === 'rejected' ? removal[0].reason : undefined };
}
const statusOf = async (path: string) => (await repository.get(`${path}?_format=json`, 'admin')).status;

describe('the media of an item that is removed with them', () => {
  it('may have been deleted by another request', async () => {
    const { actor } = createActor();
    const { node, media, error } = await removeWithMedia(actor, (id) =>
      repository.delete(`/media/${id}?_format=json`, 'admin'),
    );
    expect(error).toBeUndefined();
    expect(await statusOf(`/node/${node}`)).toBe(404);
    expect(await statusOf(`/media/${media}`)).toBe(404);
  });

  it('stay with the item if its user may no longer delete them', async () => {
    const { actor, stop } = createActor();
    const { node, media, error } = await removeWithMedia(actor, stop);
    expect(error).toEqual(new ItemSkipped('You may not delete all of its media.'));
    expect(await statusOf(`/node/${node}`)).toBe(200);
    expect(await statusOf(`/media/${media}`)).toBe(200);
  });
});
