import { afterEach, beforeEach, describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import type { Database } from '../../../../src/database/database.ts';
import { InterruptedError } from '../../../../src/database/errors.ts';
import { openLocalDatabase } from '../../../../src/database/local/open-local-database.ts';
import { migrate } from '../../../../src/database/migrate.ts';
import { openForReading } from '../../../../src/database/remote/open-database.ts';
import { createEngine } from '../../../../src/search/engine/create-engine.ts';
import { SearchTime } from '../../../../src/search/engine/search-time.ts';
import { emptyFolder } from '../../../support/empty-folder.ts';
import { ENDLESS } from '../../../support/endless-statement.ts';
import { failure } from '../../../support/rejection.ts';
import { ANONYMOUS, nodeRow, SETUP } from '../../../support/search-rows.ts';

const NO_LIMIT = Number.POSITIVE_INFINITY;

let writer: Database;
let reader: Database;

beforeEach(async () => {
  const file = join(await emptyFolder(), 'a.db');
  writer = openLocalDatabase(file);
  await migrate(writer.client, 1);
  await writer.write([1, 2, 3].flatMap((nid) => nodeRow({ nid, title: `Harbour ${nid}` })));
  reader = await openForReading({ file, url: undefined, authToken: undefined, syncUrl: undefined, cacheKib: 1_024 });
});
afterEach(async () => {
  await reader.close();
  await writer.close();
});

const endless = () => reader.client.execute(ENDLESS);
const count = async () => (await reader.client.execute('SELECT count(*) FROM node')).rows[0]?.[0];

/** A database on which the statement of ranking takes until it is interrupted. */
function withSlowRanking(): Database {
  let interrupt: (() => void) | undefined;
  return {
    ...reader,
    interrupt: () => interrupt?.(),
    get: (statement) => {
      if (!statement.sql.includes('bm25')) return reader.get(statement);
      return new Promise((_, reject) => {
        interrupt = () => reject(new InterruptedError('interrupted'));
      });
    },
  };
}

describe('the time of a search', () => {
  it('ends a statement at the deadline with 503 and a retry time', async () => {
    const error = await failure(new SearchTime(reader, 20).run(endless));
    expect(error).toMatchObject({ kind: 'over-capacity', headers: { 'Retry-After': '5' } });
    expect(await count()).toBe(3);
  });

  it('ends a statement whose caller leaves', async () => {
    const controller = new AbortController();
    const outcome = failure(new SearchTime(reader, NO_LIMIT, controller.signal).run(endless));
    setTimeout(() => controller.abort(), 0);
    expect(await outcome).toMatchObject({ kind: 'client-gone' });
    expect(await count()).toBe(3);
  });

  it('ends a part that takes too long, and goes on', async () => {
    const time = new SearchTime(reader, NO_LIMIT);
    const outcome = await time.run(async () => [await time.atMost(20, endless), await time.atMost(10_000, count)]);
    expect(outcome).toEqual([undefined, 3]);
  });

  it('ends the whole search at its deadline, and not only a part', async () => {
    const time = new SearchTime(reader, 20);
    expect(await failure(time.run(() => time.atMost(10_000, endless)))).toMatchObject({ kind: 'over-capacity' });
  });
});

describe('a search whose ranking takes too long', () => {
  it('has the newest first, and further pages in this order', async () => {
    const engine = createEngine(withSlowRanking(), SETUP, { maxMs: NO_LIMIT });
    const { sort, items, next, total } = await engine.search(ANONYMOUS, { text: 'harbo*', size: 2 });
    expect({ sort, nids: items.map(({ nid }) => nid), total }).toEqual({ sort: 'newest', nids: [3, 2], total: 3 });
    const last = await engine.search(ANONYMOUS, { text: 'harbo*', size: 2, after: next });
    expect({ sort: last.sort, nids: last.items.map(({ nid }) => nid) }).toEqual({ sort: 'newest', nids: [1] });
  });

  it('answers 503 for a further page in the order of relevance', async () => {
    const first = await createEngine(reader, SETUP).search(ANONYMOUS, { text: 'harbo*', size: 2 });
    expect(first.sort).toBe('relevance');
    const second = createEngine(withSlowRanking(), SETUP, { maxMs: NO_LIMIT }).search(ANONYMOUS, {
      text: 'harbo*',
      size: 2,
      after: first.next,
    });
    expect(await failure(second)).toMatchObject({ kind: 'over-capacity', headers: { 'Retry-After': '5' } });
  });
});
