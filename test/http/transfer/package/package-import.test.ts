import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../../../src/base/json.ts';
import { type Package, PackageError, type PackageFile } from '../../../../src/transfer/files/package.ts';
import { openOcflRoot } from '../../../../src/transfer/ocfl/ocfl-root.ts';
import { readOcflObject } from '../../../../src/transfer/ocfl/read-object.ts';
import { writeOcflObject } from '../../../../src/transfer/ocfl/write-object.ts';
import { type ImportSummary, importPackages } from '../../../../src/transfer/package/import-packages.ts';
import { packageOf } from '../../../../src/transfer/package/package-of.ts';
import { MAX_SINGLE_CHANGES } from '../../../../src/transfer/package/timeline.ts';
import type { LoadContext } from '../../../../src/transfer/table/table-options.ts';
import { emptyFolder } from '../../../support/empty-folder.ts';
import { bytesOf, madeFile, withFiles } from '../../../support/made-package.ts';
import { loadContextOf } from '../../../support/table-site.ts';
import { createTestRepository, type TestRepository } from '../../../support/test-repository.ts';

let source: TestRepository;
let from: LoadContext;
let target: TestRepository;
let context: LoadContext;

beforeAll(async () => {
  source = await createTestRepository();
  from = await loadContextOf(source);
});
beforeEach(async () => {
  await target?.stop();
  target = await createTestRepository();
  context = await loadContextOf(target);
});
afterAll(async () => {
  await source?.stop();
  await target?.stop();
});

describe('importPackages', () => {
  it('loads parents that come after their children', async () => {
    const top = await node('Top');
    const middle = await node('Middle', { field_member_of: [{ target_id: top }] });
    const bottom = await node('Bottom', { field_member_of: [{ target_id: middle }] });
    const summary = await load([await pack(bottom), await pack(middle), await pack(top)]);
    expect(summary).toMatchObject({ problems: [], packages: 3, present: 0, created: { nodes: 3 } });
    expect(
      await titles(
        "SELECT c.label, p.label FROM reference r JOIN node c ON c.id = r.source_id JOIN node p ON p.id = r.target_id WHERE r.field = 'field_member_of' ORDER BY 1",
      ),
    ).toEqual([
      ['Bottom', 'Middle'],
      ['Middle', 'Top'],
    ]);
  });

  it('loads nothing where a parent is nowhere, and names it', async () => {
    const top = await node('Top');
    const bottom = await node('Bottom', { field_member_of: [{ target_id: top }] });
    const summary = await load([await pack(await node('Other')), await pack(bottom)]);
    expect(summary.problems).toEqual([
      {
        name: 'package 2',
        path: 'node.json field_member_of.0',
        message: expect.stringContaining('neither in the repository nor in this import'),
      },
    ]);
    expect(await count('node')).toBe(0);
  });

  it('names the parents that go round in a circle', async () => {
    const one = await node('One');
    const two = await node('Two', { field_member_of: [{ target_id: one }] });
    await change(one, { field_member_of: [{ target_id: two }] });
    const summary = await load([await pack(one), await pack(two)]);
    expect(summary.problems.map(({ name, path }) => [name, path])).toEqual([
      ['package 1', 'node.json field_member_of.0'],
      ['package 2', 'node.json field_member_of.0'],
    ]);
    expect(await count('node')).toBe(0);
  });

  it('goes on without what only an earlier revision refers to, and says so', async () => {
    const gone = await node('Gone');
    const kept = await node('Kept');
    const child = await node('Child', { field_member_of: [{ target_id: gone }] });
    await change(child, { field_member_of: [{ target_id: kept }] });
    const { problems, notes } = await load([await pack(child), await pack(kept)]);
    expect(problems).toEqual([]);
    expect(notes).toEqual([expect.stringContaining('An earlier revision of node.json refers to node')]);
  });

  it('brings a term with those above it that only an earlier revision refers to', async () => {
    const above = await subject('Above');
    const below = await subject('Below', { parent: [{ target_id: above }] });
    const id = await node('Subjects', { field_subject: [{ target_id: below }] });
    await change(id, { field_subject: [] });
    const { problems, notes, created } = await load([await pack(id)]);
    expect({ problems, notes, terms: created.terms }).toEqual({ problems: [], notes: [], terms: 2 });
    const labels = await titles("SELECT label FROM taxonomy_term WHERE bundle = 'subject' ORDER BY id");
    expect(labels).toEqual([['Above'], ['Below']]);
    const first = (await packageOf(context, 1)).versions[0]?.files.get('node.json');
    expect((await json(first)).field_subject).toHaveLength(1);
  });

  it('does not bring back a term that was deleted here, for a node that is here', async () => {
    const gone = await subject('Gone');
    const id = await node('Of a subject', { field_subject: [{ target_id: gone }] });
    const packages = [await pack(id)];
    await change(id, { field_subject: [] });
    packages.push(await pack(id));
    await load(packages.slice(1));
    const term = Number((await titles("SELECT id FROM taxonomy_term WHERE label = 'Gone'"))[0]?.[0]);
    expect((await target.delete(`/taxonomy/term/${term}?_format=json`, 'admin')).status).toBe(204);
    for (const packed of packages)
      expect(await load([packed])).toMatchObject({ problems: [], present: 1, created: { terms: 0 } });
  });

  it('gives earlier revisions what comes later in the import, even in a circle', async () => {
    const one = await node('First');
    const two = await node('Second', { field_member_of: [{ target_id: one }] });
    await change(two, { field_member_of: [] });
    await change(one, { field_member_of: [{ target_id: two }] });
    const { problems, notes } = await load([await pack(one), await pack(two)]);
    expect(problems).toEqual([]);
    // The present of one needs the other, whose past is done without.
    expect(notes).toHaveLength(1);
    expect(await count('node')).toBe(2);
  });

  it('loads a picture of a collection that belongs to one of its members', async () => {
    const collection = await node('With a picture');
    const member = await node('Member', { field_member_of: [{ target_id: collection }] });
    const picture = await image(member, 'cover.png');
    await change(collection, { field_representative_image: [{ target_id: picture }] });
    await change(collection, { title: [{ value: 'With a picture still' }] });
    const packages = [await pack(collection), await pack(member)];
    expect(await load(packages)).toMatchObject({ problems: [], notes: [], created: { nodes: 2, media: 1, files: 1 } });
    const { rows } = await context.services.database.client.execute("SELECT id FROM node WHERE label LIKE 'With a%'");
    const copy = await packageOf(context, Number(rows[0]?.[0]));
    const [original] = packages as [Package];
    for (const [index, { files }] of copy.versions.entries()) {
      const wanted = await json(original.versions[index]?.files.get('node.json'));
      const found = await json(files.get('node.json'));
      const uuids = (items: unknown) => (items as { target_uuid: string }[]).map(({ target_uuid }) => target_uuid);
      expect(uuids(found.field_representative_image)).toEqual(uuids(wanted.field_representative_image));
    }
    expect(copy.versions).toHaveLength(3);
    expect(await load(packages)).toMatchObject({ present: 2, created: { nodes: 0, completed: 0 } });
  });

  it('completes a node that was left without its picture by a crash', async () => {
    const packed = await brokenOff();
    expect(await load([packed])).toMatchObject({ present: 0, created: { nodes: 0, media: 1, completed: 1 } });
    expect(await load([packed])).toMatchObject({ present: 1 });
    expect(await titles("SELECT field, target_type FROM reference WHERE field = 'field_representative_image'")).toEqual(
      [['field_representative_image', 'media']],
    );
  });

  it('leaves such a node alone if someone has changed it, and says so', async () => {
    const packed = await brokenOff();
    const id = Number((await context.services.database.client.first('SELECT id FROM node', []))?.[0]);
    const body = { type: [{ target_id: 'islandora_object' }], title: [{ value: 'Changed here' }] };
    expect((await target.patch(`/node/${id}?_format=json`, body, 'admin')).status).toBe(200);
    const { problems, created, notes } = await load([packed]);
    expect({ problems, media: created.media, completed: created.completed }).toEqual({
      problems: [],
      media: 1,
      completed: 0,
    });
    expect(notes).toEqual([expect.stringContaining('node.json was changed before all')]);
    expect(await titles('SELECT label FROM node')).toEqual([['Changed here']]);
  });

  it('keeps existing content regardless of the package', async () => {
    const packed = await pack(await node('As it was'));
    await load([packed]);
    const changed = await withFiles(packed, async (files) => {
      const document = await json(files.get('node.json'));
      files.set('node.json', madeFile(JSON.stringify({ ...document, title: [{ value: 'Changed' }] })));
    });
    expect(await load([changed])).toMatchObject({ present: 1, problems: [], created: { nodes: 0 } });
    expect(await titles('SELECT label FROM node')).toEqual([['As it was']]);
  });

  it('names an alias that is taken, here or in the same import', async () => {
    const packed = await pack(await node('Named', { path: [{ alias: '/named' }] }));
    await target.node({ path: [{ alias: '/named' }] });
    expect((await load([packed])).problems).toMatchObject([{ path: 'node.json path.0.alias' }]);
    const copy = await withFiles(await pack(await node('Other')), async (files) => {
      const document = await json(files.get('node.json'));
      files.set('node.json', madeFile(JSON.stringify({ ...document, path: [{ alias: '/both' }] })));
    });
    const both = await withFiles(packed, async (files) => {
      const document = await json(files.get('node.json'));
      files.set('node.json', madeFile(JSON.stringify({ ...document, path: [{ alias: '/both' }] })));
    });
    expect((await load([copy, both])).problems).toMatchObject([
      { name: 'package 2', message: expect.stringContaining('Another entity of this import has the alias') },
    ]);
  });

  it('names a node of which two packages have a state', async () => {
    const id = await node('As it was');
    const before = await pack(id);
    await change(id, { title: [{ value: 'As it is' }] });
    const summary = await load([before, await pack(id)]);
    expect(summary.problems).toEqual([
      { name: 'package 2', path: 'node.json', message: expect.stringContaining('package 1 holds its node') },
    ]);
    expect(await count('node')).toBe(0);
  });

  it('loads a node of many media, which has few versions, also after it got more', async () => {
    const id = await node('Of many');
    for (let number = 0; number <= MAX_SINGLE_CHANGES; number++) await text(id, `many ${number}`);
    const folder = await emptyFolder();
    const root = await openOcflRoot(folder);
    expect(await writeOcflObject(root, await pack(id))).toMatchObject({ isNew: true, versions: 2 });
    await text(id, 'one more');
    const { folder: object } = await writeOcflObject(root, await pack(id));
    const found = await readOcflObject(object);
    expect(found.versions.length).toBe(3);
    const summary = await load([found]);
    expect(summary).toMatchObject({ problems: [], created: { nodes: 1, media: MAX_SINGLE_CHANGES + 2 } });
    expect(await count('node_revision')).toBe(1);
    expect(await count('media_revision')).toBe(MAX_SINGLE_CHANGES + 2);
  });

  it('keeps the address of a file, or takes the next that is free', async () => {
    const before = await target.node();
    const use = await target.termId('http://pcdm.org/use#OriginalFile');
    const headers = { 'Content-Type': 'text/plain', 'Content-Location': 'public://a/taken.png' };
    await target.put(`/node/${before.nid[0].value}/media/image/${use}`, 'other', headers, 'admin');
    const holder = await node('Holder');
    await image(holder, 'taken.png', 'a');
    expect(await load([await pack(holder)])).toMatchObject({ problems: [], created: { files: 1 } });
    expect(await titles("SELECT uri, filename FROM file WHERE uri LIKE 'public://a/%' ORDER BY id")).toEqual([
      ['public://a/taken.png', 'taken.png'],
      ['public://a/taken_0.png', 'taken.png'],
    ]);
  });

  it('names the packages that cannot be read, beside the others', async () => {
    const good = await pack(await node('Good'));
    const sources = [
      { name: 'broken', read: () => Promise.reject(new PackageError('manifest-sha256.txt is missing.')) },
      { name: 'good', read: async () => good },
    ];
    const summary = await importPackages(context, listOf(sources), options());
    expect(summary.problems).toEqual([{ name: 'broken', path: '', message: 'manifest-sha256.txt is missing.' }]);
    expect(await count('node')).toBe(0);
  });

  it('reports unknown users, and makes the importing user the owner', async () => {
    const eve = await source.user('eve');
    const { problems, notes } = await load([await pack(await node('Hers', { uid: [{ target_id: eve }] }))]);
    expect(problems).toEqual([]);
    expect(notes).toEqual(['There is no user eve: content and revisions of eve become those of admin.']);
    expect(await titles('SELECT u.name FROM node n JOIN user u ON u.id = n.owner_id')).toEqual([['admin']]);
  });

  it('makes nothing twice when two load the same at the same time', async () => {
    const subject = { vid: [{ target_id: 'subject' }], name: [{ value: 'Shared' }] };
    const term = await source.post('/taxonomy/term?_format=json', subject, 'admin');
    const id = ((await term.json()) as { tid: [{ value: number }] }).tid[0].value;
    const packages: Package[] = [];
    for (let number = 0; number < 5; number++) {
      const holder = await node(`Twice ${number}`, { field_subject: [{ target_id: id }] });
      await image(holder, `twice-${number}.png`);
      packages.push(await pack(holder));
    }
    const before = await count('taxonomy_term');
    const summaries = await Promise.all([load(packages), load([...packages].reverse())]);
    expect(summaries.map(({ problems }) => problems)).toEqual([[], []]);
    expect({ nodes: await count('node'), media: await count('media') }).toEqual({ nodes: 5, media: 5 });
    expect(await count('taxonomy_term')).toBe(before + 1);
    expect(await count('file')).toBe(5 + 1);
  });

  it('makes nothing twice when several load a node of many media, one of them always a bit ahead', async () => {
    const holder = await node('Together');
    for (let number = 0; number < 20; number++) await text(holder, `together ${number}`);
    const packed = await pack(holder);
    const summaries = await Promise.all([load([packed]), load([packed]), load([packed])]);
    expect(summaries.map(({ problems }) => problems)).toEqual([[], [], []]);
    expect({ nodes: await count('node'), media: await count('media'), files: await count('file') }).toEqual({
      nodes: 1,
      media: 20,
      files: 20 + 1,
    });
  });
});

async function node(title: string, fields: JsonObject = {}): Promise<number> {
  return (await source.node({ title: [{ value: title }], ...fields })).nid[0].value;
}

async function change(id: number, fields: JsonObject): Promise<void> {
  const body = { type: [{ target_id: 'islandora_object' }], ...fields };
  const response = await source.patch(`/node/${id}?_format=json`, body, 'admin');
  if (!response.ok) throw new Error(await response.text());
}

async function image(holder: number, name: string, folder = 'images'): Promise<number> {
  const use = await source.termId('http://pcdm.org/use#OriginalFile');
  const headers = { 'Content-Type': 'image/png', 'Content-Location': `public://${folder}/${name}` };
  const file = Bun.file(`${import.meta.dir}/../../../fixtures/images/red.png`);
  const response = await source.put(`/node/${holder}/media/image/${use}`, file, headers, 'admin');
  return Number(response.headers.get('Location')?.split('/').at(-1));
}

/** Loads a node with an image, and aborts between the two. Returns the package. */
async function brokenOff(): Promise<Package> {
  const own = await node('Own picture');
  const picture = await image(own, 'own.png');
  await change(own, { field_representative_image: [{ target_id: picture }] });
  const packed = await pack(own);
  const stop = new AbortController();
  const breaksOff = await withFiles(packed, (files) => {
    for (const [path, file] of files)
      if (/own\w*\.png$/.test(path))
        files.set(path, {
          ...file,
          open() {
            stop.abort(new Error('interrupted'));
            return file.open();
          },
        });
  });
  await expect(load([breaksOff], { signal: stop.signal })).rejects.toThrow('interrupted');
  expect({ nodes: await count('node'), media: await count('media') }).toEqual({ nodes: 1, media: 0 });
  return packed;
}

/** A media of its own for each text: to put another picture to a node is to replace the one before. */
async function text(holder: number, content: string): Promise<void> {
  const upload = await source.fetch('/file/upload/media/file/field_media_file?_format=json', {
    method: 'POST',
    headers: { 'Content-Type': 'application/octet-stream', 'Content-Disposition': 'file; filename="many.txt"' },
    body: content,
    as: 'admin',
  });
  const { fid } = (await upload.json()) as { fid: [{ value: number }] };
  const media = {
    bundle: [{ target_id: 'file' }],
    field_media_file: [{ target_id: fid[0].value }],
    field_media_of: [{ target_id: holder }],
  };
  const response = await source.post('/media?_format=json', media, 'admin');
  if (response.status !== 201) throw new Error(await response.text());
}

async function subject(name: string, fields: JsonObject = {}): Promise<number> {
  const term = { vid: [{ target_id: 'subject' }], name: [{ value: name }], ...fields };
  const response = await source.post('/taxonomy/term?_format=json', term, 'admin');
  return ((await response.json()) as { tid: [{ value: number }] }).tid[0].value;
}

function pack(id: number): Promise<Package> {
  return packageOf(from, id);
}

function options(signal = new AbortController().signal) {
  return { isCheckOnly: false, signal, onProgress: () => {} };
}

function listOf<T>(sources: readonly T[]) {
  return async function* () {
    yield* sources;
  };
}

function load(packages: readonly Package[], { signal }: { signal?: AbortSignal } = {}): Promise<ImportSummary> {
  const sources = packages.map((packed, index) => ({ name: `package ${index + 1}`, read: async () => packed }));
  return importPackages(context, listOf(sources), options(signal));
}

async function json(file: PackageFile | undefined): Promise<JsonObject> {
  return JSON.parse((await bytesOf(file as PackageFile)).toString()) as JsonObject;
}

async function titles(query: string): Promise<unknown[][]> {
  const { rows } = await context.services.database.client.execute(query);
  return rows.map((row) => Array.from({ length: row.length }, (_, index) => row[index]));
}

async function count(table: string): Promise<number> {
  return Number((await context.services.database.client.first(`SELECT count(*) FROM ${table}`, []))?.[0]);
}
