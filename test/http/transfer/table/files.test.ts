import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createPlanner } from '../../../../src/transfer/table/create-planner.ts';
import { USUAL_TABLE_OPTIONS } from '../../../../src/transfer/table/table-options.ts';
import { createTableSite, type TableSite } from '../../../support/table-site.ts';
import { createTestRepository, type TestRepository } from '../../../support/test-repository.ts';

const MODEL = 'http://purl.org/coar/resource_type/c_c513';

let repository: TestRepository;
let site: TableSite;
let files: string;
let use: Record<'original' | 'service' | 'text', number>;

beforeAll(async () => {
  repository = await createTestRepository();
  site = await createTableSite(repository);
  files = join(await realpath(site.folder), 'files');
  await mkdir(join(files, 'pages'), { recursive: true });
  await mkdir(join(site.folder, 'secret'));
  await writeFile(join(site.folder, 'secret', 'key.txt'), 'secret');
  for (const name of [
    'scan.tif',
    'scan.JPG',
    'pages/1.pdf',
    'pages/a:b.txt',
    'talk.mp3',
    'movie.mp4',
    'odd.xyz',
    'none',
  ])
    await writeFile(join(files, name), name);
  await writeFile(join(files, 'empty.txt'), '');
  await writeFile(join(files, 'caf\u0065\u0301.tif'), 'decomposed');
  await symlink(join(files, 'scan.tif'), join(files, 'link.tif'));
  await symlink(join(site.folder, 'secret', 'key.txt'), join(files, 'key.txt'));
  await symlink(join(site.folder, 'secret'), join(files, 'outside'));
  await symlink(join(files, 'pages'), join(files, 'inside'));
  await symlink(join(files, 'gone.tif'), join(files, 'dangling.tif'));
  use = {
    original: await repository.termId('http://pcdm.org/use#OriginalFile'),
    service: await repository.termId('http://pcdm.org/use#ServiceFile'),
    text: await repository.termId('http://pcdm.org/use#ExtractedText'),
  };
}, 30_000);

afterAll(async () => {
  await site.remove();
  await repository.stop();
});

const table = (columns: string, cells: string) => `id,title,field_model,${columns}\n1,A title,${MODEL},${cells}\n`;

async function plan(columns: string, cells: string, options = {}) {
  const [row] = await site.plans(table(columns, cells), { files, ...options });
  return row?.files ?? [];
}

const refusal = async (columns: string, cells: string, options = {}) =>
  (await site.problems(table(columns, cells), { files, ...options })).join('\n');

describe('a file of a row', () => {
  it('becomes a media of the type for its extension, with the use Original File', async () => {
    const expected: [string, string][] = [
      ['scan.tif', 'file'],
      ['scan.JPG', 'image'],
      ['pages/1.pdf', 'document'],
      ['talk.mp3', 'audio'],
      ['movie.mp4', 'video'],
      ['empty.txt', 'extracted_text'],
    ];
    for (const [path, type] of expected) {
      const [file] = await plan('file', path);
      expect(file?.mediaType.name).toBe(type);
      expect(file?.useTermId).toBe(use.original);
      expect(file?.part).toBe('file');
      expect(file?.source).toMatchObject({ path: join(files, path) });
    }
  });

  it('has name, size and alternative text, and values shared with the node', async () => {
    const [file] = await plan(
      'file,image_alt_text,published,created',
      'scan.JPG,A photograph,0,2020-11-15T23:49:22+00:00',
    );
    expect(file).toMatchObject({ name: 'scan.JPG', source: { bytes: 8 } });
    expect(file?.values).toEqual({
      name: [{ value: 'scan.JPG' }],
      field_media_image: [{ alt: 'A photograph' }],
      status: [{ value: false }],
      created: [{ value: '2020-11-15T23:49:22+00:00', format: 'Y-m-d\\TH:i:sP' }],
    });
  });

  it('has the use of its row, by name, id or URI', async () => {
    for (const said of ['Service File', String(use.service), 'http://pcdm.org/use#ServiceFile'])
      expect((await plan('file,media_use_tid', `scan.tif,${said}`))[0]?.useTermId).toBe(use.service);
    expect(await refusal('file,media_use_tid', 'scan.tif,Sevice File')).toContain(
      '1 media_use_tid: The term "Sevice File" does not exist in the vocabulary islandora_media_use. Did you mean "Service File"?',
    );
  });

  it('may be a path in the folder, or a link that stays there', async () => {
    expect((await plan('file', join(files, 'scan.tif')))[0]?.source).toMatchObject({ path: join(files, 'scan.tif') });
    const [linked] = await plan('file', 'link.tif');
    expect(linked).toMatchObject({ source: { path: join(files, 'scan.tif') }, name: 'link.tif' });
    expect((await plan('file', 'inside/1.pdf'))[0]?.source).toMatchObject({ path: join(files, 'pages/1.pdf') });
  });

  it('is found in any Unicode normalization', async () => {
    expect((await plan('file', 'caf\u00e9.tif'))[0]?.source.bytes).toBe(10);
  });

  it('is compared with its SHA-256', async () => {
    const sha256 = new Bun.CryptoHasher('sha256').update('scan.tif').digest('hex');
    expect(await plan('file,checksum', `scan.tif,${sha256.toUpperCase()}`)).toHaveLength(1);
    expect(await refusal('file,checksum', `scan.tif,${'0'.repeat(64)}`)).toContain(
      'The SHA-256 of "scan.tif" differs.',
    );
  });

  it('is not read for a checksum of another algorithm', async () => {
    const problem = `1 checksum: "${'0'.repeat(32)}" is no SHA-256, which has 64 hexadecimal digits.`;
    expect(await refusal('file,checksum', `scan.tif,${'0'.repeat(32)}`)).toBe(problem);
  });
});

describe('the comparison of files with their checksums', () => {
  it('can be aborted', async () => {
    const reason = new Error('enough');
    const header = ['id', 'title', 'field_model', 'file', 'checksum'];
    const cells = new Map(header.map((name) => [name, '1']))
      .set('field_model', MODEL)
      .set('file', 'scan.tif')
      .set('checksum', '0'.repeat(64));
    const options = { ...USUAL_TABLE_OPTIONS, files };
    const planner = await createPlanner(site.context, header, options, { signal: AbortSignal.abort(reason) });
    if (Array.isArray(planner)) throw new Error(planner.map(({ message }) => message).join('\n'));
    await expect(planner.plan({ number: 1, line: 2, cells })).rejects.toBe(reason);
  });
});

describe('further files of a row', () => {
  it('have a use in their cell', async () => {
    const cell = 'Service File:pages/1.pdf|http://pcdm.org/use#ExtractedText:empty.txt';
    const found = await plan('file,additional_files', `scan.tif,${cell}`);
    expect(found.map(({ part, name, useTermId }) => [part, name, useTermId])).toEqual([
      ['file', 'scan.tif', use.original],
      ['additional_files 1', '1.pdf', use.service],
      ['additional_files 2', 'empty.txt', use.text],
    ]);
  });

  it('may have a colon in their names', async () => {
    const [found] = await plan('additional_files', `${use.text}:pages/a:b.txt`);
    expect(found).toMatchObject({ part: 'additional_files', name: 'a:b.txt', useTermId: use.text });
  });

  it('are rejected with an unknown use', async () => {
    expect(await refusal('additional_files', 'Transscript:empty.txt')).toContain('must have the form USE:FILE');
    expect(await refusal('additional_files', 'empty.txt')).toContain('must have the form USE:FILE');
  });

  it('are rejected without a file after the use', async () => {
    expect(await refusal('additional_files', 'Service File: ')).toContain(
      '"Service File:" lacks a file after its media use.',
    );
  });

  it('may be in columns to which an option assigns a use', async () => {
    const additionalFiles = new Map([['text', 'http://pcdm.org/use#ExtractedText']]);
    const found = await plan('text', 'empty.txt|pages/a:b.txt', { additionalFiles });
    expect(found.map(({ part, useTermId }) => [part, useTermId])).toEqual([
      ['text 1', use.text],
      ['text 2', use.text],
    ]);
    const wrong = new Map([['text', 'Extracted Txt']]);
    expect(await refusal('text', 'empty.txt', { additionalFiles: wrong })).toContain(
      '--additional-files text=Extracted Txt:',
    );
    expect(await refusal('file', 'scan.tif', { additionalFiles })).toBe(
      'table text: --additional-files names this column, but the table lacks it.',
    );
    const alike = new Map([...additionalFiles, ['text 1', 'http://pcdm.org/use#ExtractedText']]);
    expect(await refusal('text,text 1', 'empty.txt|pages/a:b.txt,empty.txt', { additionalFiles: alike })).toBe(
      'table text 1: Rename this column: the journal uses the name for a file of the column text.',
    );
    const file = new Map([['file', 'http://pcdm.org/use#ExtractedText']]);
    expect(await refusal('file', 'scan.tif', { additionalFiles: file })).toContain('but it has another meaning.');
  });
});

describe('a file that cannot be loaded', () => {
  const cases: [cell: string, message: string][] = [
    ['scna.tif', 'The file "scna.tif" does not exist in the folder of files. Did you mean scan.tif?'],
    ['page/1.pdf', 'The file "page/1.pdf" does not exist'],
    ['scan.tif/1', 'The file "scan.tif/1" does not exist'],
    ['pages\\1.pdf', 'The file "pages\\1.pdf" does not exist'],
    ['../secret/key.txt', '"../secret/key.txt" is outside the folder of files.'],
    ['pages/../../secret/key.txt', 'is outside the folder of files.'],
    ['/etc/passwd', '"/etc/passwd" is outside the folder of files.'],
    ['key.txt', '"key.txt" is a link to a place outside the folder of files.'],
    ['outside/key.txt', '"outside/key.txt" is a link to a place outside the folder of files.'],
    ['pages', '"pages" is a folder.'],
    ['.', '"." is the folder of files itself.'],
    ['pages/..', '"pages/.." is the folder of files itself.'],
    ['dangling.tif', '"dangling.tif" is a link to a missing file.'],
    ['https://example.com/a.tif', 'is a URL of a server that imports.allowedSources does not name. Download the file'],
    ['odd.xyz', 'No media type accepts .xyz files.'],
    ['none', 'No media type accepts "none".'],
  ];
  for (const [cell, message] of cases)
    it(`is rejected: ${cell}`, async () => {
      const found = await refusal('file', cell);
      expect(found).toStartWith('1 file: ');
      expect(found).toContain(message);
      expect(found).not.toContain('\n');
    });

  it('is a single problem for a table without a folder', async () => {
    const text = `${table('file', 'a.tif')}2,B,${MODEL},b.tif\n`;
    expect(await site.problems(text)).toEqual(['1 file: The table names files. Add their folder: --files FOLDER.']);
  });

  it('is one problem of the table if its folder is missing', async () => {
    const found = await refusal('file', 'a.tif', { files: join(files, 'nowhere') });
    expect(found).toBe(`table -: Cannot open the folder of files ${join(files, 'nowhere')}: no such folder.`);
  });

  it('makes alternative text, use and checksum invalid', async () => {
    expect(await refusal('file,image_alt_text', ',A photograph')).toContain('1 image_alt_text: The row has no file');
    expect(await refusal('file,image_alt_text', 'scan.tif,A photograph')).toContain(
      'becomes file media, which have no alternative text',
    );
  });
});
