import { afterEach, describe, expect, it, setSystemTime } from 'bun:test';
import type { ApiServices } from '../../../src/web/api-services.ts';
import type { Call } from '../../../src/web/call.ts';
import { createAnswers, OF_LISTS } from '../../../src/web/respond.ts';
import { listAnswer } from '../../../src/web/shared-answers.ts';
import { UNRESTRICTED } from '../../support/unrestricted.ts';

const START = new Date('2026-01-01T00:00:00Z');
let stamp = 1;
const sets = { dependsOnNetworks: false };
const services = { access: { today: '2027-01-01', sets, cacheSeconds: (seconds: number) => seconds } };
const api = { siteVersion: '1', services, listAnswers: createAnswers(() => stamp, OF_LISTS) } as unknown as ApiServices;
const callOf = (isAnonymous: boolean, baseUrl = 'http://site') =>
  ({
    api,
    isAnonymous,
    baseUrl,
    format: 'html',
    isNegotiated: true,
    actor: { id: 0, name: '', roles: [], sight: UNRESTRICTED.sight },
  }) as unknown as Call;

let created = 0;
const ask = async (call: Call, name = '/search') =>
  (
    await listAnswer(call, name, async () => {
      created += 1;
      return { body: `${created}`, etag: '"a"', changed: undefined };
    })
  ).body;

afterEach(() => setSystemTime());

describe('the cache of lists', () => {
  it('keeps an answer until the next write', async () => {
    setSystemTime(START);
    const first = await ask(callOf(true));
    expect(await ask(callOf(true))).toBe(first);
    stamp += 1;
    expect(await ask(callOf(true))).not.toBe(first);
  });

  it('keeps an answer for a minute at most', async () => {
    setSystemTime(START);
    const first = await ask(callOf(true), '/minute');
    setSystemTime(new Date(START.getTime() + 59_999));
    expect(await ask(callOf(true), '/minute')).toBe(first);
    setSystemTime(new Date(START.getTime() + 60_000));
    expect(await ask(callOf(true), '/minute')).not.toBe(first);
  });

  it('has answers of their own for callers with a cookie, and for other addresses of the site', async () => {
    const all = [callOf(true), callOf(false), callOf(true, 'http://other')];
    const bodies = [];
    for (const call of all) bodies.push(await ask(call, '/callers'));
    expect(new Set(bodies).size).toBe(3);
  });
});
