import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { audit } from '../support/audit.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { freePort } from '../support/free-port.ts';
import { ADMIN_PASSWORD, basic, type EntityJson } from '../support/test-repository.ts';
import { until } from '../support/until.ts';
import { startWorkerSite, type WorkerSite } from '../support/worker-site.ts';

const COMMANDS = resolve(import.meta.dir, '../../config/processor.yaml');
const WORKERS = 2;
/** So often each is asked for that one worker alone would have to be chosen a million times in a row. */
const LOOKS = 20;
const ZIPS = 12;
const json = { 'Content-Type': 'application/json' };

/** Records each start, and takes long enough for all workers to run it at the same time. */
const COUNTED = `
  application/zip:
    cmdByDestination:
      application/xml:
        cmd: sh
        args: [-c, 'echo once >> FOLDER/began; printf "<zip>"; sleep 0.2; wc -c | tr -d " \\n"; printf "</zip>"']
`;

let site: WorkerSite;
let commands: string;
let processorPort: number;
let model: number;
let use: number;

beforeAll(async () => {
  commands = await emptyFolder();
  const text = (await readFile(COMMANDS, 'utf8')).replace('\ncmdByMimeType:\n', `\ncmdByMimeType:\n${COUNTED}`);
  await writeFile(join(commands, 'processor.yaml'), text.replaceAll('FOLDER', commands));
  processorPort = await freePort();
  site = await startWorkerSite(WORKERS, `processor: ${commands}/processor.yaml\nprocessorPort: ${processorPort}\n`);
  model = await site.service.build.termId('http://purl.org/coar/resource_type/c_c513');
  use = await site.service.build.termId('http://pcdm.org/use#OriginalFile');
});

afterAll(async () => {
  const { folder, service } = site;
  expect(await service.stop()).toBe(0);
  expect(service.log.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([]);
  expect(await audit(join(folder, 'data'), true)).toEqual([]);
  await rm(folder, { recursive: true });
});

function createNode(fields: object = {}): Promise<Response> {
  const body = {
    type: [{ target_id: 'islandora_object' }],
    title: [{ value: 'A title' }],
    field_model: [{ target_id: model }],
    ...fields,
  };
  return site.fetch('/node?_format=json', { method: 'POST', headers: json, body: JSON.stringify(body) });
}

const nodeId = async () => ((await (await createNode()).json()) as EntityJson).nid[0].value as number;
const pathOf = (address: string | null | undefined) => new URL(address ?? '', 'http://localhost').pathname;
const statuses = (responses: Response[]) => responses.map(({ status }) => status).sort();
const many = <T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));

/** Asks so often that every worker has answered and returns the statuses that there were. */
async function asked(path: string, headers: Record<string, string> = {}): Promise<number[]> {
  const agent = Bun.randomUUIDv7();
  const found = new Set<number>();
  await many(LOOKS, async () => {
    const response = await site.fetch(path, { headers: { ...headers, 'User-Agent': agent } });
    await response.arrayBuffer();
    found.add(response.status);
  });
  await until(() => site.answeredBy(agent).size === WORKERS, { seconds: 20 });
  return [...found].sort();
}

/** A repository item that only administrators of nodes can change. */
const changeAs = (headers: Record<string, string>, id: number) =>
  site.fetch(`/node/${id}?_format=json`, {
    method: 'PATCH',
    headers: { ...json, ...headers },
    body: JSON.stringify({ type: [{ target_id: 'islandora_object' }], title: [{ value: 'Changed' }] }),
  });

describe('the identity of a caller', () => {
  it('by a session and its token is valid for every worker until the session ends', async () => {
    const body = JSON.stringify({ name: 'admin', pass: ADMIN_PASSWORD });
    const headers = { ...json, Authorization: '' };
    const login = await site.fetch('/user/login?_format=json', { method: 'POST', headers, body });
    expect(login.status).toBe(200);
    const { csrf_token, logout_token } = (await login.json()) as EntityJson;
    const cookie = { Authorization: '', Cookie: (login.headers.get('set-cookie') ?? '').split(';')[0] as string };
    const id = await nodeId();
    const changes = await many(LOOKS, () => changeAs({ ...cookie, 'X-CSRF-Token': csrf_token }, id));
    expect(statuses(changes)).toEqual(Array(LOOKS).fill(200));
    const forged = await many(LOOKS, () => changeAs({ ...cookie, 'X-CSRF-Token': 'x' }, id));
    expect(statuses(forged)).toEqual(Array(LOOKS).fill(403));
    const logout = `/user/logout?_format=json&token=${logout_token}`;
    expect((await site.fetch(logout, { method: 'POST', headers: cookie })).status).toBe(204);
    const after = await many(LOOKS, () => changeAs({ ...cookie, 'X-CSRF-Token': csrf_token }, id));
    expect(statuses(after)).toEqual(Array(LOOKS).fill(401));
  });

  it('by a token of one worker is valid for every other', async () => {
    const { token } = (await (await site.fetch('/jwt/token')).json()) as EntityJson;
    expect(await asked('/metrics', { Authorization: `Bearer ${token}` })).toEqual([200]);
    expect(await asked('/metrics', { Authorization: `Bearer ${token}x` })).toEqual([401]);
  });

  it('by a cached password ends in every worker when the user is blocked', async () => {
    await site.repo(['user', 'add', 'jane', '--role', 'administrator', '--password-stdin'], 'a password of jane');
    const jane = { Authorization: basic('jane', 'a password of jane') };
    expect(await asked('/jwt/token', jane)).toEqual([200]);
    await site.repo(['user', 'block', 'jane']);
    // Each counts as a failure for the limit, after which all attempts are refused.
    expect((await asked('/jwt/token', jane)).filter((status) => status !== 429)).toEqual([401]);
    await site.repo(['user', 'unblock', 'jane']);
    expect(await asked('/jwt/token', jane)).toEqual([200]);
  });

  it('is protected by one limit of failed sign-ins for all workers', async () => {
    await site.repo(['user', 'add', 'june', '--password-stdin'], 'a password of june');
    const guesses: number[] = [];
    for (let guess = 0; guess < 10; guess++) {
      const headers = { Authorization: basic('june', `guess ${guess}`) };
      guesses.push((await site.fetch('/jwt/token', { headers })).status);
    }
    const right = await site.fetch('/jwt/token', { headers: { Authorization: basic('june', 'a password of june') } });
    expect({ guesses, right: right.status }).toEqual({ guesses: Array(10).fill(401).fill(429, 5), right: 429 });
  });
});

describe('a change', () => {
  it('of a setting takes effect in every worker at once', async () => {
    const path = `/node/${await nodeId()}?_format=json`;
    const links = async () => {
      const found = await many(LOOKS, async () => (await site.fetch(path)).headers.get('link')?.split(', ').length);
      return [...new Set(found)];
    };
    const [all = 0, ...others] = await links();
    expect(others).toEqual([]);
    await site.repo(['setting', 'set', 'allow_header_links', 'false']);
    const [core = all, ...rest] = await links();
    expect({ isFewer: core < all, rest }).toEqual({ isFewer: true, rest: [] });
    await site.repo(['setting', 'set', 'allow_header_links', 'true']);
    expect(await links()).toEqual([all]);
  });

  it('of a node is in the next response of any worker', async () => {
    const id = await nodeId();
    for (let count = 0; count < LOOKS; count++) {
      const body = JSON.stringify({ type: [{ target_id: 'islandora_object' }], title: [{ value: `title ${count}` }] });
      const change = await site.fetch(`/node/${id}?_format=json`, { method: 'PATCH', headers: json, body });
      const { title } = (await (await site.fetch(`/node/${id}?_format=json`)).json()) as EntityJson;
      expect({ change: change.status, title }).toEqual({ change: 200, title: [{ value: `title ${count}` }] });
    }
  });

  it('of one media by many clients leaves one of their files, whole', async () => {
    const id = await nodeId();
    const text = (index: number) => `${index}`.repeat(200_000);
    const put = (index: number) =>
      site.fetch(`/node/${id}/media/file/${use}`, {
        method: 'PUT',
        headers: { 'Content-Type': 'text/plain', 'Content-Location': 'fedora://race/a.txt' },
        body: text(index),
      });
    expect(statuses(await many(8, put))).toEqual([201, ...Array(7).fill(204)]);
    const media = (await (await site.fetch(`/node/${id}/media?_format=json`)).json()) as EntityJson[];
    expect(media).toHaveLength(1);
    const path = pathOf(media[0]?.field_media_file[0].url);
    const texts = new Set(await many(LOOKS, async () => (await site.fetch(path)).text()));
    expect(texts.size).toBe(1);
    expect([...Array(8).keys()].map(text)).toContain([...texts][0] as string);
  });

  it('to the same alias or UUID by many clients succeeds for one', async () => {
    const alias = { path: [{ alias: '/the-only-one', langcode: 'en' }] };
    expect(statuses(await many(8, () => createNode(alias)))).toEqual([201, ...Array(7).fill(422)]);
    const uuid = { uuid: [{ value: Bun.randomUUIDv7() }] };
    const [first, ...others] = statuses(await many(8, () => createNode(uuid)));
    expect({ first, otherStatuses: new Set(others).size }).toEqual({ first: 201, otherStatuses: 1 });
    expect([409, 422]).toContain(others[0] as number);
  });

  it('of a file is available from every worker at once', async () => {
    const id = await nodeId();
    for (let count = 0; count < LOOKS; count++) {
      const headers = { 'Content-Type': 'text/plain', 'Content-Location': `private://at-once/${count}.txt` };
      const put = await site.fetch(`/node/${id}/media/file/${use}`, { method: 'PUT', headers, body: `text ${count}` });
      const media = (await (await site.fetch(`/node/${id}/media?_format=json`)).json()) as EntityJson[];
      const read = await site.fetch(pathOf(media[0]?.field_media_file[0].url));
      expect({ put: put.ok, read: read.status }).toEqual({ put: true, read: 200 });
      expect(await read.text()).toBe(`text ${count}`);
    }
  });
});

describe('derivatives', () => {
  it('are made once each, by all workers together', async () => {
    const bytes = new Uint8Array(Buffer.from('PK\u0005\u0006'.padEnd(22, '\0')));
    const nodes = await many(ZIPS, () => site.items.make('binary'));
    await many(ZIPS, (index) =>
      site.items.build.upload(nodes[index] as number, {
        media: 'file',
        mimeType: 'application/zip',
        uri: `private://zip/${index}.zip`,
        bytes,
      }),
    );
    const ours = () => site.items.jobs().filter(({ node_id }) => nodes.includes(node_id));
    await until(() => ours().length === ZIPS && ours().every(({ state }) => state === 'done'), {
      seconds: 30,
      tell: ours,
    });
    expect(ours().map(({ attempts }) => attempts)).toEqual(Array(ZIPS).fill(1));
    expect(await readFile(join(commands, 'began'), 'utf8')).toBe('once\n'.repeat(ZIPS));
    const made = await many(ZIPS, async (index) =>
      (await site.items.list(nodes[index] as number)).map((media) => media.use),
    );
    expect(made).toEqual(Array(ZIPS).fill(['FITS File', 'Original File']));
    const makers = new Set(
      site.service.log.filter(({ msg }) => String(msg).endsWith(': made')).map(({ worker }) => worker),
    );
    expect(makers).toEqual(new Set([1, 2]));
  }, 40_000);
});

describe('metrics', () => {
  it('are the sums of all workers, whichever of them answers, and figures of the database once', async () => {
    const urls = ['/metrics', `http://127.0.0.1:${processorPort}/metrics`];
    for (const url of urls) {
      const ask = () => (url.startsWith('/') ? site.fetch(url) : fetch(url, { keepalive: false }));
      const texts = await many(LOOKS, async () => (await ask()).text());
      const valuesOf = (name: string) =>
        texts.map((text) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]));
      expect(new Set(valuesOf('repo_workers'))).toEqual(new Set([2]));
      const slots = valuesOf('repo_processor_slots');
      expect(new Set(slots)).toEqual(new Set([slots[0] ?? 0]));
      expect(slots[0]).toBeGreaterThanOrEqual(2);
      // Each process has more than this, and a counter of one of them would fall when the other answers.
      const seconds = valuesOf('process_cpu_seconds_total');
      expect(Math.min(...seconds)).toBeGreaterThan(0);
      for (const text of texts) expect(text).not.toContain('worker="');
      if (!url.startsWith('/')) continue;
      const made = site.service.log.filter(({ msg }) => String(msg).endsWith(': made')).length;
      for (const text of texts) {
        const attempts = [...text.matchAll(/^repo_derivatives_attempts_total\{.*outcome="made"\} (\d+)$/gm)];
        expect(attempts.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(made);
        expect(text).toMatch(/^repo_fixity_damaged_files 0$/m);
      }
    }
  });
});
