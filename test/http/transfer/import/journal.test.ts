import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import type { ServiceError } from '../../../../src/base/errors.ts';
import { folderNameOf } from '../../../../src/base/process-identity.ts';
import { type HeldRun, importRuns } from '../../../../src/transfer/import/import-run.ts';
import { createJournal, type Journal } from '../../../../src/transfer/import/journal.ts';
import { findLoaded, isWhole, nodeFingerprint } from '../../../../src/transfer/import/journal-items.ts';
import { endedProcess } from '../../../support/ended-process.ts';
import { rejection } from '../../../support/rejection.ts';
import { createTestRepository, type TestRepository } from '../../../support/test-repository.ts';

let repository: TestRepository;
let journal: Journal;
const table = {
  sha256: 'a'.repeat(64),
  path: '/tables/nodes.csv',
  rows: 3,
  lastRow: 3,
  isUploaded: false,
  name: 'nodes.csv',
  userId: 1,
  keepsIds: false,
};
const NEW = { kind: 'new', former: undefined, lastId: 1 } as const;

beforeAll(async () => {
  repository = await createTestRepository();
  journal = createJournal(repository.running.services.database);
});
afterAll(() => repository.stop());
beforeEach(async () => {
  await write('DELETE FROM import_item');
  await write("DELETE FROM run WHERE kind = 'import'");
});

const renew = (run: HeldRun) => importRuns.change(repository.running.services.database, run);
const refusal = async (work: Promise<unknown>) => (await rejection(work)) as ServiceError;
const write = (sql: string, ...args: (string | number)[]) =>
  repository.running.services.database.write([{ sql, args }]);
const note = (run: number, rowId: string, part: string, entity: number, fingerprint = 'f') =>
  write('INSERT INTO import_item VALUES (?, ?, ?, ?, ?)', run, rowId, part, entity, fingerprint);

describe('the journal of imports', () => {
  it('returns nothing for a table that was never imported', async () => {
    expect(await journal.find(table, false)).toEqual(NEW);
  });

  it('rejects a table that another process is importing, and reports since when', async () => {
    const run = await journal.take(NEW, table);
    const refused = await refusal(journal.find(table, false));
    expect(refused.kind).toBe('conflict');
    expect(refused.publicMessage).toMatch(
      /^Another process has been importing this table since \d{4}-\d\d-\d\d \d\d:\d\d UTC\.$/,
    );
    expect((await refusal(journal.take(NEW, table))).kind).toBe('conflict');
    expect((await refusal(journal.take({ kind: 'unfinished', run, isChanged: false }, table))).kind).toBe('conflict');
  });

  it('rejects a table that another process has finished since the lookup', async () => {
    for (const again of [false, true]) {
      const found = await journal.find({ ...table, sha256: 'c' }, again);
      await journal.finish(await journal.take(found, { ...table, sha256: 'c' }));
      expect((await refusal(journal.take(found, { ...table, sha256: 'c' }))).kind).toBe('conflict');
    }
  });

  it('rejects a run that has continued with another table since the lookup', async () => {
    const run = await journal.take(NEW, table);
    await note(run.id, 'r1', '', 1);
    await journal.release(run);
    const found = await journal.find(table, false);
    await journal.release(await journal.take(found, { ...table, sha256: 'b' }));
    expect((await refusal(journal.take(found, table))).kind).toBe('conflict');
  });

  it('rejects a changed table while another process imports the earlier one', async () => {
    await journal.take(NEW, table);
    expect((await refusal(journal.find({ ...table, sha256: 'b' }, false))).kind).toBe('conflict');
  });

  it('continues an interrupted run, or removes it if it created nothing', async () => {
    const run = await journal.take(NEW, table);
    await note(run.id, 'r1', '', 1);
    await journal.release(run);
    const found = await journal.find(table, false);
    expect(found).toMatchObject({ kind: 'unfinished', isChanged: false, run: { id: run.id, rows: 3 } });
    const again = await journal.take(found, table);
    expect(again.id).toBe(run.id);
    await write('DELETE FROM import_item');
    await journal.release(again);
    expect(await journal.find(table, false)).toEqual(NEW);
  });

  it('continues with a changed table under its new checksum', async () => {
    const run = await journal.take(NEW, table);
    await note(run.id, 'r1', '', 1);
    await journal.release(run);
    const changed = { ...table, sha256: 'b', rows: 4 };
    const found = await journal.find(changed, false);
    expect(found).toMatchObject({ kind: 'unfinished', isChanged: true });
    await journal.release(await journal.take(found, changed));
    expect(await journal.find(changed, false)).toMatchObject({
      kind: 'unfinished',
      isChanged: false,
      run: { rows: 4 },
    });
  });

  it('reports when a table was imported, unless it is imported again', async () => {
    await journal.finish(await journal.take(NEW, table));
    const found = await journal.find(table, false);
    expect(found).toMatchObject({ kind: 'finished', run: { endedAt: expect.any(Number) } });
    expect(await journal.find(table, true)).toEqual({ ...NEW, lastId: expect.any(Number) });
    expect(await journal.find({ ...table, sha256: 'b' }, false)).toMatchObject({ kind: 'new', former: { rows: 3 } });
  });

  it('continues an interrupted import with --again', async () => {
    await journal.finish(await journal.take(NEW, table));
    const second = await journal.take(await journal.find(table, true), table);
    await note(second.id, 'r1', '', 1);
    await journal.release(second);
    expect(await journal.find(table, true)).toMatchObject({ kind: 'unfinished', run: { id: second.id } });
  });

  it('takes over a run of an ended process of this machine immediately', async () => {
    const run = await journal.take(NEW, table);
    await note(run.id, 'r1', '', 1);
    await write("UPDATE run SET lease = ? WHERE kind = 'import'", `${folderNameOf(endedProcess())}/0123456789abcdef`);
    const found = await journal.find(table, false);
    expect((await journal.take(found, table)).id).toBe(run.id);
  });

  it('takes over a run with an expired lease, and rejects its former holder', async () => {
    const run = await journal.take(NEW, table);
    await note(run.id, 'r1', '', 1);
    await write("UPDATE run SET lease_until = unixepoch() - 1 WHERE kind = 'import'");
    const other = await journal.take(await journal.find(table, false), table);
    expect(other.lease).not.toBe(run.lease);
    expect((await refusal(renew(run))).publicMessage).toBe('Another process has taken over this import.');
    expect((await refusal(journal.finish(run))).kind).toBe('conflict');
    await renew(other);
    await journal.release(run);
    expect((await refusal(journal.find(table, false))).kind).toBe('conflict');
  });
});

describe('the items of a journal', () => {
  it('contain the results of rows, and whether a part is missing', async () => {
    await note(7, '10', '', 1, nodeFingerprint('node one', 2));
    await note(7, '10', 'file', 5, 'x');
    await note(7, '9', '', 2, nodeFingerprint('node two', 1));
    await note(7, '9', 'additional_files 1', 6, 'y');
    await note(8, '11', '', 3, nodeFingerprint('other', 0));
    const { database } = repository.running.services;
    const loaded = await findLoaded(database, { id: 7 }, ['9', '10', '11', 'nothing']);
    expect([...loaded.keys()].sort()).toEqual(['10', '9']);
    const ten = loaded.get('10');
    expect(ten).toMatchObject({ nodeId: 1, fingerprint: 'node one', fileCount: 2 });
    expect([...(ten?.media ?? [])]).toEqual([['file', { id: 5, fingerprint: 'x' }]]);
    expect([...loaded.values()].map(isWhole).sort()).toEqual([false, true]);
  });
});
