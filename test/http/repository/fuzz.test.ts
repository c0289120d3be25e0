import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import type { JsonObject } from '../../../src/base/json.ts';
import { type GoodBodies, type HostileRequest, hostileRequests } from '../../support/hostile-requests.ts';
import { createSample, type Sample, signIn, tokenOf } from '../../support/repository-routes.ts';
import { sized } from '../../support/size.ts';
import { ADMIN_PASSWORD, basic, createTestRepository, type TestRepository } from '../../support/test-repository.ts';

const BATCHES = sized(40, 220);
const BATCH_SIZE = 50;
/** By whom, and how often in proportion. */
const CALLERS = ['anonymous', 'reader', 'loader', 'loader', 'admin', 'admin', 'admin', 'admin in a browser'];
const HANGS_MS = 20_000;
const TIME_LIMIT_MS = 120_000;

/** Text of ours that is about code, files or the database. */
const LEAK =
  /\bat \S+ \(\S+:\d+:\d+\)|node_modules|\/work\/|repo-data-|SQLITE_|near "|constraint failed|TypeError|argon2|"stack"/;

let repository: TestRepository;
let sample: Sample;
let victim: Sample;
let goods: GoodBodies;
let credentials: Record<string, Record<string, string>>;

beforeAll(async () => {
  repository = await createTestRepository();
  sample = await createSample(repository);
  victim = await createSample(repository);
  await Promise.all([repository.user('reader'), repository.user('loader', 'workbench_user')]);
  const session = await signIn(repository, 'admin', ADMIN_PASSWORD);
  credentials = {
    nobody: {},
    admin: { Authorization: basic('admin') },
    reader: { Authorization: basic('reader') },
    loader: { Authorization: `Bearer ${await tokenOf(repository, 'loader')}` },
    'admin in a browser': { Cookie: session.cookie, 'X-CSRF-Token': session.csrfToken },
  };
  const read = async (path: string) => (await (await repository.get(path, 'admin')).json()) as JsonObject;
  const item: JsonObject = {
    type: 'islandora_object',
    title: ['x'],
    field_model: [await repository.termId('http://purl.org/coar/resource_type/c_c513')],
    field_edtf_date: ['2020-02'],
    field_abstract: [{ value: 'x', format: 'basic_html' }],
    field_member_of: [sample.node],
    field_linked_agent: [{ target_id: sample.term, rel_type: 'relators:pht' }],
  };
  goods = {
    '/node': [item, { type: 'article', title: ['x'], body: ['y'] }, await read(`/node/${sample.node}`)],
    '/media': [
      await read(`/media/${sample.media}`),
      { bundle: 'remote_video', name: ['x'], field_media_oembed_video: ['https://youtu.be/dQw4w9WgXcQ'] },
    ],
    '/entity/media': [
      {
        bundle: 'image',
        name: ['x'],
        field_media_image: [sample.file],
        field_media_of: [sample.node],
        field_media_use: [sample.use],
      },
    ],
    '/taxonomy': [await read(`/taxonomy/term/${sample.term}`), { vid: 'tags', name: ['x'], parent: [sample.term] }],
    '/user': [{ name: 'reader', pass: 'reader' }],
  };
});
afterAll(() => repository.stop());

async function send({ method, path, as, headers, body }: HostileRequest): Promise<void> {
  const response = await fetch(`${repository.url}${path}`, {
    method,
    headers: { ...credentials[as], ...headers },
    body: body as NonNullable<RequestInit['body']> | null,
    redirect: 'manual',
    signal: AbortSignal.timeout(HANGS_MS),
  });
  const text = await response.text();
  const shown = `${response.status}: ${text.slice(0, 500)}`;
  const isJson = response.headers.get('content-type') === 'application/json';
  if (response.status >= 500 || LEAK.test(text) || (isJson && text !== '' && !isParsed(text)))
    throw new Error(`${shown}\n${JSON.stringify({ method, path, as, headers })}\n${String(body).slice(0, 2000)}`);
}

function isParsed(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

describe('any request', () => {
  it(
    `answers ${BATCHES * BATCH_SIZE} requests of every kind: in time, without a failure of ours, and says nothing of its insides`,
    async () => {
      const requests = hostileRequests(sample, victim, CALLERS, goods);
      const batches = fc.array(requests, { minLength: BATCH_SIZE, maxLength: BATCH_SIZE, size: 'max' });
      const property = fc.asyncProperty(batches, async (batch) => {
        await Promise.all(batch.map(send));
      });
      const { failed, seed, errorInstance } = await fc.check(property, { numRuns: BATCHES, endOnFailure: true });
      if (failed)
        throw new Error(`seed ${seed}: ${errorInstance instanceof Error ? errorInstance.message : errorInstance}`);
      expect(repository.failures().slice(0, 3)).toEqual([]);
    },
    TIME_LIMIT_MS,
  );

  it(
    'leaves everything readable that it has let in',
    async () => {
      const { client } = repository.running.services.database;
      const kinds = [
        ['node', '/node/'],
        ['media', '/media/'],
        ['file', '/entity/file/'],
        ['user', '/user/'],
      ] as const;
      for (const [table, prefix] of kinds) {
        const { rows } = await client.execute(`SELECT id FROM ${table}`);
        for (const [id] of rows as unknown as [number][]) {
          const response = await repository.get(`${prefix}${id}?_format=json`, 'admin');
          expect({ table, id, status: response.status }).toEqual({ table, id, status: 200 });
          expect(Object.keys((await response.json()) as object).length).toBeGreaterThan(5);
        }
      }
      const { rows } = await client.execute(
        "SELECT id FROM taxonomy_term WHERE bundle IN ('tags', 'islandora_models')",
      );
      for (const [id] of rows as unknown as [number][])
        expect((await repository.get(`/taxonomy/term/${id}?_format=json`, 'admin')).status).toBe(200);
      const check = await client.execute('PRAGMA integrity_check');
      expect(check.rows[0]?.[0]).toBe('ok');
      expect((await repository.get('/healthcheck')).status).toBe(200);
      expect(repository.failures()).toEqual([]);
    },
    TIME_LIMIT_MS,
  );
});
