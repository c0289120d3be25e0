import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { changeSettings } from '../../../src/repository/settings/change-settings.ts';
import { linkLines } from '../../support/link-lines.ts';
import { createLinkedSite, type LinkedSite } from '../../support/linked-site.ts';
import { nodeWithMedia } from '../../support/many-media.ts';
import { type ServerProcess, startServer } from '../../support/server-process.ts';
import type { Picture } from '../../support/site-builder.ts';
import { othersFollow } from '../../support/test-repository.ts';

const ORIGINAL = 'http://pcdm.org/use#OriginalFile';
const SETTINGS = '/admin/config/islandora/core?_format=json';
const MAIN = new URL('../../../src/main.ts', import.meta.url).pathname;
/** A collection is ours where it is a node: that of the platform is a list for administrators. */
const OURS =
  /^(?:(?:tag|related|alternate|edit-media|describes|cite-as|author|type|license|item|describedby|linkset) |collection \/node\/)/;

let site: LinkedSite;
let other: ServerProcess;
let node: number;
let picture: Picture;
let paths: string[];
beforeAll(async () => {
  // Without a model of its own: the other process has none.
  site = await createLinkedSite('');
  other = await startServer({
    data: site.repository.dataFolder,
    settings: { database: site.repository.config.database },
  });
  const parent = await site.node();
  const tag = await site.term('subject', 'Birds');
  node = await site.node({ field_member_of: [parent], field_subject: [tag] });
  picture = await site.picture(node, ORIGINAL);
  paths = [`/node/${node}`, `/media/${picture.id}`, `/taxonomy/term/${tag}`, `/entity/file/${picture.file}`];
});
beforeEach(async () => {
  await changeSettings(site.repository.running.services.database, { allow_header_links: true });
  await othersFollow();
});
afterAll(async () => {
  await other.stop();
  expect(other.complaints).toEqual([]);
  expect(site.repository.failures()).toEqual([]);
  await site.stop();
});

/** The links that both processes answer: they must be the same. */
async function bothLines(path: string): Promise<string[]> {
  const lines = linkLines(await site.repository.get(path, 'admin'), site.repository.url);
  expect(linkLines(await other.fetch(path), other.url)).toEqual(lines);
  return lines;
}

const allLines = () => Promise.all(paths.map((path) => bothLines(`${path}?_format=json`)));

/** Asks until both processes answer from memory. */
async function warmUp(): Promise<string[][]> {
  await allLines();
  await allLines();
  return allLines();
}

async function allow(value: boolean, path: string = SETTINGS): Promise<void> {
  const response = await site.repository.patch(path, { allow_header_links: [{ value }] }, 'admin');
  expect(response.status).toBe(200);
  await othersFollow();
}

async function repo(...args: string[]): Promise<number> {
  const command = [process.execPath, MAIN, ...args, '--data', site.repository.dataFolder];
  const { url } = site.repository.config.database;
  const env = { ...process.env, ...(url !== undefined && { REPO_DATABASE_URL: url }) };
  const code = await Bun.spawn(command, { stdout: 'ignore', stderr: 'inherit', env }).exited;
  await othersFollow();
  return code;
}

const withoutOurs = (lines: readonly string[][]) => lines.map((each) => each.filter((line) => !OURS.test(line)));

describe('with header links disabled,', () => {
  it('every process returns only the links of the platform, until they are enabled again', async () => {
    const whole = await warmUp();
    for (const lines of whole) expect(lines.filter((line) => OURS.test(line))).not.toEqual([]);
    for (let turn = 0; turn < 5; turn++) {
      await allow(false);
      expect(await allLines()).toEqual(withoutOurs(whole));
      await allow(true);
      expect(await allLines()).toEqual(whole);
    }
  });

  it('every representation has only the links of the platform', async () => {
    await warmUp();
    await allow(false);
    for (const format of ['json', 'jsonld', 'html']) {
      const lines = await bothLines(`/node/${node}?_format=${format}`);
      expect(lines.filter((line) => OURS.test(line))).toEqual([]);
      expect(lines).toHaveLength(9);
    }
  });

  it.each([2, 101, 300])(
    'a node with %d media has only the links of the platform, and none to its link sets',
    async (media) => {
      const path = `/node/${await nodeWithMedia(site, media, ORIGINAL)}`;
      for (const format of ['json', 'jsonld', 'html'])
        expect(await bothLines(`${path}?_format=${format}`)).toContain(
          `linkset ${path}/linkset application/linkset+json`,
        );
      await allow(false);
      for (const format of ['json', 'jsonld', 'html']) {
        const lines = await bothLines(`${path}?_format=${format}`);
        expect({ format, ours: lines.filter((line) => OURS.test(line)) }).toEqual({ format, ours: [] });
        expect(lines).toHaveLength(9);
      }
      const page = await (await site.repository.get(`${path}?_format=html`, 'admin')).text();
      expect(page).not.toContain('/linkset');
    },
  );

  it('the command line changes the setting while the repository runs', async () => {
    const whole = await warmUp();
    expect(await repo('setting', 'set', 'allow_header_links', 'false')).toBe(0);
    expect(await allLines()).toEqual(withoutOurs(whole));
    expect(await repo('setting', 'set', 'allow_header_links', 'true')).toBe(0);
    expect(await allLines()).toEqual(whole);
  });

  it('a restart keeps the setting', async () => {
    const whole = await warmUp();
    await allow(false);
    await site.repository.restart();
    expect(await allLines()).toEqual(withoutOurs(whole));
  });

  it('the links of a user are unchanged', async () => {
    const before = await bothLines('/user/1?_format=json');
    expect(before).toHaveLength(4);
    await allow(false);
    expect(await bothLines('/user/1?_format=json')).toEqual(before);
  });

  it('graphs are unchanged, and link sets have the links of the header', async () => {
    const graphs = () =>
      Promise.all(paths.map(async (path) => (await site.repository.get(`${path}?_format=jsonld`, 'admin')).text()));
    const before = await graphs();
    await allow(false);
    expect(await graphs()).toEqual(before);
    const page = await site.repository.get(`/node/${node}?_format=html`, 'admin');
    expect({ status: page.status, type: page.headers.get('content-type') }).toEqual({
      status: 200,
      type: expect.stringContaining('text/html'),
    });
    for (const path of [`/node/${node}`, `/media/${picture.id}`]) {
      const set = await site.repository.get(`${path}/linkset`, 'admin');
      expect({ status: set.status, type: set.headers.get('content-type') }).toEqual({
        status: 200,
        type: 'application/linkset+json',
      });
      const { linkset } = (await set.json()) as { linkset: Record<string, unknown>[] };
      expect(linkset).toHaveLength(1);
      const relations = Object.keys(linkset[0] ?? {});
      expect(relations).toContain('canonical');
      expect(relations.filter((name) => OURS.test(`${name} `))).toEqual([]);
      const text = await (await site.repository.get(`${path}/linkset?_format=linkset`, 'admin')).text();
      expect(text.split(',\n')).toHaveLength((await bothLines(`${path}?_format=json`)).length);
    }
  });

  it('an earlier ETag is outdated for reads, and valid for writes', async () => {
    const path = `/node/${node}?_format=json`;
    await warmUp();
    const tag = (await site.repository.get(path, 'admin')).headers.get('etag') as string;
    await allow(false);
    expect((await site.repository.get(path, 'admin', { 'If-None-Match': tag })).status).toBe(200);
    const body = { type: 'islandora_object', title: [`At ${Date.now()}`] };
    expect((await site.repository.patch(path, body, 'admin', { 'If-Match': tag })).status).toBe(200);
  });

  it('a change by another process takes effect here', async () => {
    const whole = await warmUp();
    const headers = { 'Content-Type': 'application/json' };
    const set = async (value: boolean) => {
      const body = JSON.stringify({ allow_header_links: [{ value }] });
      expect((await other.fetch(SETTINGS, { method: 'PATCH', headers, body })).status).toBe(200);
    };
    await set(false);
    expect(await allLines()).toEqual(withoutOurs(whole));
    await set(true);
    expect(await allLines()).toEqual(whole);
  });
});
