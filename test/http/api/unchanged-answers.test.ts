import { afterAll, beforeAll, beforeEach, describe, expect, it, spyOn } from 'bun:test';
import type { Database } from '../../../src/database/database.ts';
import { openLocalDatabase } from '../../../src/database/local/open-local-database.ts';
import { storedName, storedText } from '../../../src/repository/settings/settings.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
/** A connection of its own, as a command in another process has one. */
let elsewhere: Database;
let subject: number;
let node: number;

beforeAll(async () => {
  repository = await createTestRepository();
  elsewhere = openLocalDatabase(`${repository.dataFolder}/repository.db`);
});
afterAll(async () => {
  await elsewhere.close();
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

beforeEach(async () => {
  const term = { vid: [{ target_id: 'subject' }], name: [{ value: 'Birds' }] };
  const made = await repository.post('/taxonomy/term?_format=json', term, 'admin');
  subject = ((await made.json()) as EntityJson).tid[0].value;
  node = (await repository.node({ field_subject: [{ target_id: subject }] })).nid[0].value;
});

const FORMATS = ['json', 'jsonld', 'html'];
const ask = (format: string, as?: string, headers = {}) =>
  repository.get(`/node/${node}?_format=${format}`, as, headers);

/** Asks until answers come from memory. */
async function warmUp(as?: string): Promise<void> {
  for (const format of FORMATS) {
    for (let time = 0; time < 3; time++) expect((await ask(format, as)).status).toBe(200);
  }
}

/** A write that changes no response. */
const UNRELATED = "INSERT INTO setting (name, value) VALUES ('other', '1') ON CONFLICT DO UPDATE SET value = '2'";
const change = (sql: string, ...args: (string | number)[]) => elsewhere.write([{ sql, args }]);

/** Counts the queries of the database during a task. */
async function questions(work: () => Promise<unknown>): Promise<number> {
  const { database } = repository.running.services;
  const asking = ['get', 'all', 'read'] as const;
  const spies = [...asking.map((method) => spyOn(database, method)), spyOn(database.client, 'execute')];
  try {
    await work();
    return spies.reduce((sum, { mock }) => sum + mock.calls.length, 0);
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

describe('a GET of unchanged content', () => {
  it.each([undefined, 'admin'])('sends no query to the database (as %p)', async (as) => {
    await warmUp(as);
    for (const format of FORMATS) {
      expect({ format, questions: await questions(() => ask(format, as)) }).toEqual({ format, questions: 0 });
      const head = () => repository.fetch(`/node/${node}?_format=${format}`, { method: 'HEAD', as });
      expect({ format, questions: await questions(head) }).toEqual({ format, questions: 0 });
    }
    await change(UNRELATED);
    expect(await questions(() => ask('json', as))).toBeGreaterThan(0);
    expect(await questions(() => ask('json', as))).toBe(0);
  });

  it('reads a response of more than 64 KiB from the database each time', async () => {
    const body = [{ value: 'word '.repeat(20_000), format: 'plain_text' }];
    const fields = { type: 'article', title: ['An article'], body };
    const made = await repository.post('/node?_format=json', fields, 'admin');
    node = ((await made.json()) as EntityJson).nid[0].value;
    await warmUp();
    for (const format of FORMATS) expect([format, await questions(() => ask(format))]).not.toEqual([format, 0]);
  });

  it('returns the first response with its headers, and 304 if the client has it', async () => {
    for (const format of FORMATS) {
      const first = await ask(format);
      const again = await ask(format);
      expect([...again.headers].filter(([name]) => name !== 'date')).toEqual(
        [...first.headers].filter(([name]) => name !== 'date'),
      );
      expect(await again.text()).toBe(await first.text());
      const known = await ask(format, undefined, { 'If-None-Match': first.headers.get('etag') ?? '' });
      expect({ status: known.status, body: await known.text() }).toEqual({ status: 304, body: '' });
      expect((await ask(format, undefined, { 'If-Match': '"another"' })).status).toBe(412);
    }
  });

  it('returns each caller only visible content, with the requested host name', async () => {
    await repository.running.services.database.write([
      { sql: 'UPDATE node SET status = 0, version = version + 1 WHERE id = ?', args: [node] },
    ]);
    await warmUp('admin');
    for (const format of FORMATS) {
      expect({ format, status: (await ask(format)).status }).toEqual({ format, status: 401 });
      const response = await ask(format, 'admin', { Host: 'elsewhere.example' });
      expect(await response.text()).not.toContain(repository.url);
      expect(response.headers.get('link')).toContain('http://elsewhere.example/');
    }
  });
});

describe('the next response after a write of another process', () => {
  const status = async (as?: string) => Promise.all(FORMATS.map(async (format) => (await ask(format, as)).status));

  it('reflects a node that is hidden, shown, or deleted', async () => {
    await warmUp();
    await change('UPDATE node SET status = 0, version = version + 1 WHERE id = ?', node);
    expect(await status()).toEqual([401, 401, 401]);
    await change('UPDATE node SET status = 1, version = version + 1 WHERE id = ?', node);
    expect(await status()).toEqual([200, 200, 200]);
    await change('DELETE FROM node WHERE id = ?', node);
    expect(await status()).toEqual([404, 404, 404]);
  });

  it('reflects a node that is hidden during the response', async () => {
    await warmUp();
    // So that it is asked whether the node has changed.
    await change(UNRELATED);
    const { database } = repository.running.services;
    const { get } = database;
    let isHidden = false;
    const spy = spyOn(database, 'get').mockImplementation(async (statement) => {
      const row = await get(statement);
      // The settings of the site and the access rules are read before.
      if (isHidden || !statement.sql.includes('"document"')) return row;
      isHidden = true;
      await change('UPDATE node SET status = 0, version = version + 1 WHERE id = ?', node);
      database.refresh();
      return row;
    });
    expect((await ask('json')).status).toBe(200);
    spy.mockRestore();
    expect(await status()).toEqual([401, 401, 401]);
  });

  it('reflects a changed setting', async () => {
    await warmUp();
    const set = (value: boolean) =>
      change(
        'INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
        storedName('allow_header_links'),
        storedText(value),
      );
    const before = (await ask('json')).headers.get('link');
    await set(false);
    expect((await ask('json')).headers.get('link')).not.toBe(before);
    await set(true);
    expect((await ask('json')).headers.get('link')).toBe(before);
  });

  it('reflects the new name and the deletion of a referenced term', async () => {
    await warmUp();
    const names = async (label: string) => (await ask('json')).headers.get('link')?.includes(`title="${label}"`);
    expect({ birds: await names('Birds'), fowl: await names('Fowl') }).toEqual({ birds: true, fowl: false });
    await change("UPDATE taxonomy_term SET label = 'Fowl', version = version + 1 WHERE id = ?", subject);
    expect({ birds: await names('Birds'), fowl: await names('Fowl') }).toEqual({ birds: false, fowl: true });
    await change('DELETE FROM taxonomy_term WHERE id = ?', subject);
    expect({ birds: await names('Birds'), fowl: await names('Fowl') }).toEqual({ birds: false, fowl: false });
  });

  it('reflects a user who is blocked, or has other roles', async () => {
    const id = await repository.user('ann', 'administrator');
    await change('UPDATE node SET status = 0, version = version + 1 WHERE id = ?', node);
    await warmUp('ann');
    await change("UPDATE user SET roles = '[]' WHERE id = ?", id);
    expect(await status('ann')).toEqual([403, 403, 403]);
    await change('UPDATE user SET roles = ? WHERE id = ?', '["administrator"]', id);
    expect(await status('ann')).toEqual([200, 200, 200]);
    await change('UPDATE user SET status = 0 WHERE id = ?', id);
    expect(await status('ann')).toEqual([401, 401, 401]);
  });
});

describe('a changed term that the process does not know yet', () => {
  it('is in the responses after it is known', async () => {
    await warmUp();
    const { database } = repository.running.services;
    const former = database.knownGeneration();
    await change("UPDATE taxonomy_term SET label = 'Fowl', version = version + 1 WHERE id = ?", subject);
    // As on a server: the settings are of a generation that the process learns of later.
    const spies = [
      spyOn(database, 'stamp').mockReturnValue(undefined),
      spyOn(database, 'knownGeneration').mockReturnValue(former).mockReturnValueOnce(undefined),
    ];
    const askAnew = () => ask('json', undefined, { Host: 'anew.example' });
    await askAnew();
    for (const spy of spies) spy.mockRestore();
    expect((await askAnew()).headers.get('link')).toContain('title="Fowl"');
  });
});
