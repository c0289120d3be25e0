import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { link, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { audit } from '../../support/audit.ts';
import { signedIn } from '../../support/form-call.ts';
import { createImportPlace, type ImportPlace, openAndClose } from '../../support/import-command.ts';
import { startServer } from '../../support/server-process.ts';
import type { EntityJson } from '../../support/test-repository.ts';

let place: ImportPlace;
const HEADER = 'id,title,field_model,field_subject';
const rowsOf = (name: string, count: number) =>
  Array.from(
    { length: count },
    (_, at) => `${name}${at},${name} ${at},Image,Common ${at % 200}|${name} own ${at % 50}`,
  );

beforeAll(async () => {
  place = await createImportPlace();
  await openAndClose(place.data);
}, 30_000);

afterAll(() => place.remove());

describe('repo import', () => {
  it('reports each problem in one line with line, row and column, and loads nothing', async () => {
    const rows = ['1,"Two\nlines",Image', '2,,Image', '3,Three,Imagge', '3,Four,Image'];
    const table = await place.table('wrong.csv', ['id,title,field_model', ...rows]);
    const before = place.count('SELECT count(*) FROM node');
    for (const args of [[], ['--check']]) {
      const { code, out, err } = await place.run(table, ...args);
      expect(code).toBe(1);
      expect(out).toBe('');
      const lines = err.trim().split('\n');
      expect(lines[0]).toMatch(/^wrong\.csv:4 \(row 2\), title: /);
      expect(lines.some((line) => line.startsWith('wrong.csv:6 (row 4), id: '))).toBe(true);
      expect(lines.at(-1)).toMatch(/^wrong\.csv has \d problems\. Nothing was loaded\.$/);
    }
    expect(place.count('SELECT count(*) FROM node')).toBe(before);
    expect(place.count("SELECT count(*) FROM run WHERE kind = 'import'")).toBe(0);
  }, 30_000);

  it('prints a hundred problems and the number of the others', async () => {
    const table = await place.table('many.csv', ['id,title,field_model', ...Array(500).fill('1,,Image')]);
    const { err } = await place.run(table, '--check');
    const lines = err.trim().split('\n');
    expect(lines).toHaveLength(102);
    expect(lines[100]).toMatch(/^… and \d+ more problems\.$/);
  }, 30_000);

  it('checks a table without loading it, loads it, and rejects an unknown user', async () => {
    const table = await place.table('good.csv', [HEADER, ...rowsOf('good', 3)]);
    const check = await place.run(table, '--check');
    expect(check).toMatchObject({ code: 0, err: '' });
    expect(check.out).toMatch(
      /^good\.csv can be imported: 3 rows and 6 new terms \(6 in subject\)\.\n(New term in subject: "[\w ]+" \(line \d\)\n){6}$/,
    );
    expect(place.count("SELECT count(*) FROM run WHERE kind = 'import'")).toBe(0);
    const { code, out } = await place.run(table, '--quiet', '--output', join(place.folder, 'done.csv'));
    expect(code).toBe(0);
    expect(out).toMatch(
      /^Imported 3 nodes and 6 new terms in [\d.]+ s\.\nThe result of each row is in .*done\.csv\.\n$/,
    );
    expect((await Bun.file(join(place.folder, 'done.csv')).text()).split('\n')).toHaveLength(5);
    const blocked = await place.run(table, '--user', 'nobody-known');
    expect(blocked).toMatchObject({ code: 1 });
    expect(blocked.err).toContain('Unknown user nobody-known');
  }, 30_000);

  it('creates terms only if the field or the command allows it, and lists them with --check', async () => {
    const rows = ['a,A,Imgae,relators:pht:person:New One', 'b,B,Imgae,relators:pht:person:New One'];
    const table = await place.table('typos.csv', ['id,title,field_model,field_linked_agent', ...rows]);
    const before = place.count('SELECT count(*) FROM taxonomy_term');
    const refused = await place.run(table, '--create-terms', 'person');
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err.split('\n')).toEqual([
      'typos.csv:2 (row 1), field_model: The term "Imgae" does not exist in the vocabulary islandora_models. Did you mean "Image"? To create it, add --create-terms islandora_models. The same value is in 1 more row.',
      'typos.csv has 1 problem. Nothing was loaded.',
      '',
    ]);
    expect((await place.run(table, '--create-terms', 'persn')).err).toContain(
      'typos.csv: --create-terms persn: Unknown vocabulary "persn". Did you mean person?',
    );
    expect(place.count('SELECT count(*) FROM taxonomy_term')).toBe(before);
    const all = ['--create-terms', 'person', '--create-terms', 'islandora_models'];
    const check = await place.run(table, ...all, '--check');
    expect(check).toMatchObject({ code: 0, err: '' });
    expect(check.out.split('\n')).toEqual([
      'typos.csv can be imported: 2 rows and 2 new terms (1 in islandora_models, 1 in person).',
      'New term in islandora_models: "Imgae" (line 2)',
      'New term in person: "New One" (line 2)',
      '',
    ]);
    expect((await place.run(table, ...all)).out).toMatch(/^Imported 2 nodes and 2 new terms in /);
    expect(place.count('SELECT count(*) FROM taxonomy_term')).toBe(before + 2);
  }, 30_000);

  it.each([
    [['--create-terms', 'person', '--no-new-terms'], '--create-terms and --no-new-terms exclude each other'],
    [['--concurrency', '0'], 'from 1 to 64'],
    [['--delimiter', 'ab'], 'one character'],
    [['--additional-files', 'x'], 'such as transcript=Transcript'],
    [['--fils', 'x'], 'did you mean --files?'],
    [['--files', ''], 'It must be a path'],
    [['--output', ''], 'It must be a path'],
  ])('rejects %p', async (args, message) => {
    const { code, err } = await place.run('nodes.csv', ...args);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });

  it('rejects a result path that is the table itself, under any name, or a folder', async () => {
    const table = await place.table('kept.csv', [HEADER, 'k1,Kept,Image,']);
    const before = await Bun.file(table).text();
    await symlink(place.folder, join(place.folder, 'aside'));
    await link(table, join(place.folder, 'twin.csv'));
    for (const name of ['kept.csv', 'aside/kept.csv', 'twin.csv']) {
      const { code, err } = await place.run(table, '--output', join(place.folder, name));
      expect(code).toBe(2);
      expect(err).toContain('--output names the table itself');
    }
    const folder = await place.run(table, '--output', place.files);
    expect(folder.code).toBe(2);
    expect(folder.err).toContain('which is a folder');
    expect(await Bun.file(table).text()).toBe(before);
  }, 30_000);

  it('reports an unwritable result path before other problems', async () => {
    const table = await place.table('unwritten.csv', [HEADER, 'u1,,Image,']);
    const nowhere = join(place.folder, 'nowhere');
    const { code, err } = await place.run(table, '--output', join(nowhere, 'done.csv'));
    expect(code).toBe(2);
    expect(err).toContain(`cannot be written to ${nowhere}: no such folder; name a file elsewhere with --output`);
    expect((await place.run(table, '--check', '--output', join(nowhere, 'done.csv'))).err).toContain('1 problem');
  }, 30_000);

  it('reports a missing table, and a file that is no table', async () => {
    const missing = await place.run(join(place.folder, 'missing.csv'));
    expect(missing.code).toBe(1);
    expect(missing.err).toMatch(/missing\.csv cannot be used: no such file or folder\./);
    const folder = await place.run(place.files);
    expect(folder).toMatchObject({ code: 1 });
    expect(folder.err).toContain('is a folder. Name a CSV file or a spreadsheet.');
    const pipe = join(place.folder, 'pipe.csv');
    Bun.spawnSync(['mkfifo', pipe]);
    const piped = await place.run(pipe);
    expect(piped).toMatchObject({ code: 1 });
    expect(piped.err).toContain('is a pipe or a device.');
    const binary = join(place.folder, 'binary.csv');
    await writeFile(binary, new Uint8Array([105, 100, 10, 0, 1, 2]));
    expect((await place.run(binary)).err).toContain('NUL character');
  }, 30_000);

  it('loads two tables at once without duplicate terms, and rejects a second load of one', async () => {
    const tables = [
      await place.table('left.csv', [HEADER, ...rowsOf('left', 2_000)]),
      await place.table('right.csv', [HEADER, ...rowsOf('right', 2_000)]),
    ];
    const running = tables.map((table) => place.start(table));
    const same = place.start(tables[0] as string);
    const outcomes = await Promise.all([...running, same].map(({ outcome }) => outcome));
    const refused = outcomes.filter(({ code }) => code !== 0);
    expect(refused).toHaveLength(1);
    expect(refused[0]?.err).toMatch(/^Another process (is importing|has been importing) this table/);
    expect(place.count("SELECT count(*) FROM node WHERE label LIKE 'left %' OR label LIKE 'right %'")).toBe(4_000);
    expect(place.count("SELECT count(*) FROM taxonomy_term WHERE folded_label LIKE 'common %'")).toBe(200);
  }, 60_000);

  it('loads a table beside a running server, which serves the new nodes and shows the import', async () => {
    const table = await place.table('served.csv', [HEADER, ...rowsOf('served', 1_500)]);
    const server = await startServer({ from: 'source', data: place.data });
    try {
      const model = place.count("SELECT id FROM taxonomy_term WHERE label = 'Image'");
      const importing = place.start(table);
      let isDone = false;
      const outcome = importing.outcome.finally(() => {
        isDone = true;
      });
      const body = JSON.stringify({
        type: [{ target_id: 'islandora_object' }],
        title: [{ value: 'By a client' }],
        field_model: [{ target_id: model }],
      });
      const admin = await signedIn(server, 'admin');
      const task = async () =>
        (await admin.open('/admin/tasks')).elements('tbody tr').find(({ text }) => text.includes('served.csv'))?.text;
      let answered = 0;
      let shown: string | undefined;
      while (!isDone) {
        shown ??= await task();
        const headers = { 'Content-Type': 'application/json' };
        const response = await server.fetch('/node?_format=json', { method: 'POST', headers, body });
        expect(response.status).toBe(201);
        answered += 1;
      }
      expect(await outcome).toMatchObject({ code: 0 });
      expect(answered).toBeGreaterThan(10);
      expect(shown).toMatch(/Import of a table[\d,]+ of 1,500 rows\d/);
      expect(await task()).toContain('Import of a tableFinished: 1,500 of 1,500 rows.');
      const id = place.count("SELECT id FROM node WHERE label = 'served 1499'");
      const node = (await (await server.fetch(`/node/${id}?_format=json`)).json()) as EntityJson;
      expect(node.title[0].value).toBe('served 1499');
    } finally {
      await server.stop();
    }
    expect(await audit(place.data, true)).toEqual([]);
  }, 60_000);
});
