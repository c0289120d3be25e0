import { afterEach, describe, expect, it, spyOn } from 'bun:test';
import type { Database } from '../../../../src/database/database.ts';
import { isInterrupted, isOutcomeUnknown } from '../../../../src/database/errors.ts';
import { openDatabase } from '../../../../src/database/remote/open-database.ts';
import type { RemoteOptions } from '../../../../src/database/remote/remote-connection.ts';
import { freePort } from '../../../support/free-port.ts';
import { failure, rejection } from '../../../support/rejection.ts';
import { until } from '../../../support/until.ts';

interface Batch {
  readonly steps: ReadonlyArray<{ readonly stmt: { readonly sql: string } }>;
  readonly replication_index?: string;
}
type Answer = (batch: Batch, count: number) => Response | Promise<Response>;

const ended: Array<() => unknown> = [];
afterEach(async () => {
  for (const end of ended.splice(0)) await end();
});

/** An answer to all steps of a batch. */
function done({ steps }: Batch, index = 1): Response {
  const step = {
    cols: [{ name: 'value' }],
    rows: [[{ type: 'integer', value: '7' }]],
    affected_row_count: 0,
    last_insert_rowid: null,
  };
  const result = {
    step_results: steps.map(() => step),
    step_errors: steps.map(() => null),
    replication_index: String(index),
  };
  return Response.json({ results: [{ type: 'ok', response: { type: 'batch', result } }] });
}

const isWrite = ({ steps }: Batch) => steps[0]?.stmt.sql === 'BEGIN IMMEDIATE';

/** A server that is asked for nothing of its own accord: the first request is that of opening. */
async function against(answer: Answer, options: RemoteOptions = {}) {
  const seen: Array<{ batch: Batch; authorization: string | null }> = [];
  const server = Bun.serve({
    // Tests bind it again: no connection may get it meanwhile.
    port: await freePort(),
    hostname: '127.0.0.1',
    async fetch(request) {
      const { requests } = (await request.json()) as { requests: [{ batch: Batch }] };
      const { batch } = requests[0];
      seen.push({ batch, authorization: request.headers.get('authorization') });
      return seen.length === 1 ? done(batch) : answer(batch, seen.length - 1);
    },
  });
  const url = `http://127.0.0.1:${server.port}`;
  const place = { file: undefined, url, authToken: 'hush', syncUrl: undefined };
  const database = await openDatabase(place, { timeoutMs: 1_000, ...options });
  ended.push(
    () => database.close(),
    () => server.stop(true),
  );
  return { database, seen, url, server };
}

const write = (database: Database) => database.write(["INSERT INTO a VALUES ('x')"]);
const shown = (error: unknown) => Bun.inspect(error);

describe('the client of a libSQL server', () => {
  it('ends the reads under way when it is interrupted, and goes on', async () => {
    const { database, seen } = await against((batch, count) => (count === 1 ? new Promise(() => {}) : done(batch)), {
      timeoutMs: 60_000,
    });
    const read = rejection(database.client.first('SELECT 1', []));
    await until(() => seen.length === 2);
    database.interrupt();
    expect(isInterrupted(await read)).toBe(true);
    expect((await database.client.first('SELECT 1', []))?.[0]).toBe(7);
  });

  it('sends the token with every request', async () => {
    const { database, seen } = await against((batch) => done(batch));
    await database.client.first('SELECT 1', []);
    expect(seen.map(({ authorization }) => authorization)).toEqual(['Bearer hush', 'Bearer hush']);
  });

  it('sends the reads of one turn in one request, with the generation', async () => {
    let count = 0;
    const { database, seen } = await against((batch) => done(batch), { onRequest: () => count++ });
    const asks = [
      database.client.first('SELECT 1', []),
      database.client.execute('SELECT 2'),
      database.client.first('SELECT 3', []),
    ];
    await Promise.all(asks);
    expect(await database.generation()).toBe(7);
    expect(seen[1]?.batch.steps.map(({ stmt }) => stmt.sql)).toEqual([
      'select "value" from "generation"',
      'SELECT 1',
      'SELECT 2',
      'SELECT 3',
    ]);
    expect(count).toBe(2);
  });

  it('reads several statements in one transaction', async () => {
    const { database, seen } = await against((batch) => done(batch));
    await database.read(['SELECT 1', 'SELECT 2']);
    const sql = seen[1]?.batch.steps.map(({ stmt }) => stmt.sql) ?? [];
    expect([sql[0], sql.at(-1)]).toEqual(['BEGIN TRANSACTION READONLY', 'COMMIT']);
  });

  it('reads the generation again before it is outdated', async () => {
    const { database, seen } = await against((batch) => done(batch));
    await database.generation();
    const before = seen.length;
    await until(() => seen.length > before);
    expect(database.knownGeneration()).toBe(7);
  });

  it('sends its replication index with each request', async () => {
    const { database, seen } = await against((batch, count) => done(batch, isWrite(batch) ? 40 : 30 + count));
    await database.client.first('SELECT 1', []);
    await write(database);
    await database.client.first('SELECT 2', []);
    expect(seen.map(({ batch }) => batch.replication_index)).toEqual([undefined, '1', '31', '40']);
  });

  it('retries a read after a gateway error, but never a write', async () => {
    let isFirst = true;
    const { database, seen } = await against((batch) => {
      if (!isFirst && !isWrite(batch)) return done(batch);
      isFirst = false;
      return new Response('bad gateway', { status: 502 });
    });
    expect((await database.client.first('SELECT 1', []))?.[0]).toBe(7);
    const error = await failure(write(database));
    expect(error.kind).toBe('unavailable');
    expect(error.headers).toEqual({ 'Retry-After': '5' });
    expect(isOutcomeUnknown(error)).toBe(true);
    expect(seen.filter(({ batch }) => isWrite(batch))).toHaveLength(1);
  });

  it('reports an unknown outcome if a write is disconnected, and does not repeat it', async () => {
    const received: string[] = [];
    const server = Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: {
        data(socket, bytes) {
          const text = bytes.toString();
          received.push(text);
          if (received.length > 1) return socket.terminate();
          const body = JSON.stringify({
            results: [{ type: 'ok', response: { result: { step_results: [null], step_errors: [null] } } }],
          });
          socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
        },
      },
    });
    const url = `http://127.0.0.1:${server.port}`;
    const database = await openDatabase({ file: undefined, url, authToken: undefined, syncUrl: undefined });
    ended.push(
      () => database.close(),
      () => server.stop(true),
    );
    expect(isOutcomeUnknown(await rejection(write(database)))).toBe(true);
    expect(received.filter((text) => text.includes('INSERT INTO a'))).toHaveLength(1);
  });

  it('retries a write that did not arrive', async () => {
    const { database, server, url } = await against((batch) => done(batch));
    await server.stop(true);
    const attempts = spyOn(globalThis, 'fetch');
    const writing = write(database);
    // The first one has failed before the second begins.
    await until(() => attempts.mock.calls.length > 1).finally(() => attempts.mockRestore());
    const again = Bun.serve({
      port: Number(new URL(url).port),
      hostname: '127.0.0.1',
      fetch: async (request) => done(((await request.json()) as { requests: [{ batch: Batch }] }).requests[0].batch),
    });
    ended.push(() => again.stop(true));
    expect(await writing).toHaveLength(1);
  });

  it('gives up reads and writes without a server, and reports that nothing was written', async () => {
    const { database, server, url } = await against((batch) => done(batch));
    await server.stop(true);
    const [read, written] = await Promise.all([
      failure(database.client.first('SELECT 1', [])),
      failure(write(database)),
    ]);
    for (const error of [read, written]) {
      expect(error.kind).toBe('unavailable');
      expect(error.publicMessage).toBe('The database cannot be reached at present.');
      expect(isOutcomeUnknown(error)).toBe(false);
      expect(shown(error)).toContain(url);
      expect(shown(error)).not.toContain('hush');
    }
  });

  it('waits no longer than its timeout', async () => {
    const { database } = await against(() => new Promise<Response>(() => {}), { timeoutMs: 100 });
    const [read, written] = await Promise.all([
      failure(database.client.first('SELECT 1', [])),
      failure(write(database)),
    ]);
    expect({ read: read.kind, written: written.kind }).toEqual({ read: 'unavailable', written: 'unavailable' });
    expect(isOutcomeUnknown(written)).toBe(true);
  });

  it.each([
    ['text', () => new Response('hello')],
    ['other JSON', () => Response.json({ hello: 1 })],
    ['null', () => Response.json(null)],
    ['too few results', () => Response.json({ results: [] })],
    ['too few steps', () => done({ steps: [] })],
    ['a redirect', () => Response.redirect('http://127.0.0.1:9/')],
    ['404', () => new Response('not here', { status: 404 })],
  ])('rejects %s as a response', async (_, answer) => {
    const { database, url } = await against(answer);
    const read = await failure(database.client.first('SELECT 1', []));
    const written = await failure(write(database));
    expect({ read: read.kind, written: written.kind }).toEqual({ read: 'unavailable', written: 'unavailable' });
    expect(shown(read)).toContain(url);
  });

  it('rejects an integer that loses precision', async () => {
    const step = {
      cols: [{ name: 'a' }],
      rows: [[{ type: 'integer', value: '9007199254740993' }]],
      affected_row_count: 0,
      last_insert_rowid: null,
    };
    const { database } = await against(({ steps }) => {
      const result = { step_results: steps.map(() => step), step_errors: steps.map(() => null) };
      return Response.json({ results: [{ type: 'ok', response: { result } }] });
    });
    expect(await rejection(database.client.first('SELECT 1', []))).toBeInstanceOf(RangeError);
  });
});

describe('opening a database on a server', () => {
  const open = (url: string) =>
    rejection(openDatabase({ file: undefined, url, authToken: 'hush', syncUrl: undefined }, { timeoutMs: 300 }));

  it.each([
    [401, /rejects the token: check REPO_DATABASE_AUTH_TOKEN/],
    [403, /rejects the token: check REPO_DATABASE_AUTH_TOKEN/],
    [404, /answers 404/],
  ])('that returns %d reports the reason', async (status, message) => {
    const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('no', { status }) });
    ended.push(() => server.stop(true));
    const error = await open(`http://127.0.0.1:${server.port}`);
    expect(error).toHaveProperty('name', 'UnusableDatabaseError');
    expect(error).toHaveProperty('message', expect.stringMatching(message));
    expect(shown(error)).not.toContain('hush');
  });

  it('that is not a libSQL server reports an error', async () => {
    const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('<html>Welcome</html>') });
    ended.push(() => server.stop(true));
    expect(await open(`http://127.0.0.1:${server.port}`)).toHaveProperty(
      'message',
      expect.stringContaining('is not a libSQL server'),
    );
  });

  it('waits for a server that is starting', async () => {
    const port = await freePort();
    const attempts = spyOn(globalThis, 'fetch');
    const opening = openDatabase({
      file: undefined,
      url: `http://127.0.0.1:${port}`,
      authToken: undefined,
      syncUrl: undefined,
    });
    await until(() => attempts.mock.calls.length > 1).finally(() => attempts.mockRestore());
    const server = Bun.serve({
      port,
      hostname: '127.0.0.1',
      fetch: async (request) => done(((await request.json()) as { requests: [{ batch: Batch }] }).requests[0].batch),
    });
    ended.push(() => server.stop(true));
    const database = await opening;
    expect(database.isShared).toBe(true);
    await database.close();
  });
});
