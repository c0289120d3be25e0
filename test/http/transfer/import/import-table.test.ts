import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { importRuns } from '../../../../src/transfer/import/import-run.ts';
import { FileReplaced, readLocalFile } from '../../../../src/transfer/import/load-file.ts';
import { openTableFile } from '../../../../src/transfer/import/table-file.ts';
import { auditServices } from '../../../support/audit.ts';
import { createImportSite, type ImportSite } from '../../../support/import-site.ts';
import { rejection } from '../../../support/rejection.ts';
import { MODEL } from '../../../support/site-builder.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../../support/test-repository.ts';

let repository: TestRepository;
let site: ImportSite;
let nodesBefore: number;

beforeAll(async () => {
  repository = await createTestRepository();
  site = await createImportSite(repository);
});
afterAll(async () => {
  expect(await auditServices(repository.running.services, true)).toEqual([]);
  await site.remove();
  await repository.stop();
});
beforeEach(async () => {
  nodesBefore = await nodes();
});

const nodes = () => site.count('SELECT count(*) FROM node');
const made = async () => (await nodes()) - nodesBefore;
const node = async (id: string | undefined): Promise<EntityJson> =>
  (await repository.get(`/node/${id}?_format=json`, 'admin')).json() as Promise<EntityJson>;
/** The ids of nodes by the ids of rows. */
const nodeIds = async (file: string) =>
  new Map((await site.result(file)).map((line) => [line.split(',')[1] as string, line.split(',')[3] as string]));
const refused = async (work: Promise<unknown>) => expect(String(await rejection(work)));

describe('an import', () => {
  it('creates nodes with terms and files, and reports the result of each row', async () => {
    await site.file('a.txt', 'the first');
    await site.file('b.txt', 'the second');
    const file = await site.table(
      'whole.csv',
      `id,title,field_model,field_subject,file,additional_files\nr1,One,${MODEL.image},Ships|ships|Harbours,a.txt,Transcript:b.txt\nr2,Two,${MODEL.image},Harbours,,\n`,
    );
    const summary = await site.import(file);
    expect(summary).toMatchObject({ rows: 2, nodes: 2, files: 2, bytes: 19, terms: 2, isInterrupted: false });
    expect(summary?.failure).toBeUndefined();
    const [first, second] = (await site.result(file)).map((line) => line.split(','));
    expect(first?.slice(0, 3)).toEqual(['1', 'r1', 'loaded']);
    expect(first?.[5]).toBe(`https://example.org/node/${first?.[3]}`);
    expect(first?.[6]).toMatch(/^additional_files:\d+\|file:\d+$/);
    expect(second?.[6]).toBe('');
    const one = await node(first?.[3]);
    expect(one.uuid[0].value).toBe(first?.[4]);
    const subjects = one.field_subject.map((item: EntityJson) => item.target_id);
    expect(subjects[0]).toBe(subjects[1]);
    expect((await node(second?.[3])).field_subject[0].target_id).toBe(subjects[2]);
    const mediaId = first?.[6]?.split('|')[1]?.slice('file:'.length);
    const media = (await (await repository.get(`/media/${mediaId}?_format=json`, 'admin')).json()) as EntityJson;
    expect(media.name[0].value).toBe('a.txt');
    expect(media.field_media_of[0].target_id).toBe(Number(first?.[3]));
    const { thumbnail: _, ...fields } = media;
    const { target_id: fileId } = Object.values(fields)
      .flat()
      .find(({ target_type }) => target_type === 'file');
    const { uri } = (await (await repository.get(`/entity/file/${fileId}?_format=json`, 'admin')).json()) as EntityJson;
    expect(await (await repository.get(uri[0].url, 'admin')).text()).toBe('the first');
  });

  it('adds children to parents in any row order', async () => {
    const file = await site.table(
      'tree.csv',
      `id,parent_id,title,field_model\npage,chapter,Page,${MODEL.image}\nchapter,book,Chapter,${MODEL.image}\nbook,,Book,${MODEL.image}\nother,book,Other,${MODEL.image}\n`,
    );
    await site.import(file);
    const ids = await nodeIds(file);
    const parentOf = async (id: string) => (await node(ids.get(id))).field_member_of[0]?.target_id;
    expect(await parentOf('page')).toBe(Number(ids.get('chapter')));
    expect(await parentOf('chapter')).toBe(Number(ids.get('book')));
    expect(await parentOf('other')).toBe(Number(ids.get('book')));
    expect(await parentOf('book')).toBeUndefined();
  });

  it('runs once, and again only on request', async () => {
    const file = await site.table('once.csv', `id,title,field_model\n1,Once,${MODEL.image}\n`);
    expect(await site.import(file)).toMatchObject({ nodes: 1 });
    expect(await site.import(file)).toBeUndefined();
    expect(await made()).toBe(1);
    expect(await site.import(file, { again: true })).toMatchObject({ nodes: 1 });
    expect(await made()).toBe(2);
  });

  it('is rejected while the same table is imported, but not another one', async () => {
    const rows = Array.from({ length: 300 }, (_, at) => `${at},Row ${at},${MODEL.image},Unheard of ${at % 40}\n`).join(
      '',
    );
    const first = await site.table('first.csv', `id,title,field_model,field_subject\n${rows}`);
    const second = await site.table(
      'second.csv',
      `id,title,field_model,field_subject\nx,Other,${MODEL.image},unheard OF 0\n${rows}`,
    );
    const outcomes = await Promise.allSettled([site.import(first), site.import(first), site.import(second)]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    const refusal = outcomes.find((each) => each.status === 'rejected');
    expect(String(refusal?.reason)).toContain('Another process is importing this table');
    expect(await made()).toBe(601);
    expect(await site.count("SELECT count(*) FROM taxonomy_term WHERE folded_label LIKE 'unheard of %'")).toBe(40);
  });
});

describe('an interrupted import', () => {
  it('continues where it stopped, and creates nothing twice', async () => {
    const rows = Array.from(
      { length: 600 },
      (_, at) => `r${at},${at % 3 ? `r${at - (at % 3)}` : ''},Row ${at},${MODEL.image},${at}.txt\n`,
    );
    for (let at = 0; at < 600; at++) await site.file(`${at}.txt`, `text ${at}`);
    const file = await site.table('broken.csv', `id,parent_id,title,field_model,file\n${rows.join('')}`);
    const first = await site.import(file, { onProgress: ({ files }, stop) => files >= 50 && stop() });
    expect(first).toMatchObject({ isInterrupted: true });
    expect(first?.rows).toBeLessThan(600);
    const second = await site.import(file);
    expect(second).toMatchObject({ rows: 600, isInterrupted: false });
    expect((first?.nodes ?? 0) + (second?.nodes ?? 0)).toBe(600);
    expect((first?.files ?? 0) + (second?.files ?? 0)).toBe(600);
    expect(await made()).toBe(600);
    expect((await site.result(file)).every((line) => line.includes(',loaded,'))).toBe(true);
  });

  it('continues with a changed table unless loaded rows have changed', async () => {
    const table = (title: string, more = '') =>
      `id,title,field_model,file\n1,${title},${MODEL.image},\n2,Two,${MODEL.image},gone.txt\n${more}`;
    await site.file('gone.txt', 'soon gone');
    const file = await site.table('changed.csv', table('One'));
    const stopped = await site.import(file, {
      onProgress: ({ rows }, stop) => rows === 1 && stop(),
    });
    expect(stopped?.isInterrupted).toBe(true);
    await site.table('changed.csv', table('Other'));
    (await refused(site.import(file))).toMatch(/1 undefined: The row was changed since it became \/node\/\d+\./);
    await site.table('changed.csv', table('One', `3,Three,${MODEL.image},gone.txt\n`));
    expect(await site.import(file)).toMatchObject({ rows: 3, failure: undefined });
    expect(await made()).toBe(3);
  });

  it('creates terms only with the options of the continuing command', async () => {
    const rows = (from: number, to: number, name: string) =>
      Array.from({ length: to - from }, (_, at) => `r${from + at},T,${MODEL.image},relators:pht:person:${name}\n`).join(
        '',
      );
    const text = `id,title,field_model,field_linked_agent\n${rows(0, 400, 'First')}${rows(400, 600, 'Second')}`;
    const file = await site.table('agents.csv', text);
    const table = { createTerms: ['person'] };
    const stopped = await site.import(file, { table, onProgress: ({ rows }, stop) => rows === 1 && stop() });
    expect(stopped).toMatchObject({ isInterrupted: true, terms: 1 });
    (await refused(site.import(file))).toMatch(/^Error: 401 field_linked_agent: .*"Second".* 199 more rows\.$/);
    expect(await site.import(file, { table })).toMatchObject({ rows: 600, terms: 1 });
    expect(await site.count("SELECT count(*) FROM taxonomy_term WHERE bundle = 'person'")).toBe(2);
  });

  it('loads a file that was added to a row with a node', async () => {
    await site.file('late.txt', 'late');
    const table = (late: string) =>
      `id,title,field_model,file\n1,One,${MODEL.image},${late}\n2,Two,${MODEL.image},late.txt\n`;
    const file = await site.table('late.csv', table(''));
    await site.import(file, { onProgress: ({ rows }, stop) => rows === 1 && stop() });
    await site.table('late.csv', table('late.txt'));
    expect(await site.import(file)).toMatchObject({ rows: 2 });
    expect((await site.result(file))[0]).toMatch(/,file:\d+$/);
    expect(await made()).toBe(2);
  });

  it('keeps the alias of a row whose file is missing so far', async () => {
    await site.file('x.txt', 'x');
    const file = await site.table(
      'alias.csv',
      `id,title,field_model,url_alias,file\n1,One,${MODEL.image},/one,x.txt\n`,
    );
    await repository.running.services.database.write([
      { sql: `CREATE TRIGGER no_media BEFORE INSERT ON media BEGIN SELECT raise(ABORT, 'not now'); END`, args: [] },
    ]);
    (await refused(site.import(file))).toContain('not now');
    await repository.running.services.database.write([{ sql: 'DROP TRIGGER no_media', args: [] }]);
    expect(await site.import(file)).toMatchObject({ rows: 1, nodes: 0, files: 1 });
    expect(await made()).toBe(1);
  });
});

describe('a row that fails', () => {
  it('is reported, and ends the import with nothing incomplete', async () => {
    await site.file('here.txt', 'here');
    const rows = Array.from(
      { length: 40 },
      (_, at) => `${at},Row ${at},${MODEL.image},${at === 20 ? 'vanishing.txt' : 'here.txt'}\n`,
    );
    const file = await site.table('fails.csv', `id,title,field_model,file\n${rows.join('')}`);
    await site.file('vanishing.txt', 'soon gone');
    let isGone: Promise<void> | undefined;
    const summary = await site.import(file, {
      onProgress: () => {
        isGone ??= rm(join(site.folder, 'files', 'vanishing.txt'), { force: true });
      },
    });
    await isGone;
    if (summary?.failure === undefined) throw new Error('it was loaded before it was gone');
    expect(summary.failure).toMatchObject({ row: 21, line: 22, column: 'file' });
    expect(summary.failure.message).toMatch(/vanishing\.txt/);
    const run = await importRuns.find(repository.running.services.database, undefined);
    expect(run).toMatchObject({ progress: summary.rows, result: summary.failure.message, isUnderWay: false });
    (await refused(site.import(file))).toContain('vanishing.txt');
    await site.file('vanishing.txt', 'soon gone');
    expect(await site.import(file)).toMatchObject({ rows: 40, failure: undefined });
    expect(await made()).toBe(40);
  });

  it('has a file that changed since the check, or became a link', async () => {
    const inFiles = (name: string) => join(site.folder, 'files', name);
    await site.file('own.txt', 'same size');
    const sha256 = new Bun.CryptoHasher('sha256').update('same size').digest('hex');
    const columns = `id,title,field_model,file,checksum\n`;
    const file = await site.table('swapped.csv', `${columns}1,One,${MODEL.image},own.txt,${sha256.toUpperCase()}\n`);
    const swapped = async (swap: () => Promise<unknown>) => {
      const summary = await site.import(file, { onChecked: swap });
      expect(summary?.failure).toMatchObject({ row: 1, column: 'file' });
      expect(summary?.failure?.message).toContain('has changed since the table was checked');
    };
    await swapped(() => site.file('own.txt', 'size same'));
    await site.file('own.txt', 'same size');
    expect(await site.import(file)).toMatchObject({ rows: 1, files: 1, failure: undefined });
    await Bun.write(join(site.folder, 'moved', 'a.txt'), 'same size');
    await rename(inFiles('own.txt'), inFiles('real.txt'));
    await symlink(inFiles('real.txt'), inFiles('own.txt'));
    const { signal } = new AbortController();
    expect(await rejection(Array.fromAsync(readLocalFile(inFiles('own.txt'), signal)))).toMatchObject({
      code: 'ELOOP',
    });
    await symlink(join(site.folder, 'moved'), inFiles('moved'));
    const behind = Array.fromAsync(readLocalFile(join(inFiles('moved'), 'a.txt'), signal));
    expect(await rejection(behind)).toBeInstanceOf(FileReplaced);
    expect(await rejection(Array.fromAsync(readLocalFile(site.folder, signal)))).toBeInstanceOf(FileReplaced);
  });
});

describe('a table at a symbolic link', () => {
  it('is the checked table even if the link has changed', async () => {
    const one = await site.table('behind-one.csv', `id,title,field_model\n1,One,${MODEL.image}\n`);
    const two = await site.table('behind-two.csv', `id,title,field_model\n1,Two,${MODEL.image}\n`);
    const link = join(site.folder, 'link.csv');
    await symlink(one, link);
    const turn = async () => {
      await rm(link);
      await symlink(two, link);
    };
    expect(await site.import(link, { onChecked: turn })).toMatchObject({ rows: 1, failure: undefined });
    const [id] = (await nodeIds(link)).values();
    expect((await node(id)).title[0].value).toBe('One');
  });

  it('stops being hashed on an abort', async () => {
    const file = await site.table('looked-at.csv', `id,title,field_model\n1,One,${MODEL.image}\n`);
    const reason = new Error('it was interrupted');
    expect(await rejection(openTableFile(file, undefined, AbortSignal.abort(reason)))).toBe(reason);
  });
});
