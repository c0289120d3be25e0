import { afterAll, beforeAll, beforeEach, describe, expect, it, spyOn } from 'bun:test';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Storage } from '../../../../src/storage/storage.ts';
import { readBag } from '../../../../src/transfer/bagit/read-bag.ts';
import { exportPackages, type PackageExport } from '../../../../src/transfer/export/export-packages.ts';
import type { ExportProblem, ExportWatch } from '../../../../src/transfer/export/export-report.ts';
import { type NodeSelection, selectNodes } from '../../../../src/transfer/export/select-nodes.ts';
import { packageOf } from '../../../../src/transfer/package/package-of.ts';
import { emptyFolder } from '../../../support/empty-folder.ts';
import { EVERYTHING, NO_WATCH } from '../../../support/export-site.ts';
import { contentOf } from '../../../support/made-package.ts';
import { readOcfl } from '../../../support/read-ocfl.ts';
import { createTableSite, type TableSite } from '../../../support/table-site.ts';
import { createTestRepository, type TestRepository } from '../../../support/test-repository.ts';

let repository: TestRepository;
let site: TableSite;
let folder: string;
beforeAll(async () => {
  repository = await createTestRepository();
  site = await createTableSite(repository);
}, 30_000);
afterAll(async () => {
  await site.remove();
  await repository.stop();
});
beforeEach(async () => {
  folder = join(await emptyFolder(), 'packages');
});

/** A node with a file and two revisions. */
async function make(title = 'A node'): Promise<number> {
  const id = (await repository.node({ title: [{ value: 'Before' }] })).nid[0].value;
  const use = 'http://pcdm.org/use#OriginalFile';
  const uri = `public://${id}/page.tif`;
  await repository.build.upload(id, { media: 'file', use, uri, mimeType: 'image/tiff', bytes: `bytes of ${id}` });
  await change(id, title);
  return id;
}

async function change(id: number, title: string): Promise<void> {
  const body = { type: [{ target_id: 'islandora_object' }], title: [{ value: title }] };
  expect((await repository.patch(`/node/${id}?_format=json`, body, 'admin')).status).toBe(200);
}

/** Percent signs and other scripts stay as they are. */
const SENDER = { sourceOrganization: '100% Käthe', contactEmail: 'library@example.org' };

async function exporting(
  format: PackageExport['format'],
  selection: Partial<NodeSelection>,
  watch: Partial<ExportWatch> = {},
) {
  const problems: ExportProblem[] = [];
  const onProblem = (problem: ExportProblem) => void problems.push(problem);
  const selected = await selectNodes(site.context, { ...EVERYTHING, ...selection });
  const request = { format, folder, agent: 'repo test', sender: SENDER };
  const summary = await exportPackages(site.context, selected, request, { ...NO_WATCH, onProblem, ...watch });
  return { summary, problems };
}

describe('an export of bags', () => {
  it('creates one per node, with its last version', async () => {
    const ids = [await make('One'), await make('Two')];
    const { summary } = await exporting('bag', { nodes: ids });
    expect(summary).toMatchObject({ nodes: 2, problems: 0 });
    for (const id of ids) {
      const source = await packageOf(site.context, id);
      const found = await readBag(join(folder, source.identifier.slice('urn:uuid:'.length)));
      const last = { ...source, versions: source.versions.slice(-1) };
      expect(await contentOf(found)).toEqual(await contentOf(last));
      expect([...(found.versions[0]?.files.keys() ?? [])].some((path) => path.endsWith('/page.tif'))).toBe(true);
    }
  });

  it('names its sender and its node, before the facts of the bag', async () => {
    const id = await make();
    await exporting('bag', { nodes: [id] });
    const [bag = ''] = await readdir(folder);
    const info = await readFile(join(folder, bag, 'bag-info.txt'), 'utf8');
    expect(info.split('\n').slice(0, 4)).toEqual([
      'Source-Organization: 100% Käthe',
      'Contact-Email: library@example.org',
      `Internal-Sender-Identifier: node/${id}`,
      'Bag-Software-Agent: repo test',
    ]);
    expect(info).toMatch(
      /\nBagging-Date: \d{4}-\d\d-\d\d\nExternal-Identifier: urn:uuid:\S+\nBag-Size: .+ kB\nPayload-Oxum: \d+\.\d+\n/,
    );
  });

  it('keeps an identical bag, and reports a different one', async () => {
    const [same, other] = [await make(), await make()];
    await exporting('bag', { nodes: [same, other] });
    await change(other, 'Changed since');
    const before = (await readdir(folder)).sort();
    const { summary, problems } = await exporting('bag', { nodes: [same, other] });
    expect(summary.nodes).toBe(1);
    expect(problems).toEqual([{ nodeId: other, message: expect.stringContaining('exists with another state') }]);
    expect((await readdir(folder)).sort()).toEqual(before);
  });
});

describe('an export of OCFL objects', () => {
  it('creates one per node, with its revisions', async () => {
    const id = await make('With history');
    await exporting('ocfl', { nodes: [id] });
    const found = await Array.fromAsync(readOcfl(folder), contentOf);
    const source = await packageOf(site.context, id);
    expect(source.versions.length).toBeGreaterThan(1);
    expect(found).toEqual([await contentOf(source)]);
  });

  it('adds a version only for a changed node', async () => {
    const id = await make();
    await exporting('ocfl', { nodes: [id] });
    const [before] = await Array.fromAsync(readOcfl(folder));
    await exporting('ocfl', { nodes: [id] });
    await change(id, 'Once more');
    await exporting('ocfl', { nodes: [id] });
    const [after] = await Array.fromAsync(readOcfl(folder));
    expect(after?.versions.length).toBe((before?.versions.length ?? 0) + 1);
    expect((await contentOf(after as never)).versions.at(-1)).toEqual(
      (await contentOf(await packageOf(site.context, id))).versions.at(-1) as never,
    );
  });
});

describe.each(['bag', 'ocfl'] as const)('an export into packages (%s)', (format) => {
  it('continues after a node that cannot be packed, and leaves nothing of it', async () => {
    const [bad, good] = [await make(), await make('Good')];
    const { database, schemes } = repository.running.services;
    const row = await database.client.first('SELECT storage_key FROM file WHERE uri = ?', [`public://${bad}/page.tif`]);
    await schemes.get('public')?.storage.remove(String(row?.[0]));
    const { summary, problems } = await exporting(format, { nodes: [bad, good] });
    expect(summary).toMatchObject({ nodes: 1, problems: 1 });
    const message = `Cannot read the stored bytes of public://${bad}/page.tif.`;
    expect(problems).toEqual([{ nodeId: bad, message }]);
    if (format === 'bag') expect(await readdir(folder)).toHaveLength(1);
    else expect(await Array.fromAsync(readOcfl(folder))).toHaveLength(1);
  });

  it('packs a node again if one of its files was replaced meanwhile', async () => {
    const id = await make();
    const { schemes } = repository.running.services;
    const storage = schemes.get('public')?.storage as Storage;
    const read = spyOn(storage, 'read').mockImplementationOnce(async (key) => {
      const use = 'http://pcdm.org/use#OriginalFile';
      const uri = `public://${id}/page.tif`;
      const path = `/node/${id}/media/file/${await repository.termId(use)}`;
      const headers = { 'Content-Type': 'image/tiff', 'Content-Location': uri };
      expect((await repository.put(path, 'other bytes', headers, 'admin')).status).toBe(204);
      // As is done with bytes that no row names, some time later.
      await storage.remove(key);
      return storage.read(key);
    });
    const { summary, problems } = await exporting(format, { nodes: [id] });
    expect({ isRepeated: read.mock.calls.length > 1, problems, nodes: summary.nodes }).toEqual({
      isRepeated: true,
      problems: [],
      nodes: 1,
    });
    const path = (await readdir(folder, { recursive: true })).find((name) => name.endsWith('/page.tif'));
    expect(await Bun.file(join(folder, path as string)).text()).toBe('other bytes');
    read.mockRestore();
  });

  it('contains only complete packages after an abort, and continues', async () => {
    const ids = [await make(), await make(), await make()];
    const stop = new AbortController();
    const onProgress = ({ nodes }: { nodes: number }) => nodes === 1 && stop.abort(new Error('it was interrupted'));
    await expect(exporting(format, { nodes: ids }, { signal: stop.signal, onProgress })).rejects.toThrow('interrupted');
    const count = async () =>
      format === 'bag' ? (await readdir(folder)).length : (await Array.fromAsync(readOcfl(folder))).length;
    expect(await count()).toBe(1);
    const { summary } = await exporting(format, { nodes: ids });
    expect(summary).toMatchObject({ nodes: 3, problems: 0 });
    expect(await count()).toBe(3);
  });

  it('does not overwrite a file in place of its folder', async () => {
    const id = await make();
    await rm(folder, { recursive: true, force: true });
    await writeFile(folder, 'mine');
    await expect(exporting(format, { nodes: [id] })).rejects.toThrow();
    expect(await Bun.file(folder).text()).toBe('mine');
  });
});

describe('an export of all nodes', () => {
  it.each(['bag', 'ocfl'] as const)('counts what belongs to no node (%s)', async (format) => {
    const before = await exporting(format, {});
    const video = 'https://www.youtube.com/watch?v=xyz';
    const body = { bundle: [{ target_id: 'remote_video' }], field_media_oembed_video: [{ value: video }] };
    expect((await repository.post('/media?_format=json', body, 'admin')).status).toBe(201);
    const lonely = 'media of no node: not exported';
    const { summary } = await exporting(format, {});
    expect(summary.losses.get(lonely)).toBe((before.summary.losses.get(lonely) ?? 0) + 1);
    expect((await exporting(format, { nodes: [await make()] })).summary.losses.size).toBe(0);
  });

  it('reports a node with an unreadable part, and packs none of it', async () => {
    const [bad, good] = [await make('Lost'), await make('Kept')];
    const { database } = repository.running.services;
    const media = `SELECT source_id FROM reference WHERE target_type = 'node' AND target_id = ${bad}
      AND source_type = 'media' AND field = 'field_media_of'`;
    await database.write([{ sql: `UPDATE media SET bundle = 'vanished' WHERE id IN (${media})`, args: [] }]);
    const { summary, problems } = await exporting('bag', { nodes: [bad, good] });
    expect(summary).toMatchObject({ nodes: 1, problems: 1 });
    expect(problems).toEqual([{ nodeId: bad, message: expect.stringMatching(/^Cannot read its media \d+:/) }]);
  });
});
