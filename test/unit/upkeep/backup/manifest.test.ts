import { expect, it } from 'bun:test';
import { join } from 'node:path';
import { createLocalPlace } from '../../../../src/upkeep/backup/local-place.ts';
import {
  listBackups,
  type Manifest,
  nameOfMoment,
  readManifest,
  writeManifest,
} from '../../../../src/upkeep/backup/manifest.ts';
import { emptyFolder } from '../../../support/empty-folder.ts';

const folder = await emptyFolder();
const place = createLocalPlace(folder);

const MANIFEST: Manifest = {
  format: 1,
  program: { name: 'repo', version: '0.1.0' },
  backup: '2026-11-22T010203Z',
  started: '2026-11-22T01:02:03.000Z',
  finished: '2026-11-22T01:02:04.000Z',
  database: { sha256: 'a'.repeat(64), bytes: 4096, migration: '0004_scale' },
  files: { count: 2, bytes: 10, contents: 1, contentBytes: 5, added: 1, addedBytes: 5 },
  stores: { public: { files: 2, bytes: 10 } },
  damaged: [{ id: 1, uri: 'public://a', sha256: 'b'.repeat(64), bytes: 5, problem: 'it does not exist' }],
};

it('nameOfMoment names backups by second, in chronological order', () => {
  expect(nameOfMoment(Date.UTC(2026, 10, 22, 1, 2, 3, 999))).toBe('2026-11-22T010203Z');
});

it('readManifest returns a written manifest, and listBackups the existing ones in order', async () => {
  await writeManifest(place, { ...MANIFEST, backup: '2027-01-01T000000Z' });
  await writeManifest(place, MANIFEST);
  await Bun.write(join(folder, 'backups/notes.txt'), 'by hand');
  expect(await readManifest(place, MANIFEST.backup)).toEqual(MANIFEST);
  expect(await listBackups(place)).toEqual(['2026-11-22T010203Z', '2027-01-01T000000Z']);
});

it('readManifest rejects a truncated or invalid manifest with the reason', async () => {
  const name = '2026-11-22T050000Z';
  const file = join(folder, `backups/${name}.json`);
  const text = JSON.stringify(MANIFEST);
  const reasons: [string, string][] = [
    [text.slice(0, 200), 'it is no JSON'],
    ['', 'it is no JSON'],
    ['[]', 'the file must be a map, found an empty list'],
    [text.replace('"format":1', '"format":2'), 'format must be 1, the form that this version of repo knows, found 2'],
    [text.replaceAll('aaaa', '../a'), 'database.sha256 must be 64 hexadecimal digits'],
    [text.replace('"bytes":4096', '"bytes":-1'), 'database.bytes must be a number from 0, found -1'],
  ];
  for (const [content, reason] of reasons) {
    await Bun.write(file, content);
    const message = String(await readManifest(place, name).catch((error: unknown) => error));
    expect(message).toStartWith(
      `BackupError: The manifest backups/${name}.json in ${folder} cannot be used: ${reason}`,
    );
    expect(message).toEndWith('Choose another backup with --backup.');
  }
});
