import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createFindUser } from '../../../src/repository/users/find-user.ts';
import { known, setRoles } from '../../../src/repository/users/manage-users.ts';
import { createWatch, type Watch } from '../../support/fresh-answers.ts';
import { linkLines } from '../../support/link-lines.ts';
import { createLinkedSite, type LinkedSite } from '../../support/linked-site.ts';
import { createRandom } from '../../support/random.ts';
import { PNG } from '../../support/repository-routes.ts';
import { startServer } from '../../support/server-process.ts';
import { sized } from '../../support/size.ts';
import type { EntityJson } from '../../support/test-repository.ts';

const USES = ['OriginalFile', 'ServiceFile', 'ThumbnailImage'].map((name) => `http://pcdm.org/use#${name}`);
const CHANGES = sized(15, 60);
const SETTINGS = '/admin/config/islandora/core';

let site: LinkedSite;
let watch: Watch;
beforeAll(async () => {
  // Without a model of its own: the second process has none.
  site = await createLinkedSite('');
  watch = await createWatch(site);
});
afterAll(async () => {
  await watch.other.stop();
  expect(watch.other.complaints).toEqual([]);
  expect(site.repository.failures()).toEqual([]);
  await site.stop();
});

describe('cached responses', () => {
  it('equal uncached ones after many random changes by two processes', async () => {
    const random = createRandom(20_261_121);
    const subjects = await Promise.all(['a', 'b', 'c', 'd'].map((name) => site.term('subject', name)));
    const uses = await Promise.all(USES.map((uri) => site.repository.termId(uri)));
    const nodes = [await site.node(), await site.node(), await site.node()];
    const media = [
      await site.picture(nodes[0] as number, USES[0] as string),
      await site.picture(nodes[1] as number, USES[1] as string, { owner: 1, scheme: 'fedora' }),
    ].map(({ id }) => id);
    const some = <T>(list: readonly T[]) => list.filter(() => random.below(2) === 0);
    const yes = () => random.below(3) > 0;
    const change = (path: string, body: object): (() => Promise<unknown>) =>
      random.below(2) === 0 ? () => site.change(path, body) : () => watch.elsewhere('PATCH', path, body);
    const changeNode = (body: object) => change(`/node/${random.pick(nodes)}`, { type: 'islandora_object', ...body });
    const changeMedia = (body: object) => change(`/media/${random.pick(media)}`, { bundle: 'image', ...body });
    const owner = () => random.pick([1, site.loader]);
    const kinds: (() => () => Promise<unknown>)[] = [
      () => changeNode({ field_subject: some(subjects) }),
      () => changeNode({ field_member_of: some(nodes) }),
      () => changeNode({ field_representative_image: some(media).slice(0, 1) }),
      () => changeNode({ status: [yes()], uid: [owner()] }),
      () => changeNode({ title: [`Title ${random.below(1_000)}`] }),
      () => changeMedia({ field_media_of: [random.pick(nodes)] }),
      () => changeMedia({ field_media_use: some(uses) }),
      () => changeMedia({ status: [yes()], uid: [owner()] }),
      () =>
        change(`/taxonomy/term/${random.pick(subjects)}`, { vid: 'subject', name: [`Name ${random.below(1_000)}`] }),
      () => change(`/taxonomy/term/${random.pick(subjects)}`, { vid: 'subject', status: [yes()] }),
      () => change(SETTINGS, { allow_header_links: [yes()] }),
      () => async () => {
        const [gone] = subjects.splice(random.below(subjects.length), 1);
        await watch.elsewhere('DELETE', `/taxonomy/term/${gone}`);
        subjects.push(await site.term('subject', `Name ${random.below(1_000)}`));
      },
      () => async () => {
        const [gone] = nodes.splice(random.below(nodes.length), 1);
        await site.remove(`/node/${gone}`);
        nodes.push(await site.node({ field_subject: some(subjects) }));
      },
      () => async () => {
        const [gone] = media.splice(random.below(media.length), 1);
        await watch.elsewhere('DELETE', `/media/${gone}`);
        media.push((await site.picture(await site.node(), USES[0] as string)).id);
        await site.changeMedia(media.at(-1) as number, { field_media_of: [random.pick(nodes)] });
      },
      () => async () => {
        const path = `/media/${random.pick(media)}`;
        const found = (await (await site.repository.get(`${path}?_format=json`, 'admin')).json()) as EntityJson;
        const file = found.field_media_image[0]?.target_id;
        if (file !== undefined && random.below(4) === 0) await site.remove(`/entity/file/${file}`);
        const contentType = random.pick(['image/png', 'image/gif', 'image/x-own']);
        await watch.other.fetch(`${path}/source`, {
          method: 'PUT',
          body: PNG,
          headers: { 'Content-Type': contentType },
        });
      },
    ];
    for (let made = 0; made < CHANGES; made++) {
      const [first, second] = [`/node/${random.pick(nodes)}`, `/media/${random.pick(media)}`];
      for (let turn = 0; turn < 2; turn++) await Promise.all([watch.look(first), watch.look(second)]);
      await random.pick(kinds)()();
      await Promise.all([watch.look(first), watch.look(second)]);
    }
    const third = await startServer({ from: 'source', data: site.repository.dataFolder });
    try {
      for (const path of [...nodes.map((id) => `/node/${id}`), ...media.map((id) => `/media/${id}`)]) {
        const lines = linkLines(await third.fetch(`${path}?_format=json`), third.url);
        expect(await site.lines(`${path}?_format=json`, 'admin')).toEqual(lines);
      }
    } finally {
      await third.stop();
    }
    expect(third.complaints).toEqual([]);
  }, 60_000);

  it('include every confirmed change under concurrent reads', async () => {
    const subject = await site.term('subject', 'name 0');
    const [parent, hidden] = [await site.node(), await site.node()];
    await site.changeNode(hidden, { status: [false] });
    const node = await site.node({ field_subject: [subject] });
    await site.changeNode(node, { field_member_of: [parent, hidden] });
    await site.repository.user('riser');
    const { services } = site.repository.running;
    const findUser = createFindUser(services.database);
    await site.change(SETTINGS, { allow_header_links: [true] });
    const paths = [`/node/${node}?_format=json`, `/node/${node}?_format=jsonld`, `/node/${node}?_format=html`];
    let isDone = false;
    let count = 0;
    const keepAsking = async (path: string, as: string | undefined) => {
      while (!isDone) {
        await Promise.all([site.repository.get(path, as), site.repository.get(path, as), watch.other.fetch(path)]);
        count += 1;
      }
    };
    const asking = paths.flatMap((path) => [keepAsking(path, undefined), keepAsking(path, 'riser')]);
    const both = async (path: string) => [
      await site.lines(path),
      linkLines(await watch.other.fetch(path), watch.other.url),
    ];
    for (let turn = 1; turn <= 30; turn++) {
      const name = `name ${turn}`;
      if (turn % 2 === 0) await site.changeTerm(subject, 'subject', { name: [name] });
      else await watch.elsewhere('PATCH', `/taxonomy/term/${subject}`, { vid: 'subject', name: [name] });
      for (const path of paths)
        for (const lines of await both(path)) expect(lines).toContain(`tag /taxonomy/term/${subject} "${name}"`);
      await site.changeNode(parent, { status: [turn % 2 === 0] });
      const [strange] = await both(paths[0] as string);
      expect(strange?.includes(`related /node/${parent} "Member of"`)).toBe(turn % 2 === 0);
      const mayAll = turn % 3 === 0;
      await setRoles(services, known(await findUser.byName('riser'), 'riser'), mayAll ? ['administrator'] : []);
      for (const path of paths) {
        const lines = await site.lines(path, 'riser');
        expect(lines.includes(`related /node/${hidden} "Member of"`)).toBe(mayAll);
      }
    }
    isDone = true;
    await Promise.all(asking);
    expect(count).toBeGreaterThan(paths.length);
  }, 30_000);
});
