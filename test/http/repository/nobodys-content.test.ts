import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createLinkedSite, type LinkedSite } from '../../support/linked-site.ts';
import { elementsOf } from '../../support/page.ts';
import type { Picture } from '../../support/site-builder.ts';
import type { As, EntityJson } from '../../support/test-repository.ts';

const [ORIGINAL, SERVICE, INTERMEDIATE] = ['OriginalFile', 'ServiceFile', 'IntermediateFile'].map(
  (name) => `http://pcdm.org/use#${name}`,
) as [string, string, string];
const ANONYMOUS = 0;
/** Everyone may see what is their own, and the lists. */
const MODEL = `
roles:
  anonymous:
    permissions: &mine
      [access content, view media, view own unpublished media, view own unpublished content, manage media, manage members]
  authenticated:
    permissions: *mine
`;

let site: LinkedSite;
let node: number;
let shown: Picture;
let nobodys: Picture;
let loaders: Picture;
let member: number;
beforeAll(async () => {
  site = await createLinkedSite(MODEL);
  node = await site.node();
  shown = await site.picture(node, ORIGINAL, { owner: ANONYMOUS });
  nobodys = await site.picture(node, SERVICE, { owner: ANONYMOUS, scheme: 'private' });
  loaders = await site.picture(node, INTERMEDIATE, { scheme: 'private' });
  for (const { id } of [nobodys, loaders]) await site.changeMedia(id, { status: [false] });
  await site.changeNode(node, { field_representative_image: [nobodys.id] });
  member = await site.node({ field_member_of: [node] });
  const unpublished = await site.node({ field_member_of: [node] });
  await site.changeNode(unpublished, { status: [false], uid: [ANONYMOUS] });
});
afterAll(async () => {
  expect(site.repository.failures()).toEqual([]);
  await site.stop();
});

const get = (path: string, as?: As) => site.repository.get(path, as);

/** Returns all responses about a node that name media or their files. */
async function mediaSeenBy(as?: As) {
  const links = await site.lines(`/node/${node}?_format=json`, as);
  const page = await (await get(`/node/${node}?_format=html`, as)).text();
  const list = (await (await get(`/node/${node}/media?_format=json`, as)).json()) as EntityJson[];
  const set = await (await get(`/node/${node}/linkset?_format=linkset`, as)).text();
  const linked = links.flatMap((line) => /^related \/media\/(\d+) ".* File"$/.exec(line)?.[1] ?? []);
  const cards = new Set(
    elementsOf(page, '.downloads a').flatMap(
      ({ attributes }) => /^\/media\/(\d+)$/.exec(attributes.href ?? '')?.[1] ?? [],
    ),
  );
  const all = [shown, nobodys, loaders];
  return {
    links: linked.map(Number),
    items: all.filter(({ path }) => links.includes(`item ${path} image/png`)).map(({ id }) => id),
    page: [...cards].map(Number),
    list: list.map(({ mid }) => mid[0].value),
    set: all.filter(({ path }) => set.includes(`${path}>`)).map(({ id }) => id),
  };
}

const everywhere = (...media: Picture[]) => {
  const ids = media.map(({ id }) => id);
  return { links: ids, items: ids, page: ids, list: ids, set: ids };
};

describe('unpublished content of the anonymous user', () => {
  it('is hidden from anonymous callers, as it has no owner', async () => {
    expect(await mediaSeenBy()).toEqual(everywhere(shown));
    expect(await site.lines(`/node/${node}?_format=json`)).not.toContain(
      `related /media/${nobodys.id} "Representative Image"`,
    );
    expect(await (await get(`/node/${node}?_format=jsonld`)).text()).not.toContain(nobodys.path);
  });

  it('is hidden from signed-in users', async () => {
    expect(await mediaSeenBy('reader')).toEqual(everywhere(shown));
    expect(await mediaSeenBy('loader')).toEqual(everywhere(shown, loaders));
    expect(await mediaSeenBy('admin')).toEqual(everywhere(shown, nobodys, loaders));
  });

  it('is refused to anonymous callers at its own address, like its file', async () => {
    for (const path of [`/media/${nobodys.id}?_format=json`, `/media/${nobodys.id}/linkset`])
      expect({ path, status: (await get(path)).status }).toEqual({ path, status: 401 });
    const bytes = await get(nobodys.path);
    expect(bytes.status).toBeWithin(400, 500);
    expect((await get(`/entity/file/${nobodys.file}?_format=json`)).status).toBe(401);
    expect((await get(nobodys.path, 'admin')).status).toBe(200);
  });

  it('is listed as a member for administrators only', async () => {
    const members = async (as?: As) =>
      ((await (await get(`/node/${node}/members?_format=json`, as)).json()) as EntityJson[]).map(
        ({ nid }) => nid[0].value,
      );
    expect(await members()).toEqual([member]);
    expect(await members('reader')).toEqual([member]);
    expect(await members('admin')).toHaveLength(2);
  });
});
