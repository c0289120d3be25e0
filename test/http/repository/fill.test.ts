import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { type FillResult, fillRepository } from '../../bench/fill.ts';
import { audit } from '../../support/audit.ts';
import { emptyFolder } from '../../support/empty-folder.ts';
import { type ServerProcess, startServer } from '../../support/server-process.ts';
import type { EntityJson } from '../../support/test-repository.ts';

const COUNT = 500;
let folder: string;
let filled: FillResult;
let server: ServerProcess;

beforeAll(async () => {
  folder = await emptyFolder();
  filled = await fillRepository(folder, COUNT);
  server = await startServer({ from: 'source', data: folder });
}, 120_000);

afterAll(async () => {
  await server.stop();
  expect(await audit(folder, true)).toEqual([]);
});

async function node(id: number): Promise<EntityJson> {
  const response = await server.fetch(`/node/${id}?_format=json`);
  expect(response.status).toBe(200);
  return (await response.json()) as EntityJson;
}

/** The members of a node that are the same in a copy of it. */
function common({ nid, vid, uuid, ...members }: EntityJson): unknown {
  return JSON.parse(JSON.stringify(members).replaceAll(/@00000000|\b0{3}\d{6}\b/g, 'NUMBER'));
}

describe('the nodes of the benchmark', () => {
  it('have 20 filled fields and 10 references', async () => {
    const members = Object.entries(await node(filled.firstId)).filter(([name]) => name.startsWith('field_'));
    expect(members.filter(([, items]) => items.length > 0)).toHaveLength(20);
    const references = members.flatMap(([, items]) => (items as EntityJson[]).filter((item) => 'target_id' in item));
    expect(references).toHaveLength(10);
  });

  it('equal those that the API creates, except for ids and numbers', async () => {
    for (const offset of [0, 1, 49, 50, COUNT - 1]) {
      const copy = await node(filled.firstId + offset);
      const original = await node(filled.templates[offset % filled.templates.length] as number);
      expect(common(copy)).toEqual(common(original));
      expect(copy.title[0].value).toContain(String(filled.firstId + offset).padStart(9, '0'));
    }
  });

  it('can be changed and deleted, and leave the next id free', async () => {
    const type = [{ target_id: 'islandora_object' }];
    const change = { method: 'PATCH', headers: { 'Content-Type': 'application/json' } };
    const path = `/node/${filled.lastId}`;
    const body = JSON.stringify({ type, title: [{ value: 'Changed' }] });
    expect((await server.fetch(`${path}?_format=json`, { ...change, body })).status).toBe(200);
    const revisions = await server.fetch(`${path}/revisions?_format=json`);
    expect((await revisions.json()) as EntityJson[]).toHaveLength(2);
    expect((await server.fetch(`${path}?_format=json`, { method: 'DELETE' })).status).toBe(204);
    const model = (await node(filled.firstId)).field_model;
    const create = { method: 'POST', headers: { 'Content-Type': 'application/json' } };
    const made = await server.fetch('/node?_format=json', {
      ...create,
      body: JSON.stringify({ type, title: [{ value: 'Next' }], field_model: model }),
    });
    expect(made.headers.get('location')).toEndWith(`/node/${filled.lastId + 1}`);
  });
});
