import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { DEFAULT_SERVER_CONFIG } from '../../../src/config/server-config.ts';
import { addDescribedItems } from '../../support/described-items.ts';
import { elementsOf } from '../../support/page.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

/** Refusals that make a crowd. */
const CROWD = 100;
const HTML = { Accept: 'text/html' };

let repository: TestRepository;
beforeAll(async () => {
  repository = await createTestRepository({
    robots: { ...DEFAULT_SERVER_CONFIG.robots, totalBudget: 1 },
  });
  await addDescribedItems(repository.build);
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

let sent = 0;
const search = (headers: Record<string, string> = {}) => {
  sent += 1;
  return repository.fetch(`/search?from=-${sent}`, { headers: { ...HTML, ...headers } });
};

/** Sends searches until one is refused, and returns its page. */
async function refusedPage(headers?: Record<string, string>): Promise<string> {
  for (;;) {
    const response = await search(headers);
    const html = await response.text();
    if (response.status === 200) continue;
    expect({ status: response.status, wait: response.headers.get('Retry-After') }).toEqual({ status: 429, wait: '30' });
    return html;
  }
}

const formOf = (html: string) => elementsOf(html, 'form[data-challenge]')[0]?.attributes;
const redeem = (fields: Record<string, string>) =>
  repository.fetch('/session/pass', {
    method: 'POST',
    headers: HTML,
    body: new URLSearchParams(fields),
    redirect: 'manual',
  });

describe('a refused browser', () => {
  it('is offered nothing at first', async () => {
    expect(formOf(await refusedPage())).toBeUndefined();
  });

  it('is offered a pass while a crowd is refused', async () => {
    for (let count = 0; count < CROWD; count += 1) await refusedPage();
    const html = await refusedPage();
    const form = formOf(html);
    expect(form?.action).toEndWith('/session/pass');
    const challenge = JSON.parse(form?.['data-challenge'] ?? '');
    const address = elementsOf(html, 'input[name=address]')[0]?.attributes.value ?? '';
    expect(address).toBe(`/search?from=-${sent}`);
    const solution = await solveChallenge({ challenge, deriveKey });
    const answer = await redeem({ payload: JSON.stringify({ challenge, solution }), address });
    expect(answer.status).toBe(303);
    expect(answer.headers.get('Location')).toBe(repository.url + address);
    const cookie = answer.headers.get('Set-Cookie') ?? '';
    expect(cookie).toMatch(/^repo_pass=[\w.-]+; Max-Age=86400; Path=\/; HttpOnly; SameSite=Lax$/);
    const found = await search({ Cookie: cookie.split(';', 1).join() });
    expect(found.status).toBe(200);
  });

  it.each([
    ['another text', 'x', '/search'],
    ['no work', '{"challenge":{"parameters":{"nonce":"00"},"signature":"00"},"solution":{}}', '/search'],
  ])('gets no pass for %s', async (_, payload, address) => {
    const answer = await redeem({ payload, address });
    expect({ status: answer.status, cookie: answer.headers.get('Set-Cookie') }).toEqual({ status: 400, cookie: null });
  });
});

describe('a refused program', () => {
  it('is told in JSON when to come back', async () => {
    await refusedPage();
    for (;;) {
      sent += 1;
      const response = await repository.fetch(`/search?_format=json&from=-${sent}`);
      const body = await response.json();
      if (response.status === 200) continue;
      expect(response.headers.get('Retry-After')).toBe('30');
      expect(body).toEqual({ message: 'Too many expensive requests arrive at present. Try again later.' });
      return;
    }
  });
});
