import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../../../src/base/json.ts';
import type { Package, PackageFile } from '../../../../src/transfer/files/package.ts';
import { checkPackage, type PackageCheck } from '../../../../src/transfer/package/check-package.ts';
import { packageOf } from '../../../../src/transfer/package/package-of.ts';
import { restorePackage } from '../../../../src/transfer/package/restore-package.ts';
import type { LoadContext } from '../../../../src/transfer/table/table-options.ts';
import { bytesOf, madeFile, withFiles } from '../../../support/made-package.ts';
import { loadContextOf } from '../../../support/table-site.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../../support/test-repository.ts';

const ONE_MORE = '00000000-0000-4000-8000-000000000001';

let source: TestRepository;
let target: TestRepository;
let context: LoadContext;
/** A node with an image, and a tag below another. */
let good: Package;

beforeAll(async () => {
  source = await createTestRepository();
  target = await createTestRepository();
  context = await loadContextOf(target);
  const term = async (name: string, more = {}) => {
    const body = { vid: [{ target_id: 'subject' }], name: [{ value: name }], ...more };
    const created = (await (await source.post('/taxonomy/term?_format=json', body, 'admin')).json()) as EntityJson;
    return created.tid[0].value as number;
  };
  const above = await term('Above');
  const below = await term('Below', { parent: [{ target_id: above }] });
  const { nid } = await source.node({ field_subject: [{ target_id: below }] });
  const use = await source.termId('http://pcdm.org/use#OriginalFile');
  const headers = { 'Content-Type': 'image/png', 'Content-Location': 'public://bad/red.png' };
  const image = Bun.file(`${import.meta.dir}/../../../fixtures/images/red.png`);
  await source.put(`/node/${nid[0].value}/media/image/${use}`, image, headers, 'admin');
  good = await packageOf(await loadContextOf(source), nid[0].value);
}, 30_000);

afterAll(async () => {
  await source?.stop();
  await target?.stop();
});

describe('checkPackage', () => {
  it('finds no problem in a valid package, and changes nothing', async () => {
    const before = await countsOf();
    expect((await checkPackage(context, good)).problems).toEqual([]);
    expect(await countsOf()).toEqual(before);
  });

  it('reports JSON that is invalid, of the wrong type, or not in UTF-8', async () => {
    expect(await problems((files) => files.set('node.json', madeFile('{"title":')))).toEqual([
      ['node.json', expect.stringContaining('It is no JSON in UTF-8')],
    ]);
    expect(await problems((files) => files.set('node.json', madeFile('[1]')))).toEqual([
      ['node.json', expect.stringContaining('It must be a JSON object')],
    ]);
    expect(await problems((files) => files.set('node.json', madeFile(Uint8Array.of(0x22, 0xff))))).toEqual([
      ['node.json', expect.stringContaining('It is no JSON in UTF-8')],
    ]);
    expect(await problems((files) => files.set('node.json', madeFile('['.repeat(2_000_000))))).toHaveLength(1);
  });

  it('rejects too long JSON before reading it', async () => {
    const endless: PackageFile = {
      bytes: 64 * 1024 * 1024 * 1024,
      open() {
        throw new Error('this file must not be read');
      },
    };
    expect(await problems((files) => files.set('node.json', endless))).toEqual([
      ['node.json', expect.stringContaining('It is longer than')],
    ]);
  });

  it('stops reading JSON that exceeds its declared length', async () => {
    let chunks = 0;
    const liar: PackageFile = {
      bytes: 10,
      async *open() {
        for (; chunks < 1_000; chunks++) yield new Uint8Array(1024 * 1024);
      },
    };
    expect(await problems((files) => files.set('node.json', liar))).toHaveLength(1);
    expect(chunks).toBeLessThan(100);
  });

  it('reports a missing node and unknown files', async () => {
    expect(await problems((files) => files.delete('node.json'))).toEqual([
      ['node.json', expect.stringContaining('has no node')],
    ]);
    expect(await problems((files) => files.set('media/../evil.json', madeFile('{}')))).toEqual([
      ['media/../evil.json', expect.stringContaining('must not have this file')],
    ]);
  });

  it('reports an unknown content type and unknown fields, with a suggestion', async () => {
    const found = await inNode((node) => {
      node.type = [{ target_id: 'islandora_objekt' }];
    });
    expect(found).toEqual([['node.json type.0.target_id', expect.stringContaining('Did you mean islandora_object?')]]);
    const fields = await inNode((node) => {
      node.field_extend = [{ value: '3 pages' }];
      node.field_nothing_at_all = [];
    });
    expect(fields).toEqual([['node.json field_extend', expect.stringContaining('Did you mean field_extent?')]]);
  });

  it('reports each invalid value of a field', async () => {
    const found = await inNode((node) => {
      node.title = [{ value: 'x'.repeat(256) }];
      node.field_edtf_date = [{ value: '1999-13' }];
      node.langcode = [{ value: 'xx' }];
      node.field_weight = [{ value: 0 }];
    });
    expect(found.map(([path]) => path)).toEqual([
      'node.json langcode.0',
      'node.json title.0.value',
      'node.json field_edtf_date.0',
      'node.json field_weight.0.value',
    ]);
  });

  it('reports invalid times', async () => {
    const found = await inNode((node) => {
      node.created = [{ value: 'yesterday' }];
      node.revision_timestamp = [{ value: 5 }];
    });
    expect(found.map(([path]) => path)).toEqual(['node.json created', 'node.json revision_timestamp']);
  });

  it('rejects a reference by id or to a wrong type', async () => {
    const found = await inNode((node) => {
      node.field_member_of = [{ target_id: 1 }, { target_uuid: 7 }];
      node.field_subject = [{ target_type: 'node', target_uuid: ONE_MORE }];
    });
    expect(found.map(([path]) => path).toSorted()).toEqual([
      'node.json field_member_of.0',
      'node.json field_member_of.1',
      'node.json field_subject.0',
    ]);
  });

  it('reports a missing term, file and parent', async () => {
    const noTerm = await problems((files) => {
      for (const path of [...files.keys()]) if (path.startsWith('terms/')) files.delete(path);
    });
    expect(noTerm.map(([path]) => path)).toContain('node.json field_subject.0');
    const noFile = await problems((files) => {
      for (const path of [...files.keys()]) if (path.startsWith('files/')) files.delete(path);
    });
    expect(noFile).toEqual([
      [
        expect.stringMatching(/^media\/.* field_media_image\.0$/),
        expect.stringContaining('Neither the repository nor the package'),
      ],
    ]);
    const orphan = await withNode((node) => {
      node.field_member_of = [{ target_uuid: ONE_MORE }];
    });
    const { needs } = await checkPackage(context, orphan);
    expect(needs).toMatchObject([{ path: 'node.json field_member_of.0', uuid: ONE_MORE, isOptional: false }]);
  });

  it('reports bytes that are missing, shorter, or different from the record', async () => {
    const path = [...lastFiles(good).keys()].find((each) => each.endsWith('/red.png')) as string;
    expect(await problems((files) => files.delete(path))).toEqual([
      [expect.stringMatching(/^files\/.*json$/), expect.stringContaining('Its bytes are missing')],
    ]);
    expect(await problems((files) => files.set(path, madeFile('short')))).toEqual([
      [path, expect.stringContaining('It has 5 bytes')],
    ]);
    const size = (lastFiles(good).get(path) as PackageFile).bytes;
    expect(await problems((files) => files.set(path, madeFile('x'.repeat(size))))).toEqual([
      [path, expect.stringContaining('its record says')],
    ]);
  });

  it('reports a file without a reference', async () => {
    const [path] = (await jsonIn(good, 'files/')) ?? [];
    const found = await problems((files) => {
      for (const name of [...files.keys()]) if (name.startsWith('media/')) files.delete(name);
    });
    expect(found).toEqual([[path as string, expect.stringContaining('Nothing in the package refers to it')]]);
  });

  it('rejects an address outside of the stores, and a path as a name', async () => {
    const found = await inFile((file) => {
      file.uri = [{ value: 'public://../../etc/passwd' }];
      file.filename = [{ value: '../x' }];
      file.filemime = [{ value: 'text/html\r\nX: y' }];
    });
    expect(found.map(([path]) => path.split(' ')[1])).toEqual(['uri', 'filename', 'filemime']);
    const elsewhere = await inFile((file) => {
      file.uri = [{ value: 'file:///etc/passwd' }];
    });
    expect(elsewhere).toEqual([
      [expect.stringContaining(' uri'), expect.stringContaining('in this repository, which has public://')],
    ]);
  });

  it('reports a duplicate UUID, and one that differs from its file name', async () => {
    const [, media] = (await jsonIn(good, 'media/')) as [string, JsonObject];
    const { uuid } = JSON.parse((await bytesOf(lastFiles(good).get('node.json') as PackageFile)).toString());
    const twice = await problems((files) =>
      files.set(`media/${uuid[0].value}.json`, madeFile(JSON.stringify({ ...media, uuid }))),
    );
    expect(twice).toEqual([[`media/${uuid[0].value}.json`, expect.stringContaining('node.json has the same UUID')]]);
    const other = await problems((files) => files.set(`media/${ONE_MORE}.json`, madeFile(JSON.stringify(media))));
    expect(other).toEqual([[`media/${ONE_MORE}.json`, expect.stringContaining('differs from the one in its name')]]);
  });

  it('reports a UUID that is already in use', async () => {
    const body = { vid: [{ target_id: 'subject' }], name: [{ value: 'Taken' }], uuid: [{ value: ONE_MORE }] };
    expect((await target.post('/taxonomy/term?_format=json', body, 'admin')).status).toBe(201);
    const taken = await withNode((node) => {
      node.uuid = [{ value: ONE_MORE }];
    });
    const found = await checkPackage(context, { ...taken, identifier: 'somewhere' });
    expect(found.problems).toContainEqual({
      path: 'node.json',
      message: expect.stringContaining('Its UUID is that of taxonomy_term'),
    });
  });

  it('reports terms in a cycle', async () => {
    const changed = await withFiles(good, async (files) => {
      const terms = [...files.keys()].filter((path) => path.startsWith('terms/'));
      const read = async (path: string) => JSON.parse((await bytesOf(files.get(path) as PackageFile)).toString());
      const all = await Promise.all(terms.map(async (path) => [path, await read(path)] as const));
      const [above, below] = ['Above', 'Below'].map((name) =>
        all.find(
          ([
            ,
            {
              name: [label],
            },
          ]) => label.value === name,
        ),
      );
      if (above === undefined || below === undefined) return;
      const parent = [{ target_type: 'taxonomy_term', target_uuid: below[1].uuid[0].value }];
      files.set(above[0], madeFile(JSON.stringify({ ...above[1], parent })));
    });
    const { problems: found } = await checkPackage(context, changed);
    // What refers to them cannot be made either.
    expect(found.map(({ path }) => path).filter((path) => path.startsWith('terms/'))).toHaveLength(2);
    expect(found[0]?.message).toContain('in a cycle');
  });
});

describe('restorePackage', () => {
  it('creates no node for an invalid package', async () => {
    const before = await countsOf();
    const broken = await withNode((node) => {
      node.field_edtf_date = [{ value: 'never' }];
    });
    const { problems: found } = await restorePackage(context, await onlyNode(broken));
    expect(found).toMatchObject([{ path: 'node.json field_edtf_date.0' }]);
    expect((await countsOf()).node).toBe(before.node as number);
  });

  it('filters formatted text, and ignores computed values', async () => {
    const evil = await withNode((node) => {
      node.uuid = [{ value: '00000000-0000-4000-8000-0000000000ee' }];
      node.title = [{ value: '<script>alert(1)</script>' }];
      node.field_abstract = [
        {
          value: '<p onclick="x()">Hi<script>alert(1)</script></p>',
          format: 'basic_html',
          processed: '<script>evil()</script>',
        },
      ];
      node.nid = [{ value: 1 }];
      node.path = [{ alias: null, pid: 12, langcode: 'en' }];
    });
    const { problems: found } = await restorePackage(context, { ...(await onlyNode(evil)), identifier: 'somewhere' });
    expect(found).toEqual([]);
    const { rows } = await context.services.database.client.execute(
      "SELECT id FROM node WHERE uuid = '00000000-0000-4000-8000-0000000000ee'",
    );
    const created = (await (await target.get(`/node/${rows[0]?.[0]}?_format=json`, 'admin')).json()) as EntityJson;
    expect(created.field_abstract[0]).toEqual({
      value: '<p onclick="x()">Hi<script>alert(1)</script></p>',
      format: 'basic_html',
      processed: '<p>Hi</p>',
    });
    expect(created.nid[0].value).toBe(rows[0]?.[0] as number);
    expect(created.path[0].pid).toBeNull();
  });

  it('leaves nothing of a file whose bytes change after the check', async () => {
    const path = [...lastFiles(good).keys()].find((each) => each.endsWith('/red.png')) as string;
    const before = await countsOf();
    const changed = await withFiles(good, (files) => {
      const file = files.get(path);
      if (file?.sha256 === undefined) return;
      files.set(path, { bytes: file.bytes, sha256: file.sha256, open: madeFile('y'.repeat(file.bytes)).open });
    });
    const { problems: found } = await restorePackage(context, changed);
    expect(found).toMatchObject([{ path, message: expect.stringContaining('its record says') }]);
    expect(await countsOf()).toMatchObject({ file: before.file as number, media: before.media as number });
    // What was there by then stays, and the same package completes it.
    const { problems: none, created, waitsFor } = await restorePackage(context, good);
    expect({ none, waitsFor }).toEqual({ none: [], waitsFor: [] });
    expect(created).toMatchObject({ nodes: 0, media: 1, terms: 0, files: 1 });
  });
});

async function countsOf(): Promise<Record<string, number>> {
  const tables = ['node', 'media', 'taxonomy_term', 'file', 'node_revision'];
  const results = await context.services.database.read(
    tables.map((name) => ({ sql: `SELECT count(*) FROM ${name}`, args: [] })),
  );
  return Object.fromEntries(tables.map((name, index) => [name, Number(results[index]?.rows[0]?.[0])]));
}

function lastFiles({ versions }: Package): ReadonlyMap<string, PackageFile> {
  return versions.at(-1)?.files ?? new Map();
}

async function problems(change: (files: Map<string, PackageFile>) => unknown): Promise<[string, string][]> {
  return pairs(await checkPackage(context, await withFiles(lastOf(good), async (files) => void (await change(files)))));
}

function lastOf(source: Package): Package {
  return { ...source, versions: source.versions.slice(-1) };
}

function pairs({ problems: found }: PackageCheck): [string, string][] {
  return found.map(({ path, message }) => [path, message]);
}

async function inNode(change: (node: JsonObject) => void): Promise<[string, string][]> {
  return pairs(await checkPackage(context, await onlyNode(await withNode(change))));
}

async function inFile(change: (file: JsonObject) => void): Promise<[string, string][]> {
  const [path, document] = (await jsonIn(good, 'files/')) as [string, JsonObject];
  change(document);
  return problems((files) => files.set(path, madeFile(JSON.stringify(document))));
}

async function jsonIn(source: Package, prefix: string): Promise<[string, JsonObject] | undefined> {
  for (const [path, file] of lastFiles(source))
    if (path.startsWith(prefix) && path.endsWith('.json'))
      return [path, JSON.parse((await bytesOf(file)).toString()) as JsonObject];
  return undefined;
}

function withNode(change: (node: JsonObject) => void): Promise<Package> {
  return withFiles(lastOf(good), async (files) => {
    const node = JSON.parse((await bytesOf(files.get('node.json') as PackageFile)).toString()) as JsonObject;
    change(node);
    files.set('node.json', madeFile(JSON.stringify(node)));
  });
}

/** Without media, which would wait for the node. */
function onlyNode(source: Package): Promise<Package> {
  return withFiles(source, (files) => {
    for (const path of [...files.keys()]) if (/^(media|files)\//.test(path)) files.delete(path);
  });
}
