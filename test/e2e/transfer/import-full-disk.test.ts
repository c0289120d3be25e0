import { afterAll, describe, expect, it } from 'bun:test';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { audit } from '../../support/audit.ts';
import { emptyFolder } from '../../support/empty-folder.ts';
import { createImportPlace, openAndClose, writeImages } from '../../support/import-command.ts';
import { CAN_MOUNT, mountSmallDisk } from '../../support/small-disk.ts';

const disk = await emptyFolder();
const smallDisk = CAN_MOUNT ? mountSmallDisk(disk, '128m') : undefined;
const NODES = 1_500;

afterAll(async () => {
  smallDisk?.unmount();
});

describe.if(CAN_MOUNT)('an import', () => {
  it('reports a full disk, leaves nothing partial, and resumes when there is space', async () => {
    const place = await createImportPlace({}, disk);
    await openAndClose(place.data);
    const images = await writeImages(place.files, NODES);
    const rows = images.map((name, at) => `${at},Object ${at},Image,${'x'.repeat(2_000)},${name}`);
    const table = await place.table('nodes.csv', ['id,title,field_model,field_description,file', ...rows]);
    const free = Number(Bun.spawnSync(['df', '--output=avail', '-B1', disk]).stdout.toString().split('\n')[1]);
    await writeFile(join(disk, 'filler'), new Uint8Array(free - 12_000_000));

    const { code, out, err } = await place.run(table);
    expect(code).toBe(1);
    expect(out).toMatch(/^Imported /);
    expect(err).toMatch(/^nodes\.csv:\d+ \(row \d+\).*There is no room left/m);
    expect(err).toMatch(/rows are left\. Run the same command to resume\.$/m);
    const half = place.count('SELECT count(*) FROM node');
    expect(half).toBeGreaterThan(0);
    expect(half).toBeLessThan(NODES);
    expect(place.count("SELECT count(*) FROM import_item WHERE part = ''")).toBe(half);

    await rm(join(disk, 'filler'));
    expect(await place.run(table)).toMatchObject({ code: 0 });
    expect(place.count('SELECT count(*) FROM node')).toBe(NODES);
    expect(place.count('SELECT count(*) FROM media')).toBe(NODES);
    await openAndClose(place.data);
    expect(await audit(place.data, true)).toEqual([]);
    await place.remove();
  }, 90_000);

  it('reports a full disk for its result, and writes it when there is space', async () => {
    const place = await createImportPlace();
    const small = join(disk, 'small');
    await mkdir(small);
    const tiny = mountSmallDisk(small, '8k');
    try {
      await openAndClose(place.data);
      const rows = Array.from({ length: 400 }, (_, at) => `${at},Object ${at},Image`);
      const table = await place.table('nodes.csv', ['id,title,field_model', ...rows]);
      const result = join(small, 'result.csv');
      const { code, err } = await place.run(table, '--output', result);
      expect(err).toContain('there is no room left on its disk');
      expect(code).toBe(1);
      expect(await readdir(small)).toEqual([]);
      tiny.resize('1m');
      expect(await place.run(table, '--output', result)).toMatchObject({ code: 0 });
      expect((await Bun.file(result).text()).trim().split('\n')).toHaveLength(rows.length + 1);
      expect(place.count('SELECT count(*) FROM node')).toBe(rows.length);
    } finally {
      tiny.unmount();
      await place.remove();
    }
  }, 60_000);
});
