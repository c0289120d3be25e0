import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { $ } from 'bun';
import { outcomeOf } from '../../support/command-outcome.ts';
import { emptyFolder } from '../../support/empty-folder.ts';
import { CAN_MOUNT, mountSmallDisk } from '../../support/small-disk.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';
import { until } from '../../support/until.ts';

const MAIN = resolve(import.meta.dir, '../../../src/main.ts');
const NODES = 60;

const disk = await emptyFolder();
const smallDisk = CAN_MOUNT ? mountSmallDisk(disk, '64k') : undefined;

let repository: TestRepository;
let ids: number[];
beforeAll(async () => {
  repository = await createTestRepository();
  const book = (await repository.node({ title: [{ value: 'A book' }] })).nid[0].value;
  ids = [book];
  for (let count = 0; count < NODES; count++) {
    const title = [{ value: `Page ${count}` }];
    ids.push((await repository.node({ title, field_member_of: [{ target_id: book }] })).nid[0].value);
  }
  const use = 'http://pcdm.org/use#OriginalFile';
  for (const id of ids.slice(0, 20)) {
    const uri = `public://pages/${id}.tif`;
    await repository.build.upload(id, { media: 'file', use, uri, mimeType: 'image/tiff', bytes: `bytes of ${id}` });
  }
}, 60_000);
afterAll(async () => {
  await repository.stop();
  smallDisk?.unmount();
});

function started(...words: string[]) {
  const command = [process.execPath, MAIN, 'export', ...words, '--data', repository.dataFolder];
  return Bun.spawn(command, { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe', env: { PATH: process.env.PATH ?? '' } });
}

const exporting = (...words: string[]) => outcomeOf(started(...words));

describe('repo export', () => {
  it('writes a table and files while the repository runs', async () => {
    const folder = await emptyFolder();
    const [table, files] = [join(folder, 'nodes.csv'), join(folder, 'files')];
    const { code, out, err } = await exporting(table, '--files', files);
    expect({ code, out, err }).toEqual({ code: 0, out: 'Exported 61 nodes and 20 files of 211 bytes.\n', err: '' });
    expect((await readFile(table, 'utf8')).trim().split('\n')).toHaveLength(ids.length + 1);
    expect(await readFile(join(files, `${ids[3]}/${ids[3]}.tif`), 'utf8')).toBe(`bytes of ${ids[3]}`);
    expect((await readdir(folder)).sort()).toEqual(['files', 'nodes.csv']);
  });

  it('writes bags that sha256sum verifies', async () => {
    const folder = await emptyFolder();
    const { code, out } = await exporting('--bag', folder, '--node', `${ids[1]},${ids[2]}`);
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('Exported 2 nodes and') });
    for (const bag of await readdir(folder))
      expect((await $`sha256sum --quiet -c manifest-sha256.txt`.cwd(join(folder, bag)).nothrow()).exitCode).toBe(0);
  });

  it('writes OCFL objects of the members of a node', async () => {
    const folder = await emptyFolder();
    const { code, out } = await exporting('--ocfl', folder, '--members-of', String(ids[0]));
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining(`Exported ${NODES} nodes`) });
    expect((await $`find ${folder} -name 0=ocfl_object_1.1`.text()).trim().split('\n')).toHaveLength(NODES);
  });

  it.each([
    [[], 'name a table, --bag, --ocfl or --template'],
    [['a.csv', '--template', 'b.xlsx'], 'exclude each other'],
    [['a.csv', '--bag', 'b'], 'exclude each other'],
    [['--bag', 'a', '--ocfl', 'b'], 'cannot be used with'],
    [['--bag', 'a', '--files', 'b'], 'cannot be used with'],
    [['--bag', ''], 'It must be a path'],
    [['--ocfl', ''], 'It must be a path'],
    [['--bag', 'a', '--for-spreadsheets'], '--for-spreadsheets requires a table'],
    [['a.csv', '--node', '1,x'], 'It must be a number from 1'],
    [['a.csv', '--subdelimiter', ','], 'must differ'],
    [['a.csv', '--delimiter', 'xy'], 'It must be one character'],
  ])('rejects %j with a usage error', async (words, said) => {
    const { code, err } = await exporting(...(words as string[]));
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(said as string) });
  });

  it.each([
    [['--node', '999999'], 'Cannot find node 999999, or admin may not view it.'],
    [['--members-of', '999999'], 'Cannot find node 999999'],
    [['--content-type', 'islandora_objekt'], 'did you mean islandora_object?'],
    [['--user', 'nobody'], 'Unknown user nobody'],
  ])('reports an unknown name or id: %j', async (words, said) => {
    const folder = await emptyFolder();
    const { code, err } = await exporting(join(folder, 'nodes.csv'), ...(words as string[]));
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(said as string) });
    expect(await readdir(folder)).toEqual([]);
  });

  it('reports an unusable target', async () => {
    const folder = await emptyFolder();
    await mkdir(join(folder, 'other/things'), { recursive: true });
    const { code, err } = await exporting('--ocfl', join(folder, 'other'));
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringContaining('is neither empty nor an OCFL storage root'),
    });
  });

  it.if(CAN_MOUNT)('names a write-protected folder', async () => {
    smallDisk?.protect(true);
    try {
      for (const words of [[join(disk, 'nodes.csv')], ['--bag', disk]]) {
        const { code, err } = await exporting(...words);
        expect({ code, err }).toEqual({ code: 1, err: `${disk} cannot be used: its disk is write-protected.\n` });
      }
    } finally {
      smallDisk?.protect(false);
    }
  });

  it.if(CAN_MOUNT).each([['nodes.csv', '--files'], ['--bag'], ['--ocfl']])(
    'reports a full disk, and leaves no partial files: %s',
    async (...words) => {
      const to = words.length === 2 ? [join(disk, 'nodes.csv'), '--files', disk] : [words[0] as string, disk];
      const { code, err } = await exporting(...to);
      expect({ code, err }).toEqual({
        code: 1,
        err: expect.stringContaining('cannot be used: there is no room left on its disk.'),
      });
      expect((await $`find ${disk} -name ${'.incomplete*'}`.text()).trim()).toBe('');
      expect(await readdir(disk)).not.toContain('nodes.csv');
      await $`find ${disk} -mindepth 1 -delete`;
    },
  );

  it.each(['SIGINT', 'SIGTERM'] as const)('leaves no partial table after %s', async (signal) => {
    const folder = await emptyFolder();
    const child = started(join(folder, 'nodes.csv'), '--files', join(folder, 'files'));
    // As soon as it is at it.
    await until(async () => (await readdir(folder)).length > 0 || child.exitCode !== null);
    child.kill(signal);
    const { code, out, err } = await outcomeOf(child);
    expect((await readdir(folder)).filter((name) => name !== 'files')).toEqual(code === 0 ? ['nodes.csv'] : []);
    expect(code === 0 ? out : err).toContain(code === 0 ? 'Exported' : 'The export was interrupted.');
    expect((await $`find ${folder} -name ${'.incomplete*'}`.text()).trim()).toBe('');
  });
});
