import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import LinkHeader from 'http-link-header';
import { linkLines, linksIn } from '../../support/link-lines.ts';
import { createLinkedSite, type LinkedSite } from '../../support/linked-site.ts';
import { nodeWithMedia } from '../../support/many-media.ts';
import type { As } from '../../support/test-repository.ts';

const ORIGINAL = 'http://pcdm.org/use#OriginalFile';
/** The maximum length of a header that every proxy accepts; a longer one is shortened. */
const MAX_WHOLE = 8 * 1024;
const MAX_SHORTENED = 16 * 1024;
const MAX_LINKS = 100;

/** Anonymous callers may view nodes, and no media. */
const MODEL = 'roles: { anonymous: { permissions: [access content] } }';

let site: LinkedSite;
beforeAll(async () => {
  site = await createLinkedSite(MODEL);
});
afterAll(async () => {
  expect(site.repository.failures()).toEqual([]);
  await site.stop();
});

async function headerOf(node: number, as: As) {
  const response = await site.repository.get(`/node/${node}?_format=json`, as);
  expect(response.status).toBe(200);
  return { bytes: (response.headers.get('link') ?? '').length, lines: linkLines(response, site.repository.url) };
}

/** All links of a node by its link sets: of the node itself in lines, and how many files each format has links of. */
async function linksetOf(node: number, as: As) {
  const text = await (await site.repository.get(`/node/${node}/linkset?_format=linkset`, as)).text();
  const { linkset } = (await (await site.repository.get(`/node/${node}/linkset?_format=json`, as)).json()) as {
    linkset: ({ anchor: string } & Record<string, { href: string }[]>)[];
  };
  const { url } = site.repository;
  const own = `${url}/node/${node}`;
  const { refs } = LinkHeader.parse(text.replaceAll('\n', ' '));
  const inText = refs.filter(({ anchor }) => anchor === own).map(({ rel, uri }) => `${rel} ${uri}`);
  const { anchor, ...relations } = linkset[0] ?? { anchor: '' };
  expect(anchor).toBe(own);
  const inJson = Object.entries(relations as Record<string, { href: string }[]>).flatMap(([rel, targets]) =>
    targets.map(({ href }) => `${rel} ${href}`),
  );
  expect(inJson.toSorted()).toEqual(inText.toSorted());
  // Besides the node itself and its graph.
  const files = new Set(refs.map((ref) => ref.anchor)).size - 2;
  expect(linkset[1]?.anchor).toBe(`${own}?_format=jsonld`);
  expect(linkset).toHaveLength(files + 2);
  return { links: inText, files };
}

const count = (lines: readonly string[], relation: string) =>
  lines.filter((line) => line.startsWith(`${relation} `)).length;

describe('a node with many media', () => {
  it.each([[300], [2000]])('has the first 100 links and the way to all of them: %d media', async (media) => {
    const node = await nodeWithMedia(site, media, ORIGINAL);
    const { bytes, lines } = await headerOf(node, 'reader');
    expect(bytes).toBeLessThan(MAX_SHORTENED);
    expect(lines).toHaveLength(MAX_LINKS + 2);
    expect(lines.slice(0, 2)).toEqual([`canonical /node/${node}`, `*revision /node/${node}`]);
    expect(count(lines, 'related')).toBe(MAX_LINKS - 3);
    expect(lines.slice(-2)).toEqual([
      `linkset /node/${node}/linkset application/linkset+json`,
      `linkset /node/${node}/linkset?_format=linkset application/linkset`,
    ]);
    const { links, files } = await linksetOf(node, 'reader');
    expect({ related: count(links, 'related'), item: count(links, 'item'), files }).toEqual({
      related: media,
      item: media,
      files: media,
    });
    expect(new Set(links).size).toBe(links.length);
    for (const format of ['jsonld', 'html']) {
      const other = linksIn(await site.repository.get(`/node/${node}?_format=${format}`, 'reader'));
      expect({ format, other: other.length }).toEqual({ format, other: MAX_LINKS + 2 });
    }
  });

  it('has few links for a caller who may see none of the media', async () => {
    const node = await nodeWithMedia(site, 300, ORIGINAL);
    const { bytes, lines } = await headerOf(node, undefined);
    expect(bytes).toBeLessThan(2048);
    expect(count(lines, 'related')).toBe(0);
    expect(count(lines, 'item')).toBe(0);
    expect(count(lines, 'linkset')).toBe(2);
    expect(lines).toHaveLength(10);
    const { links, files } = await linksetOf(node, undefined);
    expect({ related: count(links, 'related'), item: count(links, 'item'), files }).toEqual({
      related: 0,
      item: 0,
      files: 0,
    });
  });

  it('has all of their links in the header if there is room', async () => {
    const node = await nodeWithMedia(site, 20, ORIGINAL);
    const { bytes, lines } = await headerOf(node, 'reader');
    expect(bytes).toBeLessThan(MAX_WHOLE);
    expect({ related: count(lines, 'related'), item: count(lines, 'item') }).toEqual({ related: 20, item: 20 });
    // A link set also has the form of the response with the header.
    expect((await linksetOf(node, 'reader')).links).toHaveLength(lines.length + 1);
  });

  it('has all links in 8 KiB, and 100 where one byte more is needed', async () => {
    await site.term('islandora_media_use', 'x', { field_external_uri: ['http://pcdm.org/use#X'] });
    const node = await nodeWithMedia(site, 90, 'http://pcdm.org/use#X');
    // Media without a file are named in few bytes.
    await site.repository.running.services.database.write([
      `DELETE FROM reference WHERE target_type = 'file' AND source_type = 'media' AND source_id IN
        (SELECT source_id FROM reference WHERE field = 'field_media_of' AND target_id = ${node})`,
      `UPDATE media SET is_dangling = 1, version = version + 1 WHERE id IN
        (SELECT source_id FROM reference WHERE field = 'field_media_of' AND target_id = ${node})`,
    ]);
    const subjects = await Promise.all(
      ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name) => site.term('subject', name)),
    );
    await site.changeNode(node, { field_subject: subjects });
    const before = await headerOf(node, 'reader');
    expect(before.lines.length).toBeGreaterThan(MAX_LINKS + 5);
    const missing = MAX_WHOLE - before.bytes;
    const share = Math.floor(missing / subjects.length);
    expect(share).toBeWithin(1, 200);
    for (const [index, subject] of subjects.entries()) {
      const added = index > 0 ? share : missing - share * (subjects.length - 1);
      await site.changeTerm(subject, 'subject', { name: ['y'.repeat(1 + added)] });
    }
    const full = await headerOf(node, 'reader');
    expect({ bytes: full.bytes, lines: full.lines.length }).toEqual({ bytes: MAX_WHOLE, lines: before.lines.length });
    await site.changeTerm(subjects[1] as number, 'subject', { name: ['y'.repeat(2 + share)] });
    expect((await headerOf(node, 'reader')).lines).toHaveLength(MAX_LINKS + 2);
    expect((await linksetOf(node, 'reader')).links).toHaveLength(full.lines.length + 1);
  });
});

describe('a header of long texts', () => {
  it('is below 16 KiB even so, and the link set has all', async () => {
    const names = Array.from({ length: 60 }, (_, index) => `${index}${'ж'.repeat(250)}`);
    const subjects: number[] = [];
    for (const name of names) subjects.push(await site.term('subject', name));
    const node = await site.node({ field_subject: subjects });
    const { bytes, lines } = await headerOf(node, 'reader');
    expect(bytes).toBeGreaterThan(MAX_WHOLE);
    expect(bytes).toBeLessThan(MAX_SHORTENED);
    expect(count(lines, 'tag')).toBeGreaterThan(5);
    expect(lines.at(-1)).toBe(`linkset /node/${node}/linkset?_format=linkset application/linkset`);
    expect(count((await linksetOf(node, 'reader')).links, 'tag')).toBe(61);
  });

  it('has a link whole or not at all', async () => {
    const address = (index: number) => `http://pcdm.org/use#${'図'.repeat(1000)}${index}`;
    const uses: number[] = [];
    for (let index = 0; index < 2; index++)
      uses.push(await site.term('islandora_media_use', 'x', { field_external_uri: [address(index)] }));
    const { id } = await site.picture(await site.node(), ORIGINAL);
    await site.changeMedia(id, { field_media_use: uses });
    const response = await site.repository.get(`/media/${id}?_format=json`, 'reader');
    expect(response.headers.get('link')?.length).toBeLessThan(MAX_SHORTENED);
    const tags = linksIn(response).filter(({ rel }) => rel === 'tag');
    expect(tags).toEqual([{ href: encodeURI(address(0)), rel: 'tag', title: 'x', type: undefined }]);
    const set = await (await site.repository.get(`/media/${id}/linkset`, 'reader')).text();
    for (const index of [0, 1]) expect(set).toContain(`"${encodeURI(address(index))}"`);
  });
});
