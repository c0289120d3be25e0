import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createFindUser } from '../../../src/repository/users/find-user.ts';
import { known, setBlocked, setRoles } from '../../../src/repository/users/manage-users.ts';
import { CALLERS, createWatch, type Watch } from '../../support/fresh-answers.ts';
import { linkLines } from '../../support/link-lines.ts';
import { createLinkedSite, type LinkedSite } from '../../support/linked-site.ts';
import { signIn, tokenOf } from '../../support/repository-routes.ts';
import type { Picture } from '../../support/site-builder.ts';
import { basic, type EntityJson, othersFollow } from '../../support/test-repository.ts';

const ORIGINAL = 'http://pcdm.org/use#OriginalFile';
const SERVICE = 'http://pcdm.org/use#ServiceFile';
const type = 'islandora_object';

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

describe('the next answer of every process shows', () => {
  it('another name, address or state of a term', async () => {
    const subject = await site.term('subject', 'Birds');
    const display = await site.term('islandora_display', 'Way', { field_external_uri: ['http://example.org/1'] });
    const node = `/node/${await site.node({ field_subject: [subject], field_viewer_override: [display] })}`;
    const tag = (name: string) => `tag /taxonomy/term/${subject} "${name}"`;
    const way = (uri: string) => `tag ${uri} "Way"`;
    const rename = (name: string) => () => site.changeTerm(subject, 'subject', { name: [name] });
    await watch.check(node, rename('Fowl'), { removed: [tag('Birds')], added: [tag('Fowl')] });
    const again = () => watch.elsewhere('PATCH', `/taxonomy/term/${subject}`, { vid: 'subject', name: ['Птицы'] });
    await watch.check(node, again, { removed: [tag('Fowl')], added: [tag('Птицы')] });
    const address = (uri: string[]) => () =>
      watch.elsewhere('PATCH', `/taxonomy/term/${display}`, { vid: 'islandora_display', field_external_uri: uri });
    const [first, second] = ['http://example.org/1', 'http://example.org/2'];
    await watch.check(node, address([second]), { removed: [way(first)], added: [way(second)] });
    await watch.check(node, address([]), { removed: [way(second)], added: [way(`/taxonomy/term/${display}`)] });
    const status = (value: boolean) => () => site.changeTerm(subject, 'subject', { status: [value] });
    await watch.check(node, status(false), { removed: [tag('Птицы')], callers: ['anonymous', 'reader'] });
    await watch.check(node, status(true), { added: [tag('Птицы')], callers: ['anonymous', 'reader'] });
    await watch.check(node, () => site.remove(`/taxonomy/term/${subject}`), { removed: [tag('Птицы')] });
  });

  it('that a term went with the one above it', async () => {
    const above = await site.term('subject', 'Animals');
    const below = await site.term('subject', 'Birds', { parent: [above] });
    const node = `/node/${await site.node({ field_subject: [below] })}`;
    await watch.check(node, () => watch.elsewhere('DELETE', `/taxonomy/term/${above}`), {
      removed: [`tag /taxonomy/term/${below} "Birds"`],
    });
  });

  it('another authority or role of a person', async () => {
    const uri = (number: number) => [{ uri: `https://viaf.org/viaf/${number}`, source: 'viaf' }];
    const person = await site.term('person', 'Doe, Jane', { field_authority_link: uri(1) });
    const id = await site.node({ field_linked_agent: [{ target_id: person, rel_type: 'relators:aut' }] });
    const author = (number: number) => `author https://viaf.org/viaf/${number}`;
    const move = () => site.changeTerm(person, 'person', { field_authority_link: uri(2) });
    await watch.check(`/node/${id}`, move, { removed: [author(1)], added: [author(2)] });
    const edit = () =>
      watch.elsewhere('PATCH', `/node/${id}`, {
        type,
        field_linked_agent: [{ target_id: person, rel_type: 'relators:edt' }],
      });
    await watch.check(`/node/${id}`, edit, { removed: [author(2)] });
  });

  it('another state, owner or absence of a parent, and a reference that was taken away', async () => {
    const parent = await site.node();
    const child = await site.node({ field_member_of: [parent] });
    const lines = [`related /node/${parent} "Member of"`, `collection /node/${parent}`];
    const show = (body: object) => () => watch.elsewhere('PATCH', `/node/${parent}`, { type, ...body });
    const path = `/node/${child}`;
    await watch.check(path, show({ status: [false] }), { removed: lines, callers: ['anonymous', 'reader'] });
    await watch.check(path, show({ uid: [1] }), { removed: lines, callers: ['loader'] });
    await watch.check(path, show({ uid: [site.loader] }), { added: lines, callers: ['loader'] });
    await watch.check(path, () => site.changeNode(parent, { status: [true] }), {
      added: lines,
      callers: ['anonymous', 'reader'],
    });
    await watch.check(path, () => site.changeNode(child, { field_member_of: [] }), { removed: lines });
    await watch.check(path, () => site.changeNode(child, { field_member_of: [parent] }), { added: lines });
    await watch.check(path, () => watch.elsewhere('DELETE', `/node/${parent}`), { removed: lines });
  });

  it('every change of a media', async () => {
    const node = await site.node();
    const second = await site.node();
    const path = `/node/${node}`;
    let picture: Picture | undefined;
    const put = async () => {
      picture = await site.picture(node, ORIGINAL);
    };
    await watch.look(path);
    await watch.look(path);
    await put();
    const { id, file, path: bytes } = picture as unknown as Picture;
    const related = (name: string) => `related /media/${id} "${name}"`;
    const item = `item ${bytes} image/png`;
    expect((await watch.look(path)).reader).toEqual(expect.arrayContaining([related('Original File'), item]));
    const change = (body: object) => () => watch.elsewhere('PATCH', `/media/${id}`, { bundle: 'image', ...body });
    const [original, service] = [await site.repository.termId(ORIGINAL), await site.repository.termId(SERVICE)];
    const both = [related('Original File'), related('Service File')];
    await watch.check(path, change({ field_media_use: [original, service] }), { added: both.slice(1) });
    await watch.check(path, change({ field_media_use: [service] }), { removed: both.slice(0, 1) });
    await watch.check(path, change({ status: [false] }), {
      removed: [related('Service File'), item],
      callers: ['anonymous', 'reader'],
    });
    await watch.check(path, change({ uid: [1] }), { removed: [related('Service File'), item], callers: ['loader'] });
    await watch.check(path, change({ status: [true] }), {
      added: [related('Service File'), item],
      callers: ['anonymous', 'reader', 'loader'],
    });
    const use = (name: string) => () => site.changeTerm(service, 'islandora_media_use', { name: [name] });
    await watch.check(path, use('Другой'), {
      removed: [related('Service File')],
      added: [related('Другой')],
    });
    await watch.check(path, use('Service File'), {
      removed: [related('Другой')],
      added: [related('Service File')],
    });
    const all = [related('Service File'), item];
    await watch.check(path, change({ field_media_of: [second] }), { removed: all });
    await watch.check(`/node/${second}`, change({ field_media_of: [node] }), { removed: all });
    await watch.check(path, () => site.remove(`/entity/file/${file}`), { removed: [item] });
    await watch.check(path, () => watch.elsewhere('DELETE', `/media/${id}`), {
      removed: [related('Service File')],
    });
  });

  it('another type of the bytes, of a media and of its node', async () => {
    const node = await site.node();
    const picture = await site.picture(node, ORIGINAL);
    const source = (contentType: string) => async () => {
      const init = { method: 'PUT', headers: { 'Content-Type': contentType }, body: `GIF89a ${contentType}` };
      expect((await watch.other.fetch(`/media/${picture.id}/source`, init)).status).toBe(204);
    };
    const item = (contentType: string) => `item ${picture.path} ${contentType}`;
    await watch.check(`/node/${node}`, source('image/gif'), {
      removed: [item('image/png')],
      added: [item('image/gif')],
    });
    await watch.check(`/media/${picture.id}`, source('image/png'), {
      removed: [item('image/gif'), `describes ${picture.path} image/gif`],
      added: [item('image/png'), `describes ${picture.path} image/png`],
    });
    const before = await watch.look(`/media/${picture.id}`);
    expect(before.loader).toContain(`edit-media /media/${picture.id}/source`);
    await site.remove(`/entity/file/${picture.file}`);
    const after = await watch.look(`/media/${picture.id}`);
    const isOfFile = (line: string) => /^(?:describes|item|edit-media) /.test(line);
    for (const caller of CALLERS) expect(after[caller]).toEqual(before[caller].filter((line) => !isOfFile(line)));
  });

  it('another picture that stands for a node, and none', async () => {
    const [owner, next] = [await site.node(), await site.node()];
    const picture = await site.picture(owner, ORIGINAL);
    const node = await site.node({});
    await site.changeNode(node, { field_representative_image: [picture.id] });
    const line = `related /media/${picture.id} "Representative Image"`;
    const change = (body: object) => () =>
      watch.elsewhere('PATCH', `/media/${picture.id}`, { bundle: 'image', ...body });
    await watch.check(`/node/${node}`, change({ status: [false] }), {
      removed: [line],
      callers: ['anonymous', 'reader'],
    });
    await watch.check(`/node/${node}`, change({ status: [true] }), { added: [line], callers: ['anonymous', 'reader'] });
    const others = { callers: ['anonymous', 'reader'] } as const;
    const publish = (value: boolean) => () => watch.elsewhere('PATCH', `/node/${owner}`, { type, status: [value] });
    await watch.check(`/node/${node}`, publish(false), { removed: [line], ...others });
    await watch.check(`/node/${node}`, publish(true), { added: [line], ...others });
    // Its owner may view what is unpublished, and a media without its node counts as that.
    await watch.check(`/node/${node}`, () => watch.elsewhere('DELETE', `/node/${owner}`), {
      removed: [line],
      ...others,
    });
    await watch.check(`/node/${node}`, change({ field_media_of: [next] }), { added: [line], ...others });
    await watch.check(`/node/${node}`, () => site.remove(`/media/${picture.id}`), { removed: [line] });
  });

  it('an alias, and what a revision brings back', async () => {
    const subject = await site.term('subject', 'Birds');
    const id = await site.node({ field_subject: [subject] });
    const path = `/node/${id}`;
    const { vid } = (await (await site.repository.get(`${path}?_format=json`)).json()) as EntityJson;
    const alias = (value: string | null) => () => watch.elsewhere('PATCH', path, { type, path: [{ alias: value }] });
    const own = (address: string) => [`canonical ${address}`, `*revision ${address}`];
    await watch.check(path, alias('/fresh/1'), { removed: own(path), added: own('/fresh/1') });
    await watch.check(path, alias('/fresh/2'), { removed: own('/fresh/1'), added: own('/fresh/2') });
    await watch.check(path, alias(null), { removed: own('/fresh/2'), added: own(path) });
    const tag = `tag /taxonomy/term/${subject} "Birds"`;
    await watch.check(path, () => site.changeNode(id, { field_subject: [] }), { removed: [tag] });
    await watch.check(path, () => watch.elsewhere('POST', `${path}/revisions/${vid[0].value}/revert`), {
      added: [tag],
    });
  });

  it('that the entity itself is hidden or gone', async () => {
    const id = await site.node();
    const path = `/node/${id}`;
    const lines = await watch.look(path);
    await watch.elsewhere('PATCH', path, { type, status: [false] });
    expect(await watch.look(path)).toEqual({ ...lines, anonymous: [], reader: [] });
    await site.changeNode(id, { status: [true] });
    expect(await watch.look(path)).toEqual(lines);
    await watch.elsewhere('DELETE', path);
    expect(await watch.look(path)).toEqual({ anonymous: [], reader: [], loader: [], admin: [] });
  });
});

describe('the next answer for an account shows', () => {
  const services = () => site.repository.running.services;
  const userOf = async (name: string) => known(await createFindUser(services().database).byName(name), name);

  /** Returns the answers of both processes to an account with each kind of credentials; they must agree. */
  async function answersFor(path: string, credentials: readonly Record<string, string>[]) {
    const all: { status: number; lines: string[] }[] = [];
    for (const base of [site.repository.url, watch.other.url]) {
      for (const headers of credentials) {
        const response = await fetch(`${base}${path}?_format=json`, { headers, keepalive: false });
        all.push({ status: response.status, lines: linkLines(response, base) });
      }
    }
    for (const each of all) expect(each).toEqual(all[0] as (typeof all)[number]);
    return all[0] as (typeof all)[number];
  }

  it('other roles, whichever way it comes', async () => {
    const node = await site.node();
    const picture = await site.picture(node, ORIGINAL);
    const hidden = await site.node();
    await site.changeNode(hidden, { status: [false] });
    await site.changeNode(node, { field_member_of: [hidden] });
    await site.repository.user('riser');
    const { cookie } = await signIn(site.repository, 'riser', 'riser');
    const paths = [`/node/${node}`, `/media/${picture.id}`];
    const look = async () => {
      // A token ends with a change of roles.
      const token = await tokenOf(site.repository, 'riser');
      const credentials = [{ Authorization: basic('riser') }, { Cookie: cookie }, { Authorization: `Bearer ${token}` }];
      return Promise.all(paths.map((path) => answersFor(path, credentials)));
    };
    const only = [`related /node/${hidden} "Member of"`, `edit-media /media/${picture.id}/source`];
    await look();
    const before = await look();
    expect(before.flatMap(({ lines }) => lines.filter((line) => only.includes(line)))).toEqual([]);
    for (let turn = 0; turn < 3; turn++) {
      await setRoles(services(), await userOf('riser'), ['administrator']);
      await othersFollow();
      const after = await look();
      expect(after.flatMap(({ lines }) => lines.filter((line) => only.includes(line)))).toEqual(only);
      await setRoles(services(), await userOf('riser'), []);
      await othersFollow();
      expect(await look()).toEqual(before);
    }
  });

  it('that it is blocked, and let in again', async () => {
    const path = `/node/${await site.node()}`;
    await site.repository.user('leaver');
    const credentials = [{ Authorization: basic('leaver') }];
    await answersFor(path, credentials);
    const before = await answersFor(path, credentials);
    expect(before.status).toBe(200);
    await setBlocked(services(), await userOf('leaver'), true);
    await othersFollow();
    expect(await answersFor(path, credentials)).toEqual({ status: 401, lines: [] });
    await setBlocked(services(), await userOf('leaver'), false);
    await othersFollow();
    expect(await answersFor(path, credentials)).toEqual(before);
  });
});
