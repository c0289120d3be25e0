import { afterEach, beforeEach, describe, expect, it } from 'bun:test';
import { readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '../../../../src/database/database.ts';
import { openLocalDatabase } from '../../../../src/database/local/open-local-database.ts';
import { migrate } from '../../../../src/database/migrate.ts';
import { storeSnapshot } from '../../../../src/repository/search-index/index-state.ts';
import { createEngine, type SearchEngine } from '../../../../src/search/engine/create-engine.ts';
import { readSnapshot, writeSnapshot } from '../../../../src/search/engine/node-snapshot.ts';
import { NodeTable } from '../../../../src/search/engine/node-table.ts';
import { emptyFolder } from '../../../support/empty-folder.ts';
import { ANONYMOUS, AUTHOR, EDITOR, nodeRow, SETUP } from '../../../support/search-rows.ts';

/** More writes than those after which a snapshot is worth its time. */
const MANY_WRITES = 30_000;

let folder: string;
let file: string;
let database: Database;
beforeEach(async () => {
  folder = await emptyFolder();
  file = join(folder, 'nodes');
  database = openLocalDatabase(join(folder, 'a.db'));
  await migrate(database.client, 1);
  await database.write([1, 2, 3, 4].flatMap((nid) => nodeRow({ nid, title: `Harbour ${nid}` })));
  await database.write([`UPDATE node_record SET sequence = sequence + ${MANY_WRITES}`]);
});
afterEach(async () => {
  await database.close();
  await rm(folder, { recursive: true });
});

const engineWith = (isWritten: boolean) => createEngine(database, SETUP, { snapshots: { file, isWritten } });
const totalOf = async (engine: SearchEngine, viewer = ANONYMOUS) =>
  (await engine.search(viewer, { text: 'harbour' })).total;

/** Writes a snapshot and makes it valid. */
async function save(): Promise<string> {
  const engine = engineWith(true);
  await totalOf(engine);
  const token = engine.save() as string;
  await storeSnapshot(database, token);
  return token;
}

/** Removes a row in a way of which only a reader of all rows takes notice. */
const removeSecretly = () => database.write(['DELETE FROM node_record WHERE nid = 1']);

describe('a search after a start', () => {
  it('begins with the snapshot, without its rows', async () => {
    await save();
    await removeSecretly();
    expect(await totalOf(engineWith(false))).toBe(4);
    expect(await totalOf(createEngine(database, SETUP))).toBe(3);
  });

  it('has all writes since the snapshot', async () => {
    await save();
    await database.write([
      ...nodeRow({ nid: 9, title: 'Harbour 9' }),
      `UPDATE node_record SET status = 0, owner_id = ${AUTHOR.id}, sequence = ${MANY_WRITES + 90} WHERE nid = 2`,
      `UPDATE node_record SET status = 0, is_deleted = 1, sequence = ${MANY_WRITES + 91} WHERE nid = 3`,
      `UPDATE node_record SET sequence = ${MANY_WRITES + 92} WHERE nid = 9`,
    ]);
    for (const viewer of [ANONYMOUS, AUTHOR, EDITOR]) {
      const all = await createEngine(database, SETUP).search(viewer, { text: 'harbour' });
      expect(await engineWith(false).search(viewer, { text: 'harbour' })).toEqual(all);
    }
  });

  it.each(['before', 'after'])('hides content that was restricted %s the snapshot', async (when) => {
    const restrict = () =>
      database.write(['INSERT INTO node_access (nid, sequence, set_id, changed) VALUES (2, 1, 1, 1)']);
    if (when === 'before') await restrict();
    await save();
    if (when === 'after') await restrict();
    const viewer = { ...ANONYMOUS, access: { ...ANONYMOUS.access, isUnlimited: false } };
    expect(await totalOf(engineWith(false), viewer)).toBe(3);
  });

  it.each([
    ['is missing', () => rm(file)],
    ['is truncated', () => truncate(file, 300)],
    ['is empty', () => truncate(file, 0)],
    ['has another byte', changeByte],
    ['is of another write', () => storeSnapshot(database, `${MANY_WRITES}:other`)],
    ['belongs to no write', () => database.write(['UPDATE search_index SET snapshot = NULL'])],
  ])('reads all rows if the snapshot %s', async (_, damage) => {
    await save();
    await removeSecretly();
    await damage();
    expect(await totalOf(engineWith(false))).toBe(3);
  });

  it('reads all rows of a database that was restored from before the snapshot', async () => {
    const first = await save();
    await database.write([`UPDATE node_record SET sequence = sequence + ${MANY_WRITES}`]);
    expect(await save()).not.toBe(first);
    await storeSnapshot(database, first);
    await removeSecretly();
    expect(await totalOf(engineWith(false))).toBe(3);
  });
});

async function changeByte(): Promise<void> {
  const bytes = await readFile(file);
  bytes[bytes.length - 9] = 7;
  await writeFile(file, bytes);
}

describe('a snapshot', () => {
  it('is written after many writes only, and by one thread', async () => {
    const [writer, other] = [engineWith(true), engineWith(false)];
    for (const engine of [writer, other]) await totalOf(engine);
    expect(other.save()).toBeUndefined();
    await storeSnapshot(database, writer.save() as string);
    expect(writer.save()).toBeUndefined();
    const next = engineWith(true);
    await totalOf(next);
    expect(next.save()).toBeUndefined();
    await database.write([`UPDATE node_record SET sequence = sequence + ${MANY_WRITES}`]);
    await totalOf(next);
    expect(next.save()).toStartWith(`${2 * MANY_WRITES + 4}:`);
  });

  it('is not written again by a process that sees the one of another', async () => {
    const [one, other] = [engineWith(true), engineWith(true)];
    for (const engine of [one, other]) await totalOf(engine);
    await storeSnapshot(database, one.save() as string);
    await totalOf(other);
    expect(other.save()).toBeUndefined();
  });

  it('is of one facet of collections', () => {
    const token = writeSnapshot(file, new NodeTable(1), { sequence: 5, bookTerms: '[]' });
    expect(readSnapshot(file, token, new NodeTable(2))).toBeUndefined();
    expect(readSnapshot(file, token, new NodeTable(1))).toEqual({ sequence: 5, bookTerms: '[]' });
  });
});
