import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import { outcomeOf } from '../support/command-outcome.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { PNG } from '../support/repository-routes.ts';
import { EXECUTABLE, type ServerProcess, startServer } from '../support/server-process.ts';
import { copyFirstStart } from '../support/test-repository.ts';

const ENV = { PATH: '/nonexistent' };
const THUMBNAIL = 'image_generate_a_thumbnail_from_an_original_file';
const LIST = 'admin/reports/derivatives?_format=json';

let cwd: string;
let service: ServerProcess;
/** The node whose derivatives are queued. */
let node: number;
let count: number;
beforeAll(async () => {
  cwd = await emptyFolder();
  // Without a processor: what is queued stays so.
  await copyFirstStart(join(cwd, 'data'));
  service = await startServer({ cwd, mode: 'repository', env: ENV });
  node = await upload();
  ({ length: count } = (await ask(LIST)).jobs);
});
afterAll(async () => {
  await service.stop();
});

async function repo(...args: string[]) {
  return outcomeOf(Bun.spawn([EXECUTABLE, 'derivatives', ...args], { cwd, env: ENV, stdout: 'pipe', stderr: 'pipe' }));
}

const ask = (path: string) => service.build.json(`/${path}`);

/** Makes a node with a picture. */
async function upload(): Promise<number> {
  const { node, upload } = service.build;
  const id = await node('image', 'A picture');
  await upload(id, { uri: 'private://a.png', bytes: PNG });
  return id;
}

const jobOf = async (action: string) =>
  (await ask(`${LIST}&action=${action}`)).jobs[0] as { id: number; state: string };

describe('repo derivatives, while the repository runs', () => {
  it('lists the jobs below the number of jobs in each state', async () => {
    const { code, out, err } = await repo('list');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const [counts, head, ...rows] = out.trimEnd().split('\n');
    expect(counts).toBe(`${count} queued, 0 running, 0 waiting, 0 failed, 0 done, 0 cancelled`);
    expect(head?.split(/ +/).filter(Boolean)).toEqual(['ID', 'STATE', 'ACTION', 'NODE', 'TRIES', 'WHEN', 'MESSAGE']);
    expect(rows).toHaveLength(count);
    expect(out).toMatch(new RegExp(`^ *\\d+ +queued +${THUMBNAIL} +${node} +0 +due \\d+ \\w+ ago$`, 'm'));
  });

  it('filters the listed jobs by limit, action, node and state', async () => {
    const lines = async (...args: string[]) => (await repo('list', ...args)).out.trimEnd().split('\n').length;
    expect(await lines('--limit', '1')).toBe(3);
    expect(await lines('--action', THUMBNAIL)).toBe(3);
    expect(await lines('--node', String(node), '--state', 'queued')).toBe(2 + count);
    expect((await repo('list', '--node', '999')).out).toMatch(new RegExp(`^All jobs: ${count} queued, [^\\n]+\\n$`));
    expect((await repo('list', '--state', 'done', '--json')).out).toBe('');
  });

  it('prints the JSON of the HTTP API', async () => {
    const { out } = await repo('list', '--json');
    expect(
      out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual((await ask(LIST)).jobs);
    const { id } = await jobOf(THUMBNAIL);
    const shown = JSON.parse((await repo('show', String(id), '--json')).out);
    const answered = await ask(`admin/reports/derivatives/${id}`);
    // The command does not know on which port the repository was started.
    const base = (job: unknown) => JSON.stringify(job).replaceAll(/http:\/\/[^/]*/g, 'http://base');
    expect(base(shown)).toBe(base(answered));
  });

  it('shows all properties of a job, including its event', async () => {
    const { id } = await jobOf(THUMBNAIL);
    const { code, out } = await repo('show', String(id));
    expect(code).toBe(0);
    expect(out).toContain(`Job:              ${id}\nState:            queued\nAction:           ${THUMBNAIL}\n`);
    expect(out).toMatch(/^Created: {10}\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/m);
    const event = JSON.parse(out.slice(out.indexOf('\n\n')));
    expect(event.attachment.content.source_uri).toEndWith('/system/files/a.png');
    expect(out).toContain(`Event:            ${event.id}\n`);
  });

  it('cancels a job once, and reports a second attempt', async () => {
    const id = String((await jobOf(THUMBNAIL)).id);
    expect(await repo('cancel', id)).toEqual({ code: 0, out: 'Cancelled: 1 job.\n', err: '' });
    expect((await jobOf(THUMBNAIL)).state).toBe('cancelled');
    expect(await repo('cancel', id)).toEqual({ code: 1, out: '', err: `Job ${id} is cancelled already.\n` });
  });

  it('retries jobs where possible, and gives the reason for the others', async () => {
    const all = (await ask(LIST)).jobs.map(({ id }: { id: number }) => String(id));
    const cancelled = (await jobOf(THUMBNAIL)).id;
    const { code, out, err } = await repo('retry', ...all, '999', all[0]);
    expect({ code, out }).toEqual({ code: 1, out: `Retrying: ${count - 1} ${count === 2 ? 'job' : 'jobs'}.\n` });
    expect(err.trimEnd().split('\n')).toEqual([
      `Job ${cancelled} is cancelled and cannot be tried again. A scan queues missing derivatives.`,
      'Unknown job 999; list the jobs with: repo derivatives list',
    ]);
    expect(await repo('retry', '--failed')).toEqual({ code: 0, out: 'Retrying: 0 jobs.\n', err: '' });
  });
});

describe('a derivatives command that fails', () => {
  it.each([
    [['list', '--action', `${THUMBNAIL}s`], `Unknown action ${THUMBNAIL}s; did you mean ${THUMBNAIL}?`],
    [['list', '--action', 'x'], 'Unknown action x; the actions are '],
    [['show', '999'], 'Unknown job 999; list the jobs with: repo derivatives list'],
    [['cancel', '999'], 'Unknown job 999; list the jobs with: repo derivatives list'],
    [['list', '--data', '/nowhere'], 'There is no repository in /nowhere'],
  ])('%j exits with a one-sentence error', async (args, message) => {
    const { code, out, err } = await repo(...args);
    expect(err).toContain(message);
    expect({ code, out, lines: err.trim().split('\n').length }).toEqual({ code: 1, out: '', lines: 1 });
  });

  it.each([
    [['list', '--state', 'faild'], 'Did you mean failed?'],
    [['list', '--node', 'x'], 'It must be a number from 1'],
    [['list', '--limit', '0'], 'It must be a number from 1 to 10000'],
    [['show', 'x'], 'It must be a number from 1'],
    [['show'], "missing required argument 'id'"],
    [['retry', '1', '--failed'], 'give ids of jobs, or --failed'],
    [['retry'], 'give ids of jobs, or --failed'],
    [['retry', '1', '2x'], 'It must be a number from 1'],
    [['cancel'], "missing required argument 'ids'"],
    [['retri'], 'did you mean retry?'],
  ])('%j exits with a usage error', async (args, message) => {
    const { code, out, err } = await repo(...args);
    expect(err).toContain(message);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/See repo derivatives( \w+)? --help\.\n$/);
  });
});
