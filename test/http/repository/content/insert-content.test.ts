import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { ServiceError } from '../../../../src/base/errors.ts';
import { statementsOf } from '../../../../src/database/database.ts';
import type { Item, NodeType } from '../../../../src/model/content-model.ts';
import { createInsert, type InsertContent } from '../../../../src/repository/content/write/insert-content.ts';
import { createContent, type SaveOptions } from '../../../../src/repository/content/write/save-content.ts';
import { auditServices } from '../../../support/audit.ts';
import { createTableSite, type TableSite } from '../../../support/table-site.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../../support/test-repository.ts';

let repository: TestRepository;
let site: TableSite;
let model: number;

beforeAll(async () => {
  repository = await createTestRepository();
  site = await createTableSite(repository);
  model = await repository.termId('http://purl.org/coar/resource_type/c_c513');
});
afterAll(async () => {
  expect(await auditServices(repository.running.services, true)).toEqual([]);
  await site.remove();
  await repository.stop();
});

/** Creates a node with others at the same time. */
function make(
  insert: InsertContent | undefined,
  title: string,
  values: Record<string, Item[]> = {},
  options: SaveOptions = {},
) {
  const { services, kinds, actor } = site.context;
  const all = { title: [{ value: title }], field_model: [{ target_id: model }], ...values };
  const bundle = services.model.nodeTypes.get('islandora_object') as NodeType;
  const own = { ...services, ...(insert && { insert }) };
  return createContent(own, actor, kinds.node, bundle, new Map(Object.entries(all)), options);
}

const insertOf = () => createInsert(repository.running.services.database);
const read = async (id: number) =>
  (await (await repository.get(`/node/${id}?_format=json`, 'admin')).json()) as EntityJson;

describe('nodes that are created at the same time', () => {
  it('are the same as those created one by one', async () => {
    const insert = insertOf();
    const parent = await make(undefined, 'Parent');
    const made = await Promise.all(
      Array.from({ length: 300 }, (_, at) =>
        make(insert, `Node ${at}`, {
          field_member_of: [{ target_id: parent.head.id }],
          field_weight: [{ value: at + 1 }],
          ...(at % 50 === 0 && { path: [{ alias: `/grouped/${at}` }] }),
        }),
      ),
    );
    expect(new Set(made.map(({ head }) => head.id)).size).toBe(300);
    for (const at of [0, 1, 150, 299]) {
      const { head, document } = made[at] as (typeof made)[number];
      const stored = await read(head.id);
      expect(stored).toMatchObject({
        nid: [{ value: head.id }],
        vid: [{ value: head.revisionId }],
        title: [{ value: `Node ${at}` }],
        field_weight: [{ value: at + 1 }],
        field_member_of: [{ target_id: parent.head.id }],
      });
      expect(JSON.parse(document).uuid).toEqual(stored.uuid);
    }
    const alias = await repository.get('/grouped/50?_format=json', 'admin');
    expect(((await alias.json()) as EntityJson).title[0].value).toBe('Node 50');
    const members = await repository.running.services.database.client.first(
      "SELECT group_concat(weight) FROM (SELECT weight FROM reference WHERE field = 'field_member_of' ORDER BY weight)",
      [],
    );
    expect(members?.[0]).toBe(Array.from({ length: 300 }, (_, at) => at + 1).join(','));
  });

  it('get distinct ids that no deleted node had', async () => {
    const insert = insertOf();
    const former = await Promise.all([make(insert, 'Former'), make(insert, 'Last')]);
    const lastId = former[1]?.head.id as number;
    await repository.delete(`/node/${lastId}?_format=json`, 'admin');
    const made = await Promise.all([make(insert, 'Alpha'), make(insert, 'Beta'), make(insert, 'Gamma')]);
    expect(made.map(({ head }) => head.id)).toEqual([lastId + 1, lastId + 2, lastId + 3]);
    const stored = await Promise.all(made.map(({ head }) => read(head.id)));
    expect(stored.map(({ title }) => title[0].value)).toEqual(['Alpha', 'Beta', 'Gamma']);
    expect(stored.map(({ vid }) => vid[0].value)).toEqual(made.map(({ head }) => head.revisionId));
  });

  it('are stored even if another one fails', async () => {
    const insert = insertOf();
    const failing = { after: () => [{ sql: 'INSERT INTO guard (taken) VALUES (1)', args: [] }] };
    const outcomes = await Promise.allSettled([
      make(insert, 'Good'),
      make(insert, 'Bad', {}, failing),
      make(insert, 'Good too'),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    const row = await repository.running.services.database.client.first(
      "SELECT group_concat(label) FROM (SELECT label FROM node WHERE label IN ('Good', 'Bad', 'Good too') ORDER BY label)",
      [],
    );
    expect(row?.[0]).toBe('Good,Good too');
  });

  it('are each checked against the term version that they read', async () => {
    const grouped = insertOf();
    let attempts = 0;
    const stale: typeof grouped = (write) => {
      attempts += 1;
      const { targets } = write;
      if (attempts > 1 || targets === undefined) return grouped(write);
      const get: typeof targets.get = (type, id) => {
        const target = targets.get(type, id);
        return target && { ...target, version: -1 };
      };
      return grouped({ ...write, targets: { ...targets, get } as typeof targets });
    };
    await Promise.all([make(stale, 'Knows another version'), make(grouped, 'Knows the version')]);
    expect(attempts).toBe(2);
  });

  it('are written again if a term has changed since they read it', async () => {
    const insert = insertOf();
    await make(insert, 'Remembers the term');
    const { database } = repository.running.services;
    const changes = { sql: 'UPDATE taxonomy_term SET version = version + 1 WHERE id = ?', args: [model] };
    // In the transaction of one of them, before what it refers to is looked at.
    const made = await Promise.all([make(insert, 'First', {}, { before: [changes] }), make(insert, 'Second')]).catch(
      (error: unknown) => String(error),
    );
    expect(String(made)).toContain('Other requests are changing this content');
    await database.write([changes]);
    expect((await Promise.all([make(insert, 'Third'), make(insert, 'Fourth')])).length).toBe(2);
  });

  it('all fail after one request to an unavailable database', async () => {
    const { database } = repository.running.services;
    for (const kind of ['database-locked', 'unavailable'] as const) {
      let writes = 0;
      const write = async () => {
        writes += 1;
        throw new ServiceError(kind, 'Not now.');
      };
      const insert = createInsert({ ...database, write });
      const outcomes = await Promise.allSettled([make(insert, 'One'), make(insert, 'Two'), make(insert, 'Three')]);
      for (const outcome of outcomes) expect(outcome).toMatchObject({ status: 'rejected', reason: { kind } });
      expect(writes).toBe(1);
    }
  });

  it('are written in batches of at most a megabyte of text', async () => {
    const { database } = repository.running.services;
    const sizes: number[] = [];
    const write: typeof database.write = (statements) => {
      sizes.push(
        statementsOf(statements).filter((each) => typeof each === 'object' && each.sql.startsWith('INSERT INTO "node"'))
          .length,
      );
      return database.write(statements);
    };
    const insert = createInsert({ ...database, write });
    const long = { field_description: [{ value: 'x'.repeat(450_000), format: 'plain_text' }] };
    const made = await Promise.all(
      ['A', 'B', 'C', 'D', 'E'].map((title) => make(insert, title, title === 'E' ? {} : long)),
    );
    expect(new Set(made.map(({ head }) => head.id)).size).toBe(5);
    expect(sizes).toEqual([2, 3]);
  });
});
