import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createLog } from '../../../src/base/log.ts';
import { createKinds } from '../../../src/repository/content/kinds.ts';
import { openRepository } from '../../../src/server/open-repository.ts';
import type { DatabaseProblem } from '../../../src/upkeep/integrity/find-damaged-values.ts';
import { verifyDatabase } from '../../../src/upkeep/integrity/verify-database.ts';
import { countIn } from '../../support/command-outcome.ts';
import { emptyFolder } from '../../support/empty-folder.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

const TABLES = ['node', 'media', 'taxonomy_term', 'paragraph'] as const;
const model = (hasPlace: boolean) => `
node_types:
  report:
    label: Report
    new_revision: true
    fields:
      ${hasPlace ? 'field_place: { label: Place, type: string }' : 'field_other: { label: Other, type: string }'}
      field_see: { label: See, type: entity_reference, target_type: node, cardinality: unlimited }
      field_parts: { label: Parts, type: entity_reference_revisions, target_type: paragraph, cardinality: unlimited }
  note:
    label: Note
    new_revision: false
    fields: {}
media_types:
  scan:
    label: Scan
    source: file
    source_field: field_bytes
    fields:
      field_bytes: { label: Bytes, type: file, required: true, file_extensions: [txt] }
      field_media_of: { label: Media of, type: entity_reference, target_type: node }
vocabularies:
  topic: { label: Topic, fields: {} }
paragraph_types:
  part:
    label: Part
    fields:
      field_text: { label: Text, type: string, required: true }
`;

let folder: string;
let modelFile: string;
let repository: TestRepository;
beforeAll(async () => {
  folder = await emptyFolder();
  modelFile = join(folder, 'model.yaml');
  await writeFile(modelFile, model(true));
  repository = await createTestRepository({ modelFile });
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

async function verify() {
  const { database, model: current } = repository.running.services;
  database.refresh();
  const problems: DatabaseProblem[] = [];
  const found = await verifyDatabase(database, createKinds(current), {
    onProgress: () => {},
    onProblem: (problem) => problems.push(problem),
    signal: new AbortController().signal,
  });
  return { ...found, problems };
}

const query = (sql: string) => countIn(repository.running.services.database, sql);
const write = (sql: string) => repository.running.services.database.write([{ sql, args: [] }]);

async function unrecorded(): Promise<number> {
  const counts = TABLES.map((table) => `(SELECT count(*) FROM ${table}_revision WHERE checksum IS NULL)`);
  return query(`SELECT ${counts.join(' + ')}`);
}

async function answer(response: Promise<Response>): Promise<EntityJson> {
  const got = await response;
  const text = await got.text();
  if (!got.ok) throw new Error(`${got.status} ${text}`);
  return text === '' ? {} : (JSON.parse(text) as EntityJson);
}

const BUNDLES = new Set(['type', 'bundle', 'vid']);
/** A body with plain values as lists of items. */
const asItems = (body: object) =>
  Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      BUNDLES.has(name) || Array.isArray(value) ? value : [{ value }],
    ]),
  );
const post = (path: string, body: object) => answer(repository.post(`${path}?_format=json`, asItems(body), 'admin'));
const patch = (path: string, body: object) => answer(repository.patch(`${path}?_format=json`, asItems(body), 'admin'));
const report = (fields: object = {}) => post('/node', { type: 'report', title: 'Zoë "Ω" \u2028 \\ / 🎈', ...fields });

/** A node with a second revision. */
async function revised(): Promise<{ id: number; path: string; first: number; second: number }> {
  const node = await report({ field_place: 'Here' });
  const id = node.nid[0].value as number;
  const second = await patch(`/node/${id}`, { type: 'report', title: 'Later' });
  return { id, path: `/node/${id}`, first: node.vid[0].value, second: second.vid[0].value };
}

describe('the verification of a database', () => {
  it('finds no problem after any kind of write, and each has a checksum', async () => {
    // Several at once share a statement.
    const [one, other] = await Promise.all([report(), report({ field_place: '{"a":[]}' }), report()]);
    const [target, shown] = [one?.nid[0].value, other?.nid[0].value];
    const topic = await post('/taxonomy/term', { vid: 'topic', name: 'Ä topic' });
    await patch(`/taxonomy/term/${topic.tid[0].value}`, { vid: 'topic', name: 'Renamed', revision_log_message: 'why' });
    const part = await post('/entity/paragraph', {
      type: 'part',
      field_text: 'Text',
      parent_field_name: 'field_parts',
    });
    const reference = { target_id: part.id[0].value, target_revision_id: part.revision_id[0].value };
    const whole = await report({
      field_parts: [reference],
      field_see: [{ target_id: target }],
      path: [{ alias: '/an}]"alias' }],
    });
    const path = `/node/${whole.nid[0].value}`;
    await patch(path, { type: 'report', path: [{ alias: '/another' }], revision_log: 'a \ud83c\udf88 log' });
    const alias = await post('/entity/path_alias', { path, alias: '/third', langcode: 'en' });
    await answer(repository.delete(`/entity/path_alias/${alias.id[0].value}?_format=json`, 'admin'));
    // What it refers to goes; its next revision is without it.
    await answer(repository.delete(`/node/${target}?_format=json`, 'admin'));
    await patch(path, { type: 'report', field_place: 'There' });
    await answer(repository.post(`${path}/revisions/${whole.vid[0].value}/revert?_format=json`, {}, 'admin'));
    const note = await post('/node', { type: 'note', title: 'Note' });
    await patch(`/node/${note.nid[0].value}`, { type: 'note', title: 'Changed note', status: false });
    const file = await repository.fetch('/file/upload/media/scan/field_bytes?_format=json', {
      method: 'POST',
      body: 'bytes',
      as: 'admin',
      headers: { 'Content-Type': 'application/octet-stream', 'Content-Disposition': 'file; filename="a.txt"' },
    });
    const media = await post('/media', {
      bundle: 'scan',
      name: 'Scan',
      field_bytes: [{ target_id: ((await file.json()) as EntityJson).fid[0].value }],
      field_media_of: [{ target_id: shown }],
    });
    await repository.put(
      `/media/${media.mid[0].value}/source`,
      'other bytes',
      { 'Content-Type': 'text/plain', 'Content-Disposition': 'attachment; filename="a.txt"' },
      'admin',
    );
    expect(await verify()).toMatchObject({ problems: [], damaged: 0, recorded: 0 });
    expect(await unrecorded()).toBe(0);
  });

  it('finds a changed document, even after its revision is superseded', async () => {
    const { id, path, second } = await revised();
    await write(`UPDATE node SET document = replace(document, '"Later"', '"Lafer"'), label = 'Lafer' WHERE id = ${id}`);
    const problem = { subject: `node ${id}, revision ${second}`, detail: 'its content does not match its checksum' };
    expect((await verify()).problems).toEqual([problem]);
    await write(`UPDATE node SET version = version + 1 WHERE id = ${id}`);
    await patch(path, { type: 'report', title: 'Mended' });
    expect((await verify()).problems).toEqual([problem]);
    await answer(repository.delete(`${path}?_format=json`, 'admin'));
    expect((await verify()).problems).toEqual([]);
  });

  it.each([
    ["snapshot = replace(snapshot, 'Zoë', 'Zoé')", 'its content does not match its checksum'],
    ['snapshot = replace(snapshot, \'"document":\', \'"document"\')', 'its content is not valid JSON'],
    ['snapshot = NULL', 'it is not current, and its content is missing'],
    ["log = 'forged'", 'its content does not match its checksum'],
    ['user_id = 0', 'the column user_id is 0, its document says 1'],
    ["checksum = 'forged'", 'its content does not match its checksum'],
  ])('finds a superseded revision with %s', async (change, detail) => {
    const { id, path, first } = await revised();
    await write(`UPDATE node_revision SET ${change} WHERE id = ${first}`);
    const found = await verify();
    expect(found).toMatchObject({ damaged: 1, problems: [{ subject: `node ${id}, revision ${first}`, detail }] });
    await answer(repository.delete(`${path}?_format=json`, 'admin'));
  });

  it.each([
    ["label = 'Lates'", 'the column label is "Lates", its document says "Later"'],
    ['owner_id = 2', 'the column owner_id is 2, its document says 1'],
    ['status = 0', 'the column status is false, its document says true'],
    ["alias = '/x'", 'the column alias is "/x", its document says null'],
    ['changed = 1', /^the column changed is 1, its document says \d{10}$/],
    ["revision_log = 'x'", 'the column revision_log is "x", its document says null'],
    ["uuid = 'x'", 'its document begins with ids that are not those of its row'],
    ['document = substr(document, 1, 200)', 'its document is not valid JSON'],
  ])('finds a row with %s', async (change, detail) => {
    const { id, path, second } = await revised();
    await write(`UPDATE node SET ${change} WHERE id = ${id}`);
    const { problems } = await verify();
    const subject = `node ${id}, revision ${second}`;
    expect(problems).toContainEqual({ subject, detail: expect.stringMatching(detail) });
    await write(`DELETE FROM node WHERE id = ${id}`);
    const orphans = (await verify()).problems.map(({ detail }) => detail);
    expect(orphans).toEqual(Array(2).fill(`it belongs to node ${id}, which does not exist`));
    await write(`DELETE FROM node_revision WHERE entity_id = ${id}`);
    expect(path).toBe(`/node/${id}`);
  });

  it('finds a row whose revision does not exist', async () => {
    const { id, first, second } = await revised();
    await write(`DELETE FROM node_revision WHERE id = ${second}`);
    expect((await verify()).problems).toEqual([
      { subject: `node ${id}`, detail: `its current revision, ${second}, does not exist` },
    ]);
    await write(`DELETE FROM node WHERE id = ${id}`);
    await write(`DELETE FROM node_revision WHERE id = ${first}`);
  });

  it('finds a paragraph that was moved to another host', async () => {
    const part = await post('/entity/paragraph', { type: 'part', field_text: 'Text' });
    const id = part.id[0].value as number;
    await report({ field_parts: [{ target_id: id, target_revision_id: part.revision_id[0].value }] });
    const host = await query(`SELECT host_id FROM paragraph WHERE id = ${id}`);
    await write(`UPDATE paragraph SET host_id = 1 WHERE id = ${id}`);
    expect((await verify()).problems.map(({ detail }) => detail)).toEqual([
      `the column host_id is "1", its document says "${host}"`,
    ]);
    await write(`UPDATE paragraph SET host_id = ${host} WHERE id = ${id}`);
  });

  it('records missing checksums of an older version and then compares them', async () => {
    const { id, path, first } = await revised();
    await write('UPDATE node_revision SET checksum = NULL');
    const total = await query('SELECT count(*) FROM node_revision');
    expect(await verify()).toMatchObject({ problems: [], recorded: total });
    expect(await verify()).toMatchObject({ problems: [], recorded: 0 });
    await write(`UPDATE node_revision SET snapshot = replace(snapshot, 'Here', 'Hera') WHERE id = ${first}`);
    expect((await verify()).problems).toHaveLength(1);
    await answer(repository.delete(`${path}?_format=json`, 'admin'));
    expect(id).toBeGreaterThan(0);
  });

  it('records no checksum for a row that disagrees with its revision', async () => {
    const { path, second } = await revised();
    await write(`UPDATE node_revision SET checksum = NULL WHERE id = ${second}`);
    await write(`UPDATE node SET label = 'x' WHERE revision_id = ${second}`);
    expect(await verify()).toMatchObject({ damaged: 1, recorded: 0 });
    await write(`UPDATE node SET label = 'Later' WHERE revision_id = ${second}`);
    expect(await verify()).toMatchObject({ damaged: 0, recorded: 1 });
    await answer(repository.delete(`${path}?_format=json`, 'admin'));
  });

  it('reads more revisions than one batch, and large ones', async () => {
    const long = 'x'.repeat(1_000_000);
    for (let index = 0; index < 12; index++) await report({ field_place: `${index}`.padEnd(200, 'y'), title: 'Long' });
    const node = await report();
    await write(`UPDATE node SET revision_log = '${long}' WHERE id = ${node.nid[0].value}`);
    await write(`UPDATE node_revision SET log = '${long}', checksum = NULL WHERE id = ${node.vid[0].value}`);
    const total = await query(
      `SELECT ${TABLES.map((table) => `(SELECT count(*) FROM ${table}_revision)`).join(' + ')}`,
    );
    expect(await verify()).toMatchObject({ problems: [], checked: total, recorded: 1 });
  });

  it('stops on its signal', async () => {
    const { database, model: current } = repository.running.services;
    const reason = new Error('enough');
    const running = verifyDatabase(database, createKinds(current), {
      onProgress: () => {},
      onProblem: () => {},
      signal: AbortSignal.abort(reason),
    });
    expect(await running.catch((error: unknown) => error)).toBe(reason);
  });

  it('finds no problem while content is written', async () => {
    const { id, path } = await revised();
    const writing = (async () => {
      for (let index = 0; index < 40; index++) {
        await patch(path, { type: 'report', title: `Title ${index}` });
        const short = await report();
        await answer(repository.delete(`/node/${short.nid[0].value}?_format=json`, 'admin'));
      }
    })();
    let isWriting = true;
    void writing.finally(() => {
      isWriting = false;
    });
    while (isWriting) expect((await verify()).problems).toEqual([]);
    await writing;
    expect(id).toBeGreaterThan(0);
  });

  // Last, as it changes the model.
  it('records new checksums of revisions that lost a field', async () => {
    const { path } = await revised();
    await repository.running.stop(1);
    await writeFile(modelFile, model(false));
    const log = createLog({ level: 'fatal', format: 'json' });
    await (await openRepository({ ...repository.config, modelFile }, log, { dropsFields: true })).close();
    await repository.restart();
    const left = await unrecorded();
    expect(left).toBeGreaterThan(0);
    expect(await verify()).toMatchObject({ problems: [], recorded: left });
    // Under its former definition until now.
    await patch(path, { type: 'report', field_other: 'x' });
    expect(await verify()).toMatchObject({ problems: [], recorded: 0 });
  });
});
