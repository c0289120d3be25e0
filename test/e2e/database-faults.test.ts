import { afterEach, describe, expect, it } from 'bun:test';
import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { SignJWT } from 'jose';
import type { Database } from '../../src/database/database.ts';
import { isOutcomeUnknown } from '../../src/database/errors.ts';
import { openDatabase } from '../../src/database/remote/open-database.ts';
import type { RemoteOptions } from '../../src/database/remote/remote-connection.ts';
import { ReplicaSync } from '../../src/database/remote/replica-sync.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { pause } from '../support/pause.ts';
import { failure, rejection } from '../support/rejection.ts';
import { sized } from '../support/size.ts';
import { type Sqld, type SqldOptions, startSqld } from '../support/sqld.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';

const WRITERS = 32;
const KILLS = sized(4, 10);
/** From then on, a server is killed at any moment. */
const MAX_PAUSE_MS = 300;

const ended: Array<() => unknown> = [];
afterEach(async () => {
  for (const end of ended.splice(0).reverse()) await end();
});

async function server(options: SqldOptions = {}): Promise<Sqld> {
  const started = await startSqld(options);
  ended.push(() => started.stop());
  return started;
}

async function open(url: string, options: RemoteOptions = {}, authToken?: string): Promise<Database> {
  const database = await openDatabase({ file: undefined, url, authToken, syncUrl: undefined }, options);
  ended.push(() => database.close());
  return database;
}

const insert = (name: string) => ({ sql: 'INSERT INTO item (name) VALUES (?)', args: [name] });
const makeItems = (database: Database) => database.write(['CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT)']);
const count = async (database: Database) => (await database.client.first('SELECT count(*) FROM item', []))?.[0];

describe('a libSQL server that is killed under write load', () => {
  it(`keeps every confirmed write once, after ${KILLS} kills`, async () => {
    const sqld = await server();
    const database = await open(sqld.url);
    await makeItems(database);
    const answered: string[] = [];
    const unknown = new Set<string>();
    let refused = 0;
    let isOver = false;
    const work = async (writer: number) => {
      for (let number = 0; !isOver; number++) {
        const name = `${writer}.${number}`;
        try {
          // Two statements: what is there by half would show.
          await database.write([insert(name), insert(`${name}+`)]);
          answered.push(name);
        } catch (error) {
          if (isOutcomeUnknown(error)) unknown.add(name);
          else refused++;
        }
      }
    };
    const works = Array.from({ length: WRITERS }, (_, writer) => work(writer));
    const moreAnswered = () => {
      const least = answered.length + WRITERS;
      return until(() => answered.length > least);
    };
    for (let kill = 0; kill < KILLS; kill++) {
      await moreAnswered();
      await pause(MAX_PAUSE_MS * Math.random());
      await sqld.kill();
      await pause(kill % 2 === 0 ? 0 : 100);
      await sqld.restart();
    }
    await moreAnswered();
    isOver = true;
    await Promise.all(works);

    const { rows } = await database.client.execute('SELECT name, count(*) FROM item GROUP BY name');
    const times = new Map(rows.map((row) => [String(row[0]), Number(row[1])]));
    const done = answered.filter((name) => times.has(name));
    const unknownDone = [...unknown].filter((name) => times.has(name));
    console.log(
      `${KILLS} kills: ${JSON.stringify({ answered: answered.length, found: done.length, refused, unknown: unknown.size, unknownDone: unknownDone.length })}`,
    );
    expect(done).toHaveLength(answered.length);
    expect([...times.values()].every((each) => each === 1)).toBe(true);
    expect(times.size).toBe(2 * (answered.length + unknownDone.length));
    for (const name of [...done, ...unknownDone]) expect(times.has(`${name}+`)).toBe(true);
    expect(answered.length).toBeGreaterThan(WRITERS * KILLS);
  }, 60_000);

  it('answers every read during short outages', async () => {
    const sqld = await server();
    const database = await open(sqld.url);
    await makeItems(database);
    await database.write([insert('a')]);
    let reads = 0;
    let isOver = false;
    const works = Array.from({ length: 8 }, async () => {
      for (; !isOver; reads++) expect(await count(database)).toBe(1);
    });
    for (let kill = 0; kill < 5; kill++) {
      const least = reads + 20;
      await until(() => reads > least);
      await sqld.restart();
    }
    isOver = true;
    await Promise.all(works);
    console.log(`5 kills: ${reads} reads, all answered`);
    expect(reads).toBeGreaterThan(100);
  }, 30_000);
});

describe('a replica that is behind', () => {
  /** Sends writes to the primary and reads to the replica, as a balancer between them may. */
  function balance(primary: Sqld, replica: Sqld): string {
    const balancer = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      async fetch(request) {
        const body = await request.text();
        const target = body.includes('BEGIN IMMEDIATE') ? primary : replica;
        const response = await fetch(`${target.url}/v3/pipeline`, { method: 'POST', body });
        return new Response(await response.text(), { status: response.status });
      },
    });
    ended.push(() => balancer.stop(true));
    return `http://127.0.0.1:${balancer.port}`;
  }

  /** Returns the position up to which a server has applied the log, without waiting; NaN while it starts again. */
  async function logPosition({ url }: Sqld): Promise<number> {
    const body = JSON.stringify({ requests: [{ type: 'batch', batch: { steps: [] } }] });
    const response = await fetch(`${url}/v3/pipeline`, { method: 'POST', body });
    const { results } = (await response.json()) as {
      results?: [{ response?: { result: { replication_index: string } } }];
    };
    return Number(results?.[0].response?.result.replication_index);
  }

  it('delays reads of the process that wrote, and shows others the previous state', async () => {
    const primary = await server();
    const line = await startTcpProxy(primary.grpcUrl);
    ended.push(() => line.stop());
    const replica = await server({ primary: line.url });
    const writer = await open(balance(primary, replica));
    const onlooker = await open(replica.url);
    await makeItems(writer);
    await writer.write([insert('first')]);
    expect(await count(writer)).toBe(1);
    expect(await count(onlooker)).toBe(1);

    line.pause();
    await writer.write([insert('second')]);
    let own: unknown;
    const reading = count(writer).then((found) => {
      own = found;
    });
    // They are asked later, and answered before it.
    for (let read = 0; read < 20; read++) expect(await count(onlooker)).toBe(1);
    expect(own).toBeUndefined();

    line.resume();
    await reading;
    expect(own).toBe(2);
    await until(async () => (await count(onlooker)) === 2);
  }, 30_000);

  it('answers reads after its restarted primary numbers the log from the start', async () => {
    const primary = await server();
    const replica = await server({ primary: primary.grpcUrl });
    const database = await open(replica.url);
    await makeItems(database);
    for (let index = 0; index < 30; index++) await database.write([insert(`${index}`)]);
    await primary.restart();
    // One that lacks the last write still stands at 30 before it learns of the new log.
    await until(async () => (await logPosition(replica)) < 30);
    // It begins the new log before it has all of it.
    await until(async () => (await count(database)) === 30);
    await database.write([insert('last')]);
    expect(await count(database)).toBe(31);
  }, 30_000);
});

describe('a libSQL server that requires a token', () => {
  it('accepts a valid token, and rejects others with a hint', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const file = join(await emptyFolder(), 'public.pem');
    await writeFile(file, publicKey.export({ type: 'spki', format: 'pem' }));
    const { url } = await server({ args: ['--auth-jwt-key-file', file] });
    const sign = (access: string) => new SignJWT({ a: access }).setProtectedHeader({ alg: 'EdDSA' }).sign(privateKey);

    const database = await open(url, {}, await sign('rw'));
    await makeItems(database);
    await database.write([insert('a')]);
    expect(await count(database)).toBe(1);

    const other = generateKeyPairSync('ed25519');
    const forged = await new SignJWT({ a: 'rw' }).setProtectedHeader({ alg: 'EdDSA' }).sign(other.privateKey);
    for (const token of [undefined, 'nonsense', forged]) {
      const error = await rejection(open(url, {}, token));
      expect(error).toHaveProperty('name', 'UnusableDatabaseError');
      expect(error).toHaveProperty(
        'message',
        `The database cannot be used: the libSQL server ${url} rejects the token: check REPO_DATABASE_AUTH_TOKEN.`,
      );
      if (token !== undefined) expect(Bun.inspect(error)).not.toContain(token);
    }
    const reader = await open(url, {}, await sign('ro'));
    expect(await count(reader)).toBe(1);
    expect(await rejection(reader.write([insert('b')]))).toBeInstanceOf(Error);
    expect(await count(reader)).toBe(1);
  }, 30_000);
});

describe('a libSQL server that is unavailable', () => {
  it('is reported with its address at the start', async () => {
    const sqld = await server();
    await sqld.kill();
    const error = await rejection(open(sqld.url));
    expect(error).toHaveProperty('name', 'UnusableDatabaseError');
    expect(error).toHaveProperty('message', expect.stringContaining(`${sqld.url} cannot be reached`));
  }, 30_000);

  it('makes reads and writes fail until it is back, without a restart of the client', async () => {
    const sqld = await server();
    const database = await open(sqld.url);
    await makeItems(database);
    await sqld.kill();
    const errors = await Promise.all([failure(count(database)), failure(database.write([insert('a')]))]);
    for (const error of errors) {
      expect(error).toMatchObject({ kind: 'unavailable', headers: { 'Retry-After': '5' } });
      expect(isOutcomeUnknown(error)).toBe(false);
    }
    await sqld.restart();
    expect(await count(database)).toBe(0);
  }, 30_000);

  it('makes sent writes end with an unknown outcome while it hangs, and recovers', async () => {
    const sqld = await server();
    const database = await open(sqld.url, { timeoutMs: 1_500 });
    await makeItems(database);
    await sqld.standStill();
    ended.push(() => sqld.goOn());
    const [read, write] = await Promise.all([failure(count(database)), failure(database.write([insert('a')]))]);
    expect(read.kind).toBe('unavailable');
    expect(isOutcomeUnknown(read)).toBe(false);
    expect(write.kind).toBe('unavailable');
    expect(isOutcomeUnknown(write)).toBe(true);
    sqld.goOn();
    await database.write([insert('b')]);
    const { rows } = await database.client.execute("SELECT count(*) FROM item WHERE name = 'b'");
    expect(rows[0]?.[0]).toBe(1);
  }, 30_000);
});

describe('a file that is a replica of a server', () => {
  it('does not wait for a server that hangs during synchronization', async () => {
    const sqld = await server();
    const address = { base: sqld.url, authToken: undefined };
    const sync = new ReplicaSync(join(await emptyFolder(), 'replica.db'), address, () => {}, 300);
    await sync.now();
    expect(sync.isLate).toBe(false);
    await sqld.standStill();
    try {
      const late = 'the replica has not caught up with its server within 0.3 seconds';
      expect(await rejection(sync.withTimeout())).toHaveProperty('message', late);
      await until(() => sync.isLate);
      await sync.close();
    } finally {
      sqld.goOn();
    }
  }, 30_000);

  it('serves reads and rejects writes while the server is unavailable, and synchronizes afterwards', async () => {
    const sqld = await server();
    const file = join(await emptyFolder(), 'replica.db');
    const place = { file, url: undefined, authToken: undefined, syncUrl: sqld.url };
    const database = await openDatabase(place);
    ended.push(() => database.close());
    await makeItems(database);
    for (let index = 0; index < 50; index++) await database.write([insert(`${index}`)]);
    expect(await count(database)).toBe(50);

    let reads = 0;
    let isOver = false;
    const reading = (async () => {
      for (; !isOver; reads++) {
        expect(Number(await count(database))).toBeGreaterThanOrEqual(50);
        await setImmediate();
      }
    })();
    await sqld.kill();
    const { kind } = await failure(database.write([insert('refused')]));
    expect(kind).toBe('unavailable');
    const least = reads + 100;
    await until(() => reads > least);
    await sqld.restart();
    // The server numbers its log again, and the replica is created again from it, while clients read.
    await database.write([insert('last')]);
    expect(await count(database)).toBe(51);
    isOver = true;
    await reading;
    console.log(`server away and back: ${reads} reads, none of them short of a row`);
    expect(reads).toBeGreaterThan(100);
    expect((await database.client.first('PRAGMA integrity_check', []))?.[0]).toBe('ok');

    const other = await open(sqld.url);
    await other.write([insert('from elsewhere')]);
    await until(async () => {
      database.refresh();
      return (await count(database)) === 52;
    });
    await database.close();

    const again = await openDatabase(place);
    ended.push(() => again.close());
    expect(await count(again)).toBe(52);
  }, 60_000);
});
