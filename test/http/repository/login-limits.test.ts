import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { accountIdentifier } from '../../../src/auth/flood.ts';
import { createFindUser, type User } from '../../../src/repository/users/find-user.ts';
import { createUser, setPassword } from '../../../src/repository/users/manage-users.ts';
import { signIn, tokenOf } from '../../support/repository-routes.ts';
import { basic, createTestRepository, type TestRepository } from '../../support/test-repository.ts';
import { until } from '../../support/until.ts';

let repository: TestRepository;
beforeAll(async () => {
  // The tests speak for many addresses, as a proxy does.
  repository = await createTestRepository({ trustedProxies: ['127.0.0.1'] });
  await repository.user('known');
  await run(
    "UPDATE user SET password_hash = (SELECT password_hash FROM user WHERE name = 'known') WHERE name = 'admin'",
  );
});
afterAll(() => repository.stop());
beforeEach(() => run('DELETE FROM flood_event'));

async function run(sql: string, ...args: string[]): Promise<void> {
  await repository.running.services.database.write([{ sql, args }]);
}

const from = (address: string) => ({ 'X-Forwarded-For': address });
const attempt = (password: string, address: string, name = 'known') =>
  repository.get('/jwt/token', undefined, { Authorization: basic(name, password), ...from(address) });
const login = (pass: string, address: string) =>
  repository.post('/user/login?_format=json', { name: 'known', pass }, undefined, from(address));

const BY_USER = 'Too many failed login attempts from your IP address. This IP address is temporarily blocked.';
const BY_ADDRESS = 'Access is blocked because of IP based flood prevention.';
const HOUR_S = 3600;

async function fail(times: number, address: string, name?: string): Promise<void> {
  for (let time = 0; time < times; time++) expect((await attempt('wrong', address, name)).status).toBe(401);
}

describe('the limit of five wrong passwords for a user from an address', () => {
  it('refuses every attempt from there for six hours, right or wrong', async () => {
    await fail(5, '192.0.2.1');
    for (const ask of [
      () => attempt('known', '192.0.2.1'),
      () => login('known', '192.0.2.1'),
      () => login('x', '192.0.2.1'),
    ]) {
      const response = await ask();
      expect({ status: response.status, body: await response.json() }).toEqual({
        status: 429,
        body: { message: BY_USER },
      });
      const retryAfter = Number(response.headers.get('retry-after'));
      expect(retryAfter).toBeWithin(6 * HOUR_S - 60, 6 * HOUR_S + 1);
    }
  });

  it('does not affect the user elsewhere, or other users there', async () => {
    await fail(5, '192.0.2.2');
    expect((await attempt('known', '192.0.2.3')).status).toBe(200);
    expect((await attempt('wrong', '192.0.2.2', 'other')).status).toBe(401);
  });

  it('applies to an unknown name as well', async () => {
    await fail(5, '192.0.2.4', 'nobody');
    const response = await attempt('x', '192.0.2.4', 'NOBODY');
    expect({ status: response.status, body: await response.json() }).toEqual({
      status: 429,
      body: { message: BY_USER },
    });
  });

  it('ends for a user who gets a new password, but for no other user', async () => {
    const id = await repository.user('forgetful');
    for (const address of ['192.0.2.6', '2001:db8:6::1']) await fail(5, address, 'Forgetful');
    await fail(5, '192.0.2.6');
    const { services } = repository.running;
    const user = (await createFindUser(services.database).byId(id)) as User;
    await setPassword(services, user, 'another one');
    for (const address of ['192.0.2.6', '2001:db8:6::1'])
      expect((await attempt('another one', address, 'forgetful')).status).toBe(200);
    expect((await attempt('known', '192.0.2.6')).status).toBe(429);
  });

  it('survives a restart', async () => {
    await fail(5, '192.0.2.5');
    await repository.restart();
    expect((await attempt('known', '192.0.2.5')).status).toBe(429);
  });

  it('covers a whole IPv6 network', async () => {
    await fail(5, '2001:db8::1');
    expect((await attempt('known', '2001:db8::2')).status).toBe(429);
    expect((await attempt('known', '2001:db8:0:1::1')).status).toBe(200);
  });
});

describe('a right password', () => {
  it('resets the failures before it', async () => {
    await fail(4, '192.0.2.6');
    expect((await login('known', '192.0.2.6')).status).toBe(200);
    await fail(4, '192.0.2.6');
    expect((await attempt('known', '192.0.2.6')).status).toBe(200);
  });

  it('is not revealed among many simultaneous guesses', async () => {
    const guesses = [...Array.from({ length: 30 }, (_, guess) => `guess ${guess}`), 'known'];
    const statuses = await Promise.all(guesses.map(async (guess) => (await attempt(guess, '192.0.2.7')).status));
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(1);
    expect((await attempt('known', '192.0.2.7', 'Known')).status).toBe(429);
  });

  it('is not revealed by refused guesses, even if all are repeated', async () => {
    // A hash of the usual cost, so that most guesses are still waiting when the fifth has failed.
    await createUser(repository.running.services, { name: 'slow', password: 'slow' });
    const guesses = [...Array.from({ length: 20 }, (_, guess) => `guess ${guess}`), 'slow'];
    const askAll = () => Promise.all(guesses.map(async (guess) => (await attempt(guess, '192.0.2.11', 'slow')).status));
    const statuses = await askAll();
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(5);
    expect(statuses.at(-1)).toBe(429);
    expect(new Set(await askAll())).toEqual(new Set([429]));
  });
});

describe('the limit of fifty wrong passwords from an address', () => {
  it('refuses every user from there for an hour, but not from elsewhere', async () => {
    const names = Array.from({ length: 50 }, (_, name) => `name ${name}`);
    const quick = repository.running.services.database;
    // Unknown names cost as much as known ones, which here would be seconds: the failures are those of old.
    await quick.write(
      names.map(() => ({
        sql: "INSERT INTO flood_event (event, identifier, at, expires) VALUES ('login-by-address', '192.0.2.8', ?, ?)",
        args: [Date.now(), Date.now() + HOUR_S * 1000],
      })),
    );
    const response = await attempt('known', '192.0.2.8');
    expect({ status: response.status, body: await response.json() }).toEqual({
      status: 429,
      body: { message: BY_ADDRESS },
    });
    expect(Number(response.headers.get('retry-after'))).toBeWithin(HOUR_S - 60, HOUR_S + 1);
    expect((await attempt('known', '192.0.2.9')).status).toBe(200);
  });
});

describe('the limit of a hundred wrong passwords for a user from many addresses', () => {
  const attack = async () => {
    for (let address = 0; address < 20; address += 1) await fail(5, `198.51.100.${address}`);
  };
  const timed = async (ask: () => Promise<Response>) => {
    const startedAt = performance.now();
    const { status } = await ask();
    return { status, ms: performance.now() - startedAt };
  };
  // Aborted attempts of another test may still be recorded for their own user.
  const failuresOf = async (name: string) => {
    const sql = "SELECT count(*) FROM flood_event WHERE event = 'login-by-account' AND identifier = ?";
    const { rows } = await repository.running.services.database.client.execute({
      sql,
      args: [accountIdentifier(name)],
    });
    return Number(rows[0]?.[0]);
  };

  it('delays each further attempt by a second, and admits the owner', async () => {
    const { cookie } = await signIn(repository, 'known', 'known');
    const token = await tokenOf(repository, 'known');
    await attack();
    expect(await failuresOf('known')).toBe(100);
    const wrong = await timed(() => attempt('wrong', '203.0.113.1'));
    expect({ status: wrong.status, isDelayed: wrong.ms >= 1_000 }).toEqual({ status: 401, isDelayed: true });
    expect(await failuresOf('known')).toBe(101);
    for (const ask of [() => attempt('known', '203.0.113.2'), () => login('known', '203.0.113.3')]) {
      const right = await timed(ask);
      expect({ status: right.status, isDelayed: right.ms >= 1_000 }).toEqual({ status: 200, isDelayed: true });
    }
    // Passwords that were right a moment ago, sessions and tokens wait for nothing, nor does anybody else.
    const status = '/user/login_status?_format=json';
    for (const ask of [
      () => attempt('known', '203.0.113.2'),
      () => repository.get(status, undefined, { Cookie: cookie }),
      () => repository.get(status, undefined, { Authorization: `Bearer ${token}` }),
      () => attempt('known', '203.0.113.4', 'admin'),
    ]) {
      // A busy machine may delay one of them, but hardly all.
      await until(async () => {
        const right = await timed(ask);
        expect(right.status).toBe(200);
        return right.ms < 900;
      });
    }
  });

  it('answers one simultaneous attempt per second, and refuses more than twenty', async () => {
    await attack();
    const startedAt = performance.now();
    const leaving = new AbortController();
    const refused: unknown[] = [];
    const times: number[] = [];
    const enough = Promise.withResolvers<void>();
    const guesses = Array.from({ length: 24 }, async (_, guess) => {
      const headers = { Authorization: basic('known', `guess ${guess}`), ...from(`203.0.113.${guess}`) };
      const response = await repository.fetch('/jwt/token', { headers, signal: leaving.signal });
      const retryAfter = Number(response.headers.get('retry-after'));
      if (response.status === 429) refused.push([await response.json(), retryAfter >= 20 && retryAfter <= 21]);
      else times.push(performance.now() - startedAt);
      if (times.length === 3) enough.resolve();
    });
    await enough.promise;
    leaving.abort();
    expect((await Promise.allSettled(guesses)).filter(({ status }) => status === 'rejected')).toHaveLength(17);
    times.forEach((time, index) => {
      expect(time).toBeGreaterThan((index + 1) * 1_000 - 50);
    });
    const message = 'Too many attempts to sign in as this user are waiting. Try again shortly.';
    expect(refused).toEqual(Array(4).fill([{ message }, true]));
  });

  it('ends with a new password', async () => {
    const id = await repository.user('attacked');
    for (let address = 0; address < 20; address += 1) await fail(5, `198.51.100.${address}`, 'Attacked');
    const user = (await createFindUser(repository.running.services.database).byId(id)) as User;
    await setPassword(repository.running.services, user, 'another one');
    // The number of failures decides whether an attempt waits.
    expect(await failuresOf('attacked')).toBe(0);
    expect((await attempt('another one', '203.0.113.1', 'attacked')).status).toBe(200);
  });
});

describe('the response time', () => {
  it('is similar for users who are unknown, blocked or without a password', async () => {
    await createUser(repository.running.services, { name: 'real', password: 'real' });
    await repository.user('blocked');
    await run("UPDATE user SET status = 0 WHERE name = 'blocked'");
    await repository.user('empty');
    await run("UPDATE user SET password_hash = NULL WHERE name = 'empty'");
    const times: Record<string, number> = {};
    for (const address of ['192.0.2.20', '192.0.2.21', '192.0.2.22']) {
      for (const name of ['real', 'unknown', 'blocked', 'empty']) {
        const startedAt = performance.now();
        await attempt('wrong', address, name);
        // Other work of the machine disturbs some rounds, hardly all.
        times[name] = Math.min(times[name] ?? Number.POSITIVE_INFINITY, performance.now() - startedAt);
      }
    }
    // One argon2id each: without it an answer takes a hundredth of that.
    for (const name of ['unknown', 'blocked', 'empty']) expect(times[name]).toBeGreaterThan((times.real as number) / 5);
  });
});
