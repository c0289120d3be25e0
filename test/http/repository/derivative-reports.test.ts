import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { addJob } from '../../support/job-rows.ts';
import { PNG, signIn } from '../../support/repository-routes.ts';
import {
  ADMIN_PASSWORD,
  createTestRepository,
  type EntityJson,
  type TestRepository,
} from '../../support/test-repository.ts';

const LIST = '/admin/reports/derivatives';
const NO_COUNTS = { queued: 0, running: 0, waiting: 0, failed: 0, done: 0, cancelled: 0 };
const LEASE = 'elsewhere-1-2-3/1';
/** A lease that no process takes over while a test runs. */
const LATER = Date.now() / 1000 + 3_000;

let repository: TestRepository;
beforeAll(async () => {
  repository = await createTestRepository();
  await repository.user('reader');
  await repository.user('second', 'administrator');
});
beforeEach(() => repository.running.services.database.write(['DELETE FROM derivative_job']));
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const one = (id: number | string, more = '') => `${LIST}/${id}${more}?_format=json`;
const addRunning = () => addJob(repository, { lease: LEASE, available: LATER, started: 1_750_000_001 });

async function answerOf(response: Promise<Response>): Promise<[number, EntityJson]> {
  const answer = await response;
  return [answer.status, (await answer.json()) as EntityJson];
}
const list = async (query = '') => (await answerOf(repository.get(`${LIST}?_format=json${query}`, 'admin')))[1];
const idsOf = (report: EntityJson) => report.jobs.map(({ id }: EntityJson) => id);
const stateOf = async (id: number) => (await answerOf(repository.get(one(id), 'admin')))[1].state;

describe('the list of derivatives', () => {
  it('contains the open jobs of an upload', async () => {
    const node = (await repository.node()).nid[0].value;
    const use = await repository.termId('http://pcdm.org/use#OriginalFile');
    const headers = { 'Content-Type': 'image/png', 'Content-Location': 'private://a.png' };
    const put = await repository.put(`/node/${node}/media/image/${use}`, PNG, headers, 'admin');
    const media = Number(put.headers.get('location')?.split('/').at(-1));
    const response = await repository.get(`${LIST}?_format=json`, 'admin');
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('cache-control')).toBe('must-revalidate, no-cache, private');
    const { counts, jobs } = (await response.json()) as EntityJson;
    expect(counts).toEqual({ ...NO_COUNTS, queued: jobs.length });
    expect(jobs.map(({ action }: EntityJson) => action)).toContain('image_generate_a_thumbnail_from_an_original_file');
    const when = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    for (const job of jobs)
      expect(job).toEqual({
        id: expect.any(Number),
        event_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        action: expect.any(String),
        node,
        media,
        user: 1,
        state: 'queued',
        attempts: 0,
        created: when,
        started: null,
        ended: null,
        due: when,
        status: null,
        message: null,
        stderr: null,
        source_type: 'image/png',
      });
    const { event } = (await answerOf(repository.get(one(jobs[0].id), 'admin')))[1];
    expect(event).toMatchObject({ type: 'Activity', id: `urn:uuid:${jobs[0].event_id}` });
    expect(event.attachment.content.source_uri).toBe(`${repository.url}/system/files/a.png`);
  });

  it('counts all states, and shows the newest first', async () => {
    const ids = [
      await addJob(repository, { state: 'done' }),
      await addJob(repository, { state: 'failed' }),
      await addRunning(),
      await addJob(repository, { state: 'waiting', waitsFor: ['convert'] }),
      await addJob(repository),
      await addJob(repository),
    ];
    const report = await list();
    expect(report.counts).toEqual({ queued: 2, running: 1, waiting: 1, failed: 1, done: 1, cancelled: 0 });
    expect(idsOf(report)).toEqual(ids.toReversed());
  });

  it('is empty without jobs', async () => {
    expect(await list()).toEqual({ counts: NO_COUNTS, jobs: [] });
  });

  it('filters jobs by state, action and node', async () => {
    const action = 'image_generate_a_thumbnail_from_an_original_file';
    const running = await addRunning();
    const thumbnail = await addJob(repository, { action, node: 3 });
    const other = await addJob(repository, { action: 'gone_from_the_rules', node: 3, state: 'failed' });
    expect(idsOf(await list('&state=running'))).toEqual([running]);
    expect(idsOf(await list(`&action=${action}`))).toEqual([thumbnail]);
    expect(idsOf(await list('&action=gone_from_the_rules'))).toEqual([other]);
    expect(idsOf(await list('&node=3'))).toEqual([other, thumbnail]);
    const both = await list('&node=3&state=queued');
    expect(idsOf(both)).toEqual([thumbnail]);
    expect(both.counts).toEqual({ ...NO_COUNTS, queued: 1, running: 1, failed: 1 });
    expect(idsOf(await list('&action=audio_generate_a_service_file_from_an_original_file'))).toEqual([]);
  });

  it('has fifty jobs on a page, or the requested number', async () => {
    const ids: number[] = [];
    for (let count = 0; count < 53; count++) ids.unshift(await addJob(repository));
    expect(idsOf(await list())).toEqual(ids.slice(0, 50));
    expect(idsOf(await list('&page=0'))).toEqual(ids.slice(0, 50));
    expect(idsOf(await list('&page=1'))).toEqual(ids.slice(50));
    expect(idsOf(await list('&page=2&items_per_page=5'))).toEqual(ids.slice(10, 15));
    expect(idsOf(await list('&page=9'))).toEqual([]);
  });

  it.each([
    ['state=faild', /^Unknown state "faild"\. The states are queued, .*, cancelled\. Did you mean failed\?$/],
    ['state=x', /^Unknown state "x"\. The states are .*cancelled\.$/],
    [
      'action=image_generate_a_thumbnail_from_an_orginal_file',
      / Did you mean image_generate_a_thumbnail_from_an_original_file\?$/,
    ],
    ['action=nothing%0Aof%20the%20kind', /^Unknown action "nothing\\nof the kind"\.$/],
    ['node=-1', /^The query parameter "node" must be the id of a node, found "-1"\.$/],
    ['node=all', /must be the id of a node/],
    ['page=first', /^The query parameter "page" must be a number from 0, found "first"\.$/],
    ['items_per_page=0', /^The query parameter "items_per_page" must be a number from 1 to 500, found "0"\.$/],
    ['items_per_page=501', /from 1 to 500/],
  ])('refuses %s with a sentence', async (query, message) => {
    const [status, body] = await answerOf(repository.get(`${LIST}?_format=json&${query}`, 'admin'));
    expect({ status, body }).toEqual({ status: 400, body: { message: expect.stringMatching(message) } });
  });
});

describe('one derivative', () => {
  it('is returned with all its fields', async () => {
    const facts = { attempts: 5, status: 500, message: 'It answered 500.', stderr: 'no decode delegate' };
    const id = await addJob(repository, { state: 'failed', node: 3, media: null, started: 1_750_000_060.5, ...facts });
    const [status, job] = await answerOf(repository.get(one(id), 'second'));
    expect(status).toBe(200);
    expect(job).toMatchObject({ id, node: 3, media: null, state: 'failed', ...facts });
    expect(job.created).toBe('2025-06-15T15:06:40.000Z');
    expect(job.started).toBe('2025-06-15T15:07:40.500Z');
    expect({ ended: job.ended, due: job.due }).toEqual({ ended: null, due: null });
  });

  it('returns its event with the addresses of this site', async () => {
    const [, { event }] = await answerOf(repository.get(one(await addJob(repository, { node: 3 })), 'admin'));
    expect(event.object.url[0].href).toBe(`${repository.url}/node/3`);
    expect(event.attachment.content).toEqual({
      source_uri: `${repository.url}/system/files/a%20b.png`,
      destination_uri: `${repository.url}/node/1/media/image/3`,
    });
  });

  it('has no event once it has ended', async () => {
    const [, job] = await answerOf(repository.get(one(await addJob(repository, { state: 'done' })), 'admin'));
    expect(job.state).toBe('done');
    expect(job.event).toBeNull();
    expect(job.ended).toBe('2025-06-15T15:06:40.000Z');
  });

  it.each([['999'], ['0'], ['x'], ['-1'], ['9'.repeat(30)]])('returns 404 for %s', async (id) => {
    for (const [path, method] of [
      [one(id), 'GET'],
      [one(id, '/retry'), 'POST'],
      [one(id, '/cancel'), 'POST'],
    ] as const) {
      const [status, body] = await answerOf(repository.fetch(path, { method, as: 'admin' }));
      expect(status).toBe(404);
      const shown = /^\d{1,15}$/.test(id) ? id : `"${id}"`;
      expect(body.message).toBe(`Job ${shown} does not exist.`);
    }
  });
});

describe('a retry', () => {
  it.each(['failed', 'waiting', 'queued'] as const)('queues a %s job with all attempts', async (state) => {
    const waitsFor = state === 'waiting' ? ['convert'] : undefined;
    const id = await addJob(repository, { state, attempts: 4, available: LATER, ...(waitsFor && { waitsFor }) });
    let woken = 0;
    const { derivatives } = repository.running.services;
    const { wake } = derivatives;
    Object.assign(derivatives, {
      wake() {
        woken += 1;
        wake();
      },
    });
    const [status, job] = await answerOf(repository.post(one(id, '/retry'), '', 'admin'));
    Object.assign(derivatives, { wake });
    expect(woken).toBe(1);
    expect({ status, state: job.state, attempts: job.attempts }).toEqual({ status: 200, state: 'queued', attempts: 0 });
    expect(Date.parse(job.due)).toBeLessThanOrEqual(Date.now());
  });

  it('rejects a job that has ended or is running', async () => {
    const running = await addRunning();
    for (const [id, state, message] of [
      [running, 'running', `Job ${running} is running: only a job that no process works on can be tried again.`],
      [await addJob(repository, { state: 'done' }), 'done', 'is done and cannot be tried again.'],
      [await addJob(repository, { state: 'cancelled' }), 'cancelled', 'is cancelled and cannot be tried again.'],
    ] as const) {
      const [status, body] = await answerOf(repository.post(one(id, '/retry'), '', 'admin'));
      expect({ status, message: body.message }).toEqual({ status: 409, message: expect.stringContaining(message) });
      expect(await stateOf(id)).toBe(state);
    }
  });
});

describe('a cancellation', () => {
  it('ends a running, queued or failed job', async () => {
    const ids = [await addRunning(), await addJob(repository), await addJob(repository, { state: 'failed' })];
    for (const id of ids) {
      const [status, job] = await answerOf(repository.post(one(id, '/cancel'), '', 'admin'));
      expect({ status, state: job.state, event: job.event, endedType: typeof job.ended }).toEqual({
        status: 200,
        state: 'cancelled',
        event: null,
        endedType: 'string',
      });
    }
    expect((await list()).counts).toEqual({ ...NO_COUNTS, cancelled: 3 });
  });

  it('rejects a job that has ended', async () => {
    for (const [state, message] of [
      ['done', 'is done and cannot be cancelled.'],
      ['cancelled', 'is cancelled already.'],
    ] as const) {
      const id = await addJob(repository, { state });
      const [status, body] = await answerOf(repository.post(one(id, '/cancel'), '', 'admin'));
      expect({ status, body }).toEqual({ status: 409, body: { message: `Job ${id} ${message}` } });
    }
  });
});

describe('a caller without the permission', () => {
  it.each([
    [undefined, 401, 'No authentication credentials provided.', 'No authentication credentials provided.'],
    [
      'reader',
      403,
      "The 'access site reports' permission is required.",
      "The 'administer site configuration' permission is required.",
    ],
  ] as const)('sees nothing and changes nothing: %s', async (as, status, reading, changing) => {
    const id = await addJob(repository, { state: 'failed' });
    for (const path of [`${LIST}?_format=json`, one(id), one(999), '/metrics'])
      expect(await answerOf(repository.get(path, as))).toEqual([status, { message: reading }]);
    for (const path of [one(id, '/retry'), one(id, '/cancel'), one(999, '/retry')])
      expect(await answerOf(repository.post(path, '', as))).toEqual([status, { message: changing }]);
    expect(await stateOf(id)).toBe('failed');
  });

  it('or without the CSRF token of the session changes nothing', async () => {
    const id = await addJob(repository, { state: 'failed' });
    const { cookie, csrfToken } = await signIn(repository, 'admin', ADMIN_PASSWORD);
    const retry = (headers: Record<string, string>) => repository.post(one(id, '/retry'), '', undefined, headers);
    expect((await retry({ Cookie: cookie })).status).toBe(403);
    expect(await stateOf(id)).toBe('failed');
    expect((await retry({ Cookie: cookie, 'X-CSRF-Token': csrfToken })).status).toBe(200);
  });
});

describe('/metrics', () => {
  const figures = async () => (await repository.get('/metrics', 'admin')).text();

  it('returns the current queue in Prometheus format', async () => {
    await addJob(repository, { available: Date.now() / 1000 - 500 });
    await addJob(repository, { state: 'failed' });
    const response = await repository.get('/metrics', 'admin');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-store');
    const text = await response.text();
    expect(text).toMatch(/^repo_derivatives_jobs\{state="queued"\} 1$/m);
    expect(text).toMatch(/^repo_derivatives_jobs\{state="failed"\} 1$/m);
    expect(Number(text.match(/^repo_derivatives_oldest_due_seconds (\S+)$/m)?.[1])).toBeWithin(499, 560);
    expect(text).toMatch(/^repo_derivatives_in_hand 0$/m);
    expect(text).toContain('# TYPE repo_derivatives_attempts_total counter');
    await repository.running.services.database.write(['DELETE FROM derivative_job']);
    const later = await figures();
    expect(later).toMatch(/^repo_derivatives_jobs\{state="queued"\} 0$/m);
    expect(later).toMatch(/^repo_derivatives_oldest_due_seconds 0$/m);
  });

  it('returns each metric of the process once', async () => {
    const names = (await figures()).split('\n').filter((line) => line.startsWith('# TYPE'));
    expect(names.filter((line) => line.startsWith('# TYPE process_cpu_seconds_total '))).toHaveLength(1);
    expect(new Set(names).size).toBe(names.length);
  });
});
