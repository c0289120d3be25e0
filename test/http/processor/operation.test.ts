import { afterAll, describe, expect, it } from 'bun:test';
import { isRunning } from '../../support/leftovers.ts';
import { rawServer } from '../../support/raw-http.ts';
import { createGate, createTestProcessor } from '../../support/test-processor.ts';
import { until } from '../../support/until.ts';

const CAT = 'allowedMimeTypes: ["*"]\ncmdByMimeType:\n  default: { cmd: cat }\n';
const processor = await createTestProcessor(CAT);
afterAll(() => processor.stop());

describe('/healthcheck', () => {
  it.each(['GET', 'HEAD'])('returns 200 for %s', async (method) => {
    const response = await fetch(`${processor.url}healthcheck`, { method });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe(method === 'GET' ? 'OK' : '');
  });

  it('returns 405 for other methods', async () => {
    const response = await fetch(`${processor.url}healthcheck`, { method: 'POST', body: 'x' });
    expect(response.status).toBe(405);
    expect(response.headers.get('Allow')).toBe('GET, HEAD');
  });
});

describe('/metrics', () => {
  it('counts requests, runs and bytes in the Prometheus text format', async () => {
    await (await processor.post('text/plain', 'twelve bytes')).text();
    await (await processor.post('junk', 'x')).text();
    const response = await fetch(`${processor.url}metrics`);
    expect(response.headers.get('Content-Type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const text = await response.text();
    expect(text).toContain('repo_processor_requests_total{method="POST",status="200"} 1\n');
    expect(text).toContain('repo_processor_requests_total{method="POST",status="400"} 1\n');
    expect(text).toContain('repo_processor_command_runs_total{command="cat",outcome="ok"} 1\n');
    expect(text).toContain('repo_processor_bytes_in_total 12\n');
    expect(text).toContain('repo_processor_bytes_out_total 12\n');
    expect(text).toContain('repo_processor_request_duration_seconds_count{command="cat"} 1\n');
    expect(text).toMatch(/^repo_processor_slots_in_use 0$/m);
    expect(text).toMatch(/^process_resident_memory_bytes \d+$/m);
  });
});

describe('the log', () => {
  it('has one line per request', async () => {
    const headers = { 'X-Repo-Event': 'urn:uuid:7', 'User-Agent': 'a test' };
    await (await processor.post('text/plain', 'a file', headers)).text();
    const line = await processor.lastRequest();
    expect(line).toMatchObject({
      level: 'info',
      method: 'POST',
      path: '/',
      status: 200,
      bytes_in: 6,
      bytes_out: 6,
      client: '127.0.0.1',
      user_agent: 'a test',
      command: 'cat',
      exit_code: 0,
      msgId: 'urn:uuid:7',
      msg: 'POST / 200',
    });
    expect(line.duration_ms).toBeNumber();
    expect(processor.log.filter((other) => other.msgId === 'urn:uuid:7')).toHaveLength(1);
  });
});

describe('reloading the configuration', () => {
  it('takes effect with the next request', async () => {
    const service = await createTestProcessor(CAT);
    await service.reload(CAT.replace('{ cmd: cat }', '{ cmd: tr, args: [a-z, A-Z] }'));
    expect(await (await service.post('text/plain', 'a file')).text()).toBe('A FILE');
    await service.stop();
  });

  it('rejects an invalid file and logs its errors', async () => {
    const service = await createTestProcessor(CAT);
    await service.reload(
      'allowedMimeTypes: ["*"]\nmaxConcurent: 3\ncmdByMimeType:\n  default: { cmd: no-such-program }\n',
    );
    expect(await (await service.post('text/plain', 'a file')).text()).toBe('a file');
    const line = service.log.find((entry) => entry.msg.startsWith('the new configuration is rejected'));
    expect(line?.level).toBe('error');
    expect(line).toBeDefined();
    expect(String(line?.problems)).toContain('cmds.yaml:2: unknown key maxConcurent; did you mean maxConcurrent?');
    await service.stop();
  });

  it('does not open a protected service to everyone', async () => {
    const service = await createTestProcessor(`jwksUri: http://127.0.0.1:1/keys\n${CAT}`);
    await service.reload(CAT);
    expect((await service.post('text/plain', 'a file')).status).toBe(400);
    await service.stop();
  });

  it('admits queued requests when the limit is raised', async () => {
    const gate = await createGate();
    const config = (slots: number) =>
      `maxConcurrent: ${slots}\nallowedMimeTypes: ["*"]\ncmdByMimeType:\n  x/nap: { cmd: sh, args: [-c, "${gate.script}"] }\n  default: { cmd: cat }\n`;
    const service = await createTestProcessor(config(1));
    const first = service.post('x/nap', 'x');
    await until(async () => (await service.metric('repo_processor_slots_in_use')) === 1);
    const second = service.post('text/plain', 'waits');
    await until(async () => (await service.metric('repo_processor_queue_length')) === 1);
    await service.reload(config(2));
    expect(await (await second).text()).toBe('waits');
    await gate.open();
    await (await first).text();
    await service.stop();
  });
});

it('a processor warns once of each variable without braces, also after reloading', async () => {
  const warnings = () =>
    service.log.filter(({ level }) => level === 'warn').map(({ msg }) => msg.replace(/^.*cmds/, 'cmds'));
  const service = await createTestProcessor(
    CAT.replace('{ cmd: cat }', () => '{ cmd: echo, args: [$ONE_URI, $ONE_URI] }'),
  );
  expect(await (await service.post('text/plain', 'x')).text()).toBe('$ONE_URI $ONE_URI\n');
  const first = 'cmds.yaml:3: $ONE_URI stays as it is; write ${ONE_URI} for its value from the environment';
  expect(warnings()).toEqual([first]);
  await service.reload(CAT.replace('{ cmd: cat }', () => '{ cmd: echo, args: [$ONE_URI, $TWO_URI] }'));
  expect(warnings()).toEqual([first, first.replaceAll('ONE', 'TWO')]);
  await service.stop();
});

it('a processor has a default for the variable of the original images', async () => {
  const config = (name: string) =>
    CAT.replace('{ cmd: cat }', () => `\n    cmd: printf\n    args: ["%args"]\n    allowInsecureArgs: \${${name}}`);
  const service = await createTestProcessor(config('SCYLLARIDAE_ALLOW_INSECURE_ARGS'));
  expect((await service.post('text/plain', 'x', { 'X-Islandora-Args': '$(id)' })).status).toBe(400);
  await service.stop();
  await expect(createTestProcessor(config('SCYLLARIDAE_ALLOW_OTHERS'))).rejects.toThrow(
    'SCYLLARIDAE_ALLOW_OTHERS is not set',
  );
});

describe('stopping', () => {
  const running = (script: string) =>
    `maxConcurrent: 1\nallowedMimeTypes: ["*"]\ncmdByMimeType:\n  default: { cmd: sh, args: [-c, "${script}"] }\n`;

  it('finishes running requests and rejects queued ones', async () => {
    const gate = await createGate();
    const service = await createTestProcessor(running(gate.script));
    const first = service.post('text/plain', 'finished');
    await until(async () => (await service.metric('repo_processor_slots_in_use')) === 1);
    const waiting = service.post('text/plain', 'sent away');
    await until(async () => (await service.metric('repo_processor_queue_length')) === 1);
    const stopped = service.stop(20);
    const refused = await waiting;
    expect(refused.status).toBe(503);
    expect(await refused.text()).toBe('The service is shutting down.\n');
    await gate.open();
    expect(await (await first).text()).toBe('finished');
    await stopped;
    await expect(fetch(service.url)).rejects.toThrow();
  });

  it('starts no fetch or command after the grace period', async () => {
    const service = await createTestProcessor(running('cat'));
    const source = await rawServer(() => {});
    const request = service.get(source.url);
    await until(() => source.heads.length > 0);
    await service.stop(0.2);
    expect((await request).status).toBe(503);
    source.stop();
  });

  it('ends running commands after the grace period', async () => {
    const service = await createTestProcessor(running('exec sleep 87.65'));
    const request = service.post('text/plain', 'x');
    await until(() => isRunning('sleep 87.65'));
    await service.stop(0.2);
    const response = await request;
    expect(response.status).toBe(503);
    await until(() => !isRunning('sleep 87.65'));
  });
});
