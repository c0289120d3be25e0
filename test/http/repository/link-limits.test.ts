import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import LinkHeader from 'http-link-header';
import { linkLines, linksIn } from '../../support/link-lines.ts';
import { createLinkedSite, type LinkedSite } from '../../support/linked-site.ts';
import { nodeWithMedia } from '../../support/many-media.ts';
import type { As } from '../../support/test-repository.ts';

const ORIGINAL = 'http://pcdm.org/use#OriginalFile';
/** The maximum length of a header; a longer one is shortened. */
const MAX_BYTES = 3_000;
/** The maximum length of a head of a response that every proxy accepts. */
const MAX_HEAD_BYTES = 4_096;
/** Room for Strict-Transport-Security, and for the headers for an origin that the configuration names. */
const RESERVED_BYTES = 160;

/** The number of links to records of harvesters. */
const RECORDS = 3;

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
  // Besides the node itself, its graph and its records.
  const others = 2 + RECORDS;
  const files = new Set(refs.map((ref) => ref.anchor)).size - others;
  expect(linkset[1]?.anchor).toBe(`${own}?_format=jsonld`);
  expect(linkset).toHaveLength(files + others);
  return { links: inText, files };
}

const count = (lines: readonly string[], relation: string) =>
  lines.filter((line) => line.startsWith(`${relation} `)).length;

describe('a node with many media', () => {
  it.each([[300], [2000]])('has the links that fit and the way to all of them: %d media', async (media) => {
    const node = await nodeWithMedia(site, media, ORIGINAL);
    const { bytes, lines } = await headerOf(node, 'reader');
    expect(bytes).toBeWithin(MAX_BYTES - 200, MAX_BYTES + 1);
    expect(lines.slice(0, 2)).toEqual([`canonical /node/${node}`, `*revision /node/${node}`]);
    // The files come before the media.
    expect(count(lines, 'item')).toBeGreaterThan(20);
    expect(count(lines, 'related')).toBeLessThan(3);
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
      const { headers } = await site.repository.get(`/node/${node}?_format=${format}`, 'reader');
      expect(headers.get('link')?.length).toBeWithin(MAX_BYTES - 200, MAX_BYTES + 1);
    }
  });

  it('has few links for a caller who may see none of the media', async () => {
    const node = await nodeWithMedia(site, 300, ORIGINAL);
    const { bytes, lines } = await headerOf(node, undefined);
    expect(bytes).toBeLessThan(2048);
    expect(count(lines, 'related')).toBe(0);
    expect(count(lines, 'item')).toBe(0);
    expect(count(lines, 'linkset')).toBe(2);
    expect(lines).toHaveLength(10 + RECORDS);
    const { links, files } = await linksetOf(node, undefined);
    expect({ related: count(links, 'related'), item: count(links, 'item'), files }).toEqual({
      related: 0,
      item: 0,
      files: 0,
    });
  });

  it('has all of their links in the header if there is room', async () => {
    const node = await nodeWithMedia(site, 9, ORIGINAL);
    const { bytes, lines } = await headerOf(node, 'reader');
    expect(bytes).toBeLessThanOrEqual(MAX_BYTES);
    expect({ related: count(lines, 'related'), item: count(lines, 'item') }).toEqual({ related: 9, item: 9 });
    // A link set also has the form of the response with the header.
    expect((await linksetOf(node, 'reader')).links).toHaveLength(lines.length + 1);
  });

  it('has all links in 3,000 bytes, and some where one byte more is needed', async () => {
    const subjects = await Promise.all(
      Array.from({ length: 8 }, (_, index) => site.term('subject', String.fromCharCode(97 + index))),
    );
    const node = await site.node({ field_subject: subjects });
    const before = await headerOf(node, 'reader');
    const missing = MAX_BYTES - before.bytes;
    const share = Math.floor(missing / subjects.length);
    expect(share).toBeWithin(1, 240);
    for (const [index, subject] of subjects.entries()) {
      const added = index > 0 ? share : missing - share * (subjects.length - 1);
      await site.changeTerm(subject, 'subject', { name: ['y'.repeat(1 + added)] });
    }
    const full = await headerOf(node, 'reader');
    expect({ bytes: full.bytes, lines: full.lines.length }).toEqual({ bytes: MAX_BYTES, lines: before.lines.length });
    await site.changeTerm(subjects[1] as number, 'subject', { name: ['y'.repeat(2 + share)] });
    const relationsOf = (lines: readonly string[]) => lines.map((line) => line.split(' ').slice(0, 2));
    // Those to records are omitted first.
    expect(relationsOf((await headerOf(node, 'reader')).lines)).toEqual(relationsOf(full.lines.slice(0, -RECORDS)));
    expect((await linksetOf(node, 'reader')).links).toHaveLength(full.lines.length + 1);
  });
});

describe('the head of a response', () => {
  it.each([5, 50, 500])('passes proxies with default settings: %d subjects', async (count) => {
    const subjects: number[] = [];
    for (let index = 0; index < count; index++)
      subjects.push(await site.term('subject', `A subject of some length ${index}`));
    const node = await site.node({ field_subject: subjects });
    for (const format of ['json', 'jsonld', 'html'])
      for (const as of [undefined, 'reader', 'admin'] as const) {
        const { headers } = await site.repository.get(`/node/${node}?_format=${format}`, as, {
          Origin: 'https://viewer.example',
          'Accept-Encoding': 'zstd',
        });
        const bytes = [...headers].reduce((sum, [name, value]) => sum + name.length + value.length + 4, 20);
        expect({ format, as, fits: bytes + RESERVED_BYTES < MAX_HEAD_BYTES, bytes }).toMatchObject({
          format,
          as,
          fits: true,
        });
      }
  });
});

describe('a header of long texts', () => {
  it('has those that fit, and the link set has all', async () => {
    const names = Array.from({ length: 60 }, (_, index) => `${index}${'ж'.repeat(250)}`);
    const subjects: number[] = [];
    for (const name of names) subjects.push(await site.term('subject', name));
    const node = await site.node({ field_subject: subjects });
    const { bytes, lines } = await headerOf(node, 'reader');
    expect(bytes).toBeLessThanOrEqual(MAX_BYTES);
    expect(count(lines, 'tag')).toBeWithin(2, 10);
    expect(lines.at(-1)).toBe(`linkset /node/${node}/linkset?_format=linkset application/linkset`);
    expect(count((await linksetOf(node, 'reader')).links, 'tag')).toBe(61);
  });

  it('has a link whole or not at all', async () => {
    const address = (index: number) => `http://pcdm.org/use#${'図'.repeat(200)}${index}`;
    const uses: number[] = [];
    for (let index = 0; index < 2; index++)
      uses.push(await site.term('islandora_media_use', 'x', { field_external_uri: [address(index)] }));
    const { id } = await site.picture(await site.node(), ORIGINAL);
    await site.changeMedia(id, { field_media_use: uses });
    const response = await site.repository.get(`/media/${id}?_format=json`, 'reader');
    expect(response.headers.get('link')?.length).toBeLessThanOrEqual(MAX_BYTES);
    const named = linksIn(response).filter(({ href }) => href.startsWith('http://pcdm.org/use#'));
    expect(named.map(({ href, rel }) => [rel, href])).toEqual([['type', encodeURI(address(0))]]);
    const set = await (await site.repository.get(`/media/${id}/linkset`, 'reader')).text();
    for (const index of [0, 1]) expect(set).toContain(`"${encodeURI(address(index))}"`);
  });
});
