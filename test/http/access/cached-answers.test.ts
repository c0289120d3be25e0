import { afterAll, beforeAll, describe, expect, it, setSystemTime } from 'bun:test';
import { PNG } from '../../support/repository-routes.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

const BROWSER = { Accept: 'text/html' };
const LISTS = ['/', '/collections', '/search?q=thesis', '/search?_format=json&q=thesis'];

let repository: TestRepository;

beforeAll(async () => {
  setSystemTime(new Date('2031-03-01T12:00:00Z'));
  const networks = new Map([['campus', ['127.0.0.0/8', '::1']]]);
  repository = await createTestRepository({ networks, timeZone: 'Europe/Berlin' });
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
  setSystemTime();
});

const caching = async (path: string) =>
  (await repository.get(path, undefined, BROWSER)).headers.get('Cache-Control') ?? '';
const item = (rule: object) => repository.build.node('image', 'Thesis', { access_rule: [rule] } as never);

describe('the caches of answers to strangers', () => {
  it('keep lists for a minute at most, and never beyond the day on which a rule ends', async () => {
    for (const path of LISTS) expect(await caching(path)).toBe('public, max-age=0, s-maxage=60');
    const id = await item({ level: 'closed', until: '2031-03-02' });
    setSystemTime(new Date('2031-03-01T22:59:45Z'));
    for (const path of LISTS) expect(await caching(path)).toBe('public, max-age=0, s-maxage=15');
    const total = async () =>
      ((await (await repository.get('/search?_format=json&q=thesis')).json()) as { total: number }).total;
    expect(await total()).toBe(0);
    setSystemTime(new Date('2031-03-01T23:00:00Z'));
    expect(await total()).toBe(1);
    for (const path of LISTS) expect(await caching(path)).toBe('public, max-age=0, s-maxage=60');
    await repository.build.remove(`/node/${id}`);
  });

  it('keep nothing that depends on the network of the caller', async () => {
    const id = await item({ preset: 'campus_only' });
    const file = await repository.build.pictureOf(1, id, { use: 'original', uri: 'public://campus.png', bytes: PNG });
    for (const path of LISTS) expect(await caching(path)).toBe('must-revalidate, no-cache, private');
    const answer = await repository.get(file.path);
    expect([answer.status, answer.headers.get('Cache-Control')]).toEqual([200, 'private, no-cache']);
    for (const path of [`/node/${id}`, `/node/${id}?_format=json`, `/media/${file.id}?_format=json`])
      expect(await caching(path)).toContain('private');
  });
});

describe('a file whose rule changes', () => {
  it.each([undefined, 'admin'])('is public for shared caches only while it is open: %p', async (as) => {
    const id = await item({ preset: 'open' });
    const uri = `public://changes-${as}.png`;
    const { path } = await repository.build.pictureOf(1, id, { use: 'original', uri, bytes: PNG });
    const read = async () => {
      const answer = await repository.get(path, as, { Origin: 'https://other.example.org' });
      return [answer.status, answer.headers.get('Cache-Control')];
    };
    const setRule = (rule: object) =>
      repository.build.change(`/node/${id}`, { type: 'islandora_object', access_rule: [rule] });
    expect(await read()).toEqual([200, 'public, no-cache']);
    await setRule({ preset: 'only_description' });
    expect(await read()).toEqual(
      as === undefined ? [401, 'must-revalidate, no-cache, private'] : [200, 'private, no-cache'],
    );
    await setRule({ preset: 'open' });
    expect(await read()).toEqual([200, 'public, no-cache']);
  });
});

describe('a script of another site in the browser of a network', () => {
  it('gets what strangers get', async () => {
    const id = await item({ preset: 'campus_only' });
    const file = await repository.build.pictureOf(1, id, { use: 'original', uri: 'public://other.png', bytes: PNG });
    const read = async (headers: Record<string, string>) =>
      (await repository.get(file.path, undefined, headers)).status;
    expect(await read({})).toBe(200);
    expect(await read({ Origin: repository.url })).toBe(200);
    expect(await read({ Origin: 'https://viewer.example.org' })).toBe(401);
    expect(await read({ Origin: 'null' })).toBe(401);
  });
});
