import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { pngHead } from '../../support/binaries.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';
import { attached, uploadWhole } from '../../support/tus.ts';

let repository: TestRepository;
let node: number;
beforeAll(async () => {
  repository = await createTestRepository();
  await repository.user('reader');
  node = (await repository.node()).nid[0].value;
});
afterAll(() => repository.stop());

const path = () => `/node/${node}/derivatives/events`;
const change = (sql: string) => repository.running.services.database.write([sql]);

interface Job {
  id: number;
  action: string;
  label: string;
  state: string;
  message: string | null;
  may_retry: boolean;
}

interface Event {
  name: string;
  data: Job[];
}

/** Reads events of a stream, one at a time. */
async function* eventsOf(response: Response): AsyncGenerator<Event, undefined, void> {
  let text = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(text.slice(0, end)) ?? [];
      text = text.slice(end + 2);
      if (name !== undefined && data !== undefined) yield { name, data: JSON.parse(data) };
    }
  }
  return undefined;
}

describe('the events of derivatives', () => {
  it('contain each state change of jobs, failure reasons, and the idle state', async () => {
    const response = await repository.get(path(), 'admin');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(response.headers.get('cache-control')).toBe('no-store');
    const events = eventsOf(response);
    const next = async (): Promise<Event> => (await events.next()).value ?? { name: 'end', data: [] };
    expect((await next()).name).toBe('idle');
    await attached(repository, await uploadWhole(repository, 'bay.png', new Uint8Array(pngHead(3, 2))), { node });
    const queued = await next();
    expect(queued.name).toBe('jobs');
    expect(queued.data.length).toBeGreaterThan(1);
    expect(new Set(queued.data.map(({ state }) => state))).toContain('queued');
    expect(queued.data.map(({ label }) => label)).toContain('Image - Generate a thumbnail from an original file');
    const { id } = queued.data[0] as Job;
    await change(`UPDATE derivative_job SET state = 'failed', message = 'The picture is damaged.' WHERE id = ${id}`);
    expect((await next()).data).toEqual([
      expect.objectContaining({ id, state: 'failed', message: 'The picture is damaged.', may_retry: true }),
    ]);
    await change("UPDATE derivative_job SET state = 'done', ended_at = 1 WHERE state <> 'failed'");
    expect((await next()).data.every(({ state }) => state === 'done')).toBe(true);
    expect((await next()).name).toBe('idle');
    await events.return(undefined);
  }, 20_000);

  it('require the permission to change the node', async () => {
    expect((await repository.get(path())).status).toBe(401);
    expect((await repository.get(path(), 'reader')).status).toBe(403);
    expect((await repository.get('/node/999999/derivatives/events', 'admin')).status).toBe(404);
  });

  it('do not delay the stop of a server', async () => {
    const response = await repository.get(path(), 'admin');
    const text = response.text();
    await repository.restart();
    // Complete, not aborted.
    expect(await text).toContain('event: idle');
    expect(repository.log.filter(({ msg }) => String(msg).startsWith('stopping: aborting'))).toEqual([]);
  }, 20_000);
});
