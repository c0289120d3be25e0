import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { visit } from '../support/browser.ts';
import { PNG } from '../support/repository-routes.ts';
import { basic, createTestRepository, type TestRepository } from '../support/test-repository.ts';

const FILE = '/sites/default/files/a.png';

/** Asks as a script of another site. Returns status, body length and whether Link is readable, or `blocked`. */
const SCRIPT = `
async function ask(path, init) {
  try {
    const response = await fetch(REPOSITORY + path, init);
    const body = await response.arrayBuffer();
    return [response.status, body.byteLength, response.headers.get('Link') !== null].join(' ');
  } catch {
    return 'blocked';
  }
}
window.asked = (async () => {
  const results = [];
  for (const [path, init] of CALLS) results.push(await ask(path, init));
  return results;
})();
`;

let repository: TestRepository;
let viewer: Bun.Server<undefined>;
let page = '';

beforeAll(async () => {
  viewer = Bun.serve({
    port: 0,
    fetch: () => new Response(page, { headers: { 'Content-Type': 'text/html' } }),
  });
  repository = await createTestRepository({
    cors: { origins: [`http://localhost:${viewer.port}`], methods: ['GET', 'POST'], credentials: false },
  });
  await repository.node({ title: [{ value: 'Open' }] });
  await repository.node({ title: [{ value: 'Hidden' }], status: [{ value: false }] });
  const headers = { 'Content-Type': 'image/png', 'Content-Location': 'public://a.png' };
  const use = await repository.termId('http://pcdm.org/use#OriginalFile');
  await repository.put(`/node/1/media/image/${use}`, PNG, headers, 'admin');
});
afterAll(async () => {
  await repository?.stop();
  await viewer?.stop(true);
});

/** The results of calls by a script of a page at a host. */
async function resultsAt(host: string, calls: readonly (readonly [path: string, init?: object])[]): Promise<string[]> {
  const facts = `const REPOSITORY = ${JSON.stringify(repository.url)}; const CALLS = ${JSON.stringify(calls)};`;
  page = `<!doctype html><body><script>${facts}${SCRIPT}</script>`;
  const { page: opened, close } = await visit(`http://${host}:${viewer.port}/`);
  const results = await opened.evaluate<string[]>('window.asked');
  await close();
  return results;
}

const post = (as?: string) => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json', ...(as && { Authorization: basic(as) }) },
  body: JSON.stringify({ type: 'page', title: ['From a script'] }),
});

describe('Chromium', () => {
  it('lets scripts of any origin read public content, and nothing else', async () => {
    const results = await resultsAt('127.0.0.1', [
      ['/node/1?_format=json'],
      [FILE],
      [FILE, { headers: { Range: 'bytes=0-9' } }],
      [FILE, { headers: { 'If-None-Match': '"other"' } }],
      ['/node/1/linkset'],
      ['/node/9?_format=json'],
      ['/node/2?_format=json'],
      ['/node/1?_format=json', { headers: { Authorization: basic('admin') } }],
      ['/node?_format=json', post()],
    ]);
    expect(results).toEqual([
      expect.stringMatching(/^200 \d+ true$/),
      `200 ${PNG.length} false`,
      '206 10 false',
      `200 ${PNG.length} false`,
      expect.stringMatching(/^200 \d+ false$/),
      expect.stringMatching(/^404 /),
      'blocked',
      'blocked',
      'blocked',
    ]);
  });

  it('lets scripts of a configured origin sign in and use the configured methods', async () => {
    const results = await resultsAt('localhost', [
      ['/node/2?_format=json', { headers: { Authorization: basic('admin') } }],
      ['/node/2?_format=json'],
      ['/node?_format=json', post('admin')],
      ['/node/1?_format=json', { method: 'DELETE', headers: { Authorization: basic('admin') } }],
    ]);
    expect(results).toEqual([
      expect.stringMatching(/^200 \d+ true$/),
      expect.stringMatching(/^401 /),
      expect.stringMatching(/^201 /),
      'blocked',
    ]);
    expect((await repository.get('/node/1?_format=json')).status).toBe(200);
  });
});
