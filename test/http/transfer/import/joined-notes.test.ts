import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { builtInTypes } from '../../../../src/field-types/registry.ts';
import { asSubmitted } from '../../../../src/repository/content/fill/check-values.ts';
import { createContent } from '../../../../src/repository/content/write/save-content.ts';
import type { HeldRun } from '../../../../src/transfer/import/import-run.ts';
import { createJournal } from '../../../../src/transfer/import/journal.ts';
import {
  findLoaded,
  isMade,
  nodeFingerprint,
  noteItem,
  orTakenOver,
} from '../../../../src/transfer/import/journal-items.ts';
import { createTableSite, type TableSite } from '../../../support/table-site.ts';
import { createTestRepository, type TestRepository } from '../../../support/test-repository.ts';

let repository: TestRepository;
let site: TableSite;
let run: HeldRun;

beforeAll(async () => {
  repository = await createTestRepository();
  site = await createTableSite(repository);
  const journal = createJournal(repository.running.services.database);
  const table = {
    sha256: 'b'.repeat(64),
    path: '/tables/notes.csv',
    rows: 9,
    lastRow: 9,
    isUploaded: false,
    name: 'nodes.csv',
    userId: 1,
    keepsIds: false,
  };
  run = await journal.take({ kind: 'new', former: undefined, lastId: 0 }, table);
});
afterAll(async () => {
  await site.remove();
  await repository.stop();
});

/** Makes nodes together, each with its note under a row's id. */
async function makeNoted(
  rowIds: readonly string[],
  held = run,
  ids: readonly number[] = [],
): Promise<PromiseSettledResult<number>[]> {
  const { services, kinds, actor } = site.context;
  const bundle = services.model.nodeTypes.get('islandora_object');
  if (bundle === undefined) throw new Error('the model has no islandora_object');
  const model = await repository.termId('http://purl.org/coar/resource_type/c_c513');
  return Promise.allSettled(
    rowIds.map(async (rowId, index) => {
      const raw = { title: [{ value: rowId }], field_model: [{ target_id: model }] };
      const values = asSubmitted({ kind: kinds.node, bundle }, raw, builtInTypes);
      const entry = { rowId, fingerprint: nodeFingerprint(`of ${rowId}`, 0) };
      const id = ids[index];
      const after = (uuid: string) => [noteItem(held, entry, 'node', uuid)];
      return (await createContent(services, actor, kinds.node, bundle, values, { after, ...(id && { id }) })).head.id;
    }),
  );
}

const loaded = (rowIds: readonly string[]) => findLoaded(repository.running.services.database, run, rowIds);
const titled = async (title: string) =>
  (await repository.running.services.database.client.first('SELECT count(*) FROM node WHERE label = ?', [title]))?.[0];

describe('notes of nodes that are created together', () => {
  it('record the node of each row for any id', async () => {
    const rowIds = ['007', '7', '1e3', 'null', "it's", '"quoted"', 'Ünï 📜'];
    const made = await makeNoted(rowIds);
    const found = await loaded(rowIds);
    for (const [index, rowId] of rowIds.entries()) {
      const outcome = made[index];
      if (outcome?.status !== 'fulfilled') throw outcome?.reason;
      expect(found.get(rowId)).toEqual({
        nodeId: outcome.value,
        fingerprint: `of ${rowId}`,
        fileCount: 0,
        media: new Map(),
      });
    }
  });

  it('prevent a row from being created twice, without affecting others', async () => {
    const [first] = await makeNoted(['twice']);
    const [again, other] = await makeNoted(['twice', 'once']);
    expect(first?.status).toBe('fulfilled');
    expect(again?.status).toBe('rejected');
    expect(other?.status).toBe('fulfilled');
    expect(again?.status === 'rejected' && isMade(again.reason)).toBe(true);
    expect({ twice: await titled('twice'), once: await titled('once') }).toEqual({ twice: 1, once: 1 });
  });

  it('keep a reserved id for its row, alone or together with other rows', async () => {
    const [{ firstNodeId }, next] = [run, run.firstNodeId + 1];
    const made = await makeNoted(['third', 'none', 'first'], run, [firstNodeId + 2, 0, firstNodeId]);
    const [third, none, first] = made.map((each) => (each.status === 'fulfilled' ? each.value : each.reason));
    expect({ first, third }).toEqual({ first: firstNodeId, third: firstNodeId + 2 });
    expect(none).toBeGreaterThan(firstNodeId + 8);
    const [again, second] = await makeNoted(['first', 'second'], run, [firstNodeId, next]);
    expect(again?.status === 'rejected' && isMade(again.reason)).toBe(true);
    expect(second).toEqual({ status: 'fulfilled', value: next });
    expect((await loaded(['second'])).get('second')?.nodeId).toBe(next);
  });

  it('prevent writes of a process whose run has been taken over', async () => {
    const outcomes = await makeNoted(['lost', 'lost too'], { ...run, lease: 'of another' });
    for (const outcome of outcomes) {
      const reason = outcome.status === 'rejected' ? orTakenOver(outcome.reason) : undefined;
      expect(reason).toMatchObject({ kind: 'conflict', publicMessage: 'Another process has taken over this import.' });
    }
    expect({ lost: await titled('lost'), lostToo: await titled('lost too') }).toEqual({ lost: 0, lostToo: 0 });
  });
});
