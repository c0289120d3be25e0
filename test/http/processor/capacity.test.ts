import { expect, it } from 'bun:test';
import { livingChildren } from '../../support/leftovers.ts';
import { createGate, createTestProcessor } from '../../support/test-processor.ts';
import { until, untilStill } from '../../support/until.ts';

const shell = (script: string, more = '') => `{ cmd: sh, args: [-c, "${script}"]${more} }`;

it('a processor runs at most maxConcurrent of 200 requests at once', async () => {
  const processor = await createTestProcessor(
    `allowedMimeTypes: ["*"]\nmaxConcurrent: 4\nmaxQueued: 100\ncmdByMimeType:\n  default: ${shell('cat; sleep 0.02')}\n`,
  );
  let most = 0;
  const watch = setInterval(() => {
    most = Math.max(most, livingChildren().filter((args) => /^\S*sh -c/.test(args)).length);
  }, 10);
  const answers = await Promise.all(
    Array.from({ length: 200 }, async (_, index) => {
      const response = await processor.post('text/plain', `file ${index}`);
      return {
        status: response.status,
        text: await response.text(),
        retry: response.headers.get('Retry-After'),
        index,
      };
    }),
  );
  clearInterval(watch);
  const done = answers.filter((answer) => answer.status === 200);
  const refused = answers.filter((answer) => answer.status === 503);
  expect(most).toBeWithin(1, 5);
  expect(done.length).toBeGreaterThanOrEqual(104);
  expect(done.length + refused.length).toBe(200);
  expect(done.every((answer) => answer.text === `file ${answer.index}`)).toBe(true);
  expect(refused.every((answer) => answer.retry === '5' && answer.text.startsWith('All slots are busy'))).toBe(true);
  await processor.stop();
});

it('a processor limits a command to its maxConcurrent without delaying other commands', async () => {
  const gate = await createGate();
  const processor = await createTestProcessor(
    `allowedMimeTypes: ["*"]\nmaxConcurrent: 4\ncmdByMimeType:\n  x/one: ${shell(gate.script, ', maxConcurrent: 1')}\n  default: { cmd: cat }\n`,
  );
  const slow = [1, 2].map(() => processor.post('x/one', 'slow').then((response) => response.text()));
  await until(async () => (await processor.metric('repo_processor_queue_length')) === 1);
  expect(await (await processor.post('text/plain', 'quick')).text()).toBe('quick');
  expect(await processor.metric('repo_processor_queue_length')).toBe(1);
  expect(livingChildren().filter((args) => /^\S*sh -c/.test(args))).toHaveLength(1);
  await gate.open();
  expect(await Promise.all(slow)).toEqual(['slow', 'slow']);
  await processor.stop();
});

it('a processor fetches the source of a queued request only at its turn', async () => {
  let fetched = 0;
  const source = Bun.serve({
    port: 0,
    fetch() {
      fetched += 1;
      return new Response('a source', { headers: { 'Content-Type': 'text/plain' } });
    },
  });
  const gate = await createGate();
  const processor = await createTestProcessor(
    `allowedMimeTypes: ["*"]\nmaxConcurrent: 1\ncmdByMimeType:\n  x/nap: ${shell(gate.script)}\n  default: { cmd: cat }\n`,
  );
  const first = processor.post('x/nap', 'x');
  await until(async () => (await processor.metric('repo_processor_slots_in_use')) === 1);
  const second = processor.get(source.url.href);
  await until(async () => (await processor.metric('repo_processor_queue_length')) === 1);
  // A fetch that had begun would be here before the responses to later requests.
  for (let request = 0; request < 20; request++) await processor.metric('repo_processor_queue_length');
  expect(fetched).toBe(0);
  await gate.open();
  expect(await (await second).text()).toBe('a source');
  await (await first).text();
  await processor.stop();
  await source.stop(true);
});

it('a processor drops a queued request when its client disconnects', async () => {
  const gate = await createGate();
  const processor = await createTestProcessor(
    `allowedMimeTypes: ["*"]\nmaxConcurrent: 1\nmaxQueued: 1\ncmdByMimeType:\n  default: ${shell(gate.script)}\n`,
  );
  const first = processor.post('x/nap', 'first');
  await until(async () => (await processor.metric('repo_processor_slots_in_use')) === 1);
  const abort = new AbortController();
  const options = { method: 'POST', body: 'x', headers: { 'Content-Type': 'x/nap' }, signal: abort.signal };
  const second = fetch(processor.url, options).catch(() => 'gone');
  await until(async () => (await processor.metric('repo_processor_queue_length')) === 1);
  expect((await processor.post('x/nap', 'third')).status).toBe(503);
  abort.abort();
  expect(await second).toBe('gone');
  await until(async () => (await processor.metric('repo_processor_queue_length')) === 0);
  await gate.open();
  expect(await (await first).text()).toBe('first');
  await processor.stop();
});

it('a processor rejects a large upload and closes the connection', async () => {
  const gate = await createGate();
  const processor = await createTestProcessor(
    `allowedMimeTypes: ["*"]\nmaxConcurrent: 1\nmaxQueued: 0\ncmdByMimeType:\n  default: ${shell(gate.script)}\n`,
  );
  const first = processor.post('x/nap', 'x');
  await until(async () => (await processor.metric('repo_processor_slots_in_use')) === 1);
  const second = await processor.post('x/nap', new Uint8Array(50_000_000));
  expect(second.status).toBe(503);
  await second.text();
  await gate.open();
  await (await first).text();
  // Ends at once: the test would take longer than it may otherwise.
  await processor.stop(60);
});

it('a processor does not read the body of a queued request', async () => {
  const gate = await createGate();
  const processor = await createTestProcessor(
    `allowedMimeTypes: ["*"]\nmaxConcurrent: 1\ncmdByMimeType:\n  x/nap: ${shell(gate.script)}\n  default: { cmd: wc, args: [-c] }\n`,
  );
  const first = processor.post('x/nap', 'x');
  await until(async () => (await processor.metric('repo_processor_slots_in_use')) === 1);
  let sent = 0;
  const body = new ReadableStream({
    pull(controller) {
      if (sent >= 200_000_000) return controller.close();
      sent += 1_000_000;
      controller.enqueue(new Uint8Array(1_000_000));
    },
  });
  const second = processor.post('text/plain', body);
  await until(async () => (await processor.metric('repo_processor_queue_length')) === 1);
  expect(await untilStill(() => sent)).toBeLessThan(100_000_000);
  await gate.open();
  expect((await (await second).text()).trim()).toBe('200000000');
  await (await first).text();
  await processor.stop();
});
