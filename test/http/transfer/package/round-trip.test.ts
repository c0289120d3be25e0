import { afterAll, beforeAll, describe, expect, it, spyOn } from 'bun:test';
import { join } from 'node:path';
import { run } from '../../../../src/cli/run.ts';
import { DEFAULT_SERVER_CONFIG } from '../../../../src/config/server-config.ts';
import type { Package } from '../../../../src/transfer/files/package.ts';
import { packageOf } from '../../../../src/transfer/package/package-of.ts';
import { auditServices } from '../../../support/audit.ts';
import { comparable } from '../../../support/comparable-package.ts';
import { emptyFolder } from '../../../support/empty-folder.ts';
import { loadContextOf } from '../../../support/table-site.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../../support/test-repository.ts';
import { makeVariedCollection } from '../../../support/varied-collection.ts';

/** With a first start of its own, so that its terms and users have UUIDs of their own. */
const { schemes } = DEFAULT_SERVER_CONFIG;

let folder: string;
let source: TestRepository;
/** Ignores the output of the commands. */
const said = spyOn(console, 'log').mockImplementation(() => {});

beforeAll(async () => {
  folder = await emptyFolder();
  source = await createTestRepository({ schemes });
  await makeVariedCollection(source);
  expect(await run(['export', '--bag', join(folder, 'bags'), '--data', source.dataFolder, '--quiet'])).toBe(0);
  expect(await run(['export', '--ocfl', join(folder, 'ocfl'), '--data', source.dataFolder, '--quiet'])).toBe(0);
}, 60_000);

afterAll(async () => {
  said.mockRestore();
  await source?.stop();
});

describe('OCFL objects of a varied collection', () => {
  let target: TestRepository;
  beforeAll(async () => {
    target = await importInto('ocfl');
  }, 60_000);
  afterAll(() => target?.stop());

  it('come back in another repository field by field and byte by byte, revisions included', async () => {
    await expectSame(source, target, (packed) => packed.versions.length);
  });

  it('are there already when they are imported again', async () => {
    const before = await countsOf(target);
    expect(await run(['import', '--ocfl', join(folder, 'ocfl'), '--data', target.dataFolder, '--quiet'])).toBe(0);
    expect(await countsOf(target)).toEqual(before);
  });

  it('answer the same over HTTP', async () => {
    for (const path of ['/about/%E9%A0%81', '/varied/%C3%86r%C3%B8']) {
      const [one, other] = await Promise.all([source, target].map((each) => each.get(`${path}?_format=json`, 'admin')));
      expect(other?.status).toBe(200);
      const [there, here] = [(await one?.json()) as EntityJson, (await other?.json()) as EntityJson];
      expect(here.title).toEqual(there.title);
      expect(here.uuid).toEqual(there.uuid);
      expect(here.changed).toEqual(there.changed);
      expect(here.field_rights?.[0]?.processed).toEqual(there.field_rights?.[0]?.processed);
    }
    const { rows } = await source.running.services.database.client.execute('SELECT uri, sha256 FROM file ORDER BY uri');
    const copies = await target.running.services.database.client.execute('SELECT uri, sha256 FROM file ORDER BY uri');
    expect(copies.rows.map((row) => [...Object.values(row)])).toEqual(rows.map((row) => [...Object.values(row)]));
  });

  it('keep the size that a picture had before it was replaced', async () => {
    const { rows } = await target.running.services.database.client.execute(
      "SELECT snapshot ->> '$.document' FROM media_revision WHERE snapshot LIKE '%cover.jpg%'",
    );
    const [before] = rows.map((row) => JSON.parse(String(row[0])) as EntityJson);
    expect(before).toMatchObject({ field_media_image: [{ width: 23, height: 17 }], thumbnail: [{ width: 23 }] });
    const now = await target.running.services.database.client.first(
      "SELECT width FROM file WHERE uri LIKE '%cover.jpg'",
      [],
    );
    expect(now?.[0]).toBe(46);
  });

  it('leave nothing that does not fit together', async () => {
    expect(await auditServices(target.running.services, true)).toEqual([]);
  });

  it('leave no job for derivatives that are there', async () => {
    expect(await count(target, 'SELECT count(*) FROM derivative_job')).toBe(0);
  });
});

describe('bags of a varied collection', () => {
  it('come back in another repository field by field and byte by byte, as they were last', async () => {
    const target = await importInto('bags');
    try {
      await expectSame(source, target, () => 1);
    } finally {
      await target.stop();
    }
  }, 60_000);
});

async function importInto(format: 'bags' | 'ocfl'): Promise<TestRepository> {
  const target = await createTestRepository({ schemes });
  await target.user('bo');
  await target.user('ana');
  // Other ids than in the source.
  await target.node();
  const option = format === 'bags' ? '--bag' : '--ocfl';
  const data = ['--data', target.dataFolder, '--quiet'];
  expect(await run(['import', option, join(folder, format), '--check', ...data])).toBe(0);
  expect(await countsOf(target)).toMatchObject({ node: 1, media: 0 });
  expect(await run(['import', option, join(folder, format), ...data])).toBe(0);
  return target;
}

async function expectSame(one: TestRepository, other: TestRepository, versionsOf: (packed: Package) => number) {
  one.running.services.database.refresh();
  other.running.services.database.refresh();
  const shared = await sharedTerms(one, other);
  const [from, to] = [await loadContextOf(one), await loadContextOf(other)];
  const ids = async (site: TestRepository) => {
    const { rows } = await site.running.services.database.client.execute('SELECT uuid, id FROM node');
    return new Map(rows.map((row) => [String(row[0]), Number(row[1])]));
  };
  const copies = await ids(other);
  for (const [uuid, id] of await ids(one)) {
    const original = await packageOf(from, id);
    const copy = await packageOf(to, copies.get(uuid) ?? 0);
    const count = versionsOf(original);
    const wanted = await comparable({ ...original, versions: original.versions.slice(-count) }, shared);
    const found = await comparable({ ...copy, versions: copy.versions.slice(-count) }, shared);
    expect(found.map(({ files }) => files)).toEqual(wanted.map(({ files }) => files));
    if (count > 1) expect(found).toEqual(wanted);
  }
}

/** Terms that both had from the start, by both UUIDs, as `vocabulary name`. */
async function sharedTerms(one: TestRepository, other: TestRepository): Promise<Map<string, string>> {
  const seeded = async ({ running }: TestRepository) => {
    const { rows } = await running.services.database.client.execute(
      `SELECT bundle || ' ' || label, uuid FROM taxonomy_term t
        WHERE EXISTS (SELECT 1 FROM term_uri u WHERE u.term_id = t.id)`,
    );
    return rows.map((row) => [String(row[1]), String(row[0])] as const);
  };
  return new Map([...(await seeded(one)), ...(await seeded(other))]);
}

async function count({ running }: TestRepository, query: string): Promise<number> {
  running.services.database.refresh();
  return Number((await running.services.database.client.first(query, []))?.[0]);
}

async function countsOf(site: TestRepository): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of ['node', 'media', 'taxonomy_term', 'file', 'node_revision', 'media_revision'])
    counts[table] = await count(site, `SELECT count(*) FROM ${table}`);
  return counts;
}
