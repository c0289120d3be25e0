import { afterAll, beforeEach, describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import type { OwnSources } from '../../../src/processor/own-sources.ts';
import { emptyFolder } from '../../support/empty-folder.ts';
import { isRunning, livingChildren } from '../../support/leftovers.ts';
import { createProcessorWithin } from '../../support/test-processor.ts';
import { until, untilStill } from '../../support/until.ts';

/** No server listens at this address: each of its responses comes from the repository itself. */
const OWN = 'http://repository.invalid';
const TEXT = { 'Content-Type': 'text/plain; charset=utf-8' };
const MEBIBYTE = 1024 * 1024;

const folder = await emptyFolder();
let asked: Request[] = [];
let answer: (request: Request) => Promise<Response>;
const repository: OwnSources = {
  isOwn: (url) => url.origin === OWN,
  answer(request) {
    asked.push(request);
    return answer(request);
  },
};
const outside = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: () => new Response(null, { status: 302, headers: { Location: `${OWN}/file`, Connection: 'close' } }),
});
const commands = `
allowedMimeTypes: ["*"]
maxBodyBytes: 50000000
sourceTimeout: 0.3
cmdByMimeType:
  text/plain: { cmd: tr, args: [a-z, A-Z] }
  x/idle: { cmd: sleep, args: ["86.42"] }
  default: { cmd: cat }
`;
const processor = await createProcessorWithin(`${commands}allowedSources: ["http://elsewhere.invalid/"]\n`, repository);
const anywhere = await createProcessorWithin(commands, repository);

beforeEach(() => {
  asked = [];
  answer = async () => new Response('a source', { headers: TEXT });
});
afterAll(async () => {
  await Promise.all([processor.stop(), anywhere.stop(), outside.stop(true)]);
});

async function outcome(source = `${OWN}/file`): Promise<{ status: number; text: string }> {
  const { response } = await processor.get(source);
  return { status: response.status, text: await response.text() };
}

/** A body that never ends, and that knows how much was taken of it and whether it was given up. */
function endless() {
  const state = { taken: 0, isGivenUp: false };
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        controller.enqueue(new Uint8Array(64 * 1024));
        state.taken += 64 * 1024;
      },
      cancel() {
        state.isGivenUp = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { state, body };
}

describe('a source of the repository itself', () => {
  it('is fetched without the network, regardless of allowed sources', async () => {
    expect(await outcome(`${OWN}/file?x=%20y`)).toEqual({ status: 200, text: 'A SOURCE' });
    expect(asked.map(({ method, url }) => [method, url])).toEqual([['GET', `${OWN}/file?x=%20y`]]);
    expect(asked[0]?.headers.get('accept-encoding')).toBe('identity');
    expect(asked[0]?.headers.get('authorization')).toBeNull();
  });

  it('is requested with the Authorization of the caller', async () => {
    await (await processor.get(`${OWN}/file`, { Authorization: 'Bearer abc' })).response.text();
    expect(asked[0]?.headers.get('authorization')).toBe('Bearer abc');
  });

  it('may be a file, which arrives complete', async () => {
    const bytes = crypto.getRandomValues(new Uint8Array(60_000));
    const large = Buffer.concat(Array.from({ length: 500 }, () => bytes));
    await Bun.write(join(folder, 'large'), large);
    answer = async () => new Response(Bun.file(join(folder, 'large')), { headers: { 'Content-Type': 'x/y' } });
    const { response } = await processor.get(`${OWN}/file`);
    expect(new Bun.CryptoHasher('sha256').update(await response.arrayBuffer()).digest('hex')).toBe(
      new Bun.CryptoHasher('sha256').update(large).digest('hex'),
    );
  });

  it('may be empty', async () => {
    answer = async () => new Response(null, { headers: TEXT });
    expect(await outcome()).toEqual({ status: 200, text: '' });
  });

  it('does not allow other addresses', async () => {
    expect((await outcome('http://repository.invalid.example/file')).status).toBe(400);
    expect(asked).toEqual([]);
  });

  it('is not fetched internally through a redirect of another server', async () => {
    const { response } = await anywhere.get(`http://127.0.0.1:${outside.port}/`);
    expect(response.status).toBe(424);
    expect(asked).toEqual([]);
  });

  it('is not allowed as the target of a redirect', async () => {
    const strict = await createProcessorWithin(
      `${commands}allowedSources: ["http://127.0.0.1:${outside.port}/"]\n`,
      repository,
    );
    const { response } = await strict.get(`http://127.0.0.1:${outside.port}/`);
    expect({ status: response.status, body: await response.text() }).toEqual({
      status: 424,
      body: 'The source file redirects to an address that is not allowed.\n',
    });
    expect(asked).toEqual([]);
    await strict.stop();
  });
});

describe('an unavailable source of the repository itself', () => {
  it.each([403, 404, 500, 302, 204])('returns 424 if it responds with %d', async (status) => {
    answer = async () => new Response(null, { status, headers: { Location: `${OWN}/other` } });
    expect(await outcome()).toEqual({
      status: 424,
      text: `The source file cannot be fetched: its server answered ${status}.\n`,
    });
    expect(asked).toHaveLength(1);
  });

  it('returns 424 without the reason if the repository throws', async () => {
    answer = async () => {
      throw new Error('a secret');
    };
    expect(await outcome()).toEqual({ status: 424, text: 'The source file cannot be fetched.\n' });
  });

  it('returns 424 after a timeout, and cancels a late response', async () => {
    const late = Promise.withResolvers<Response>();
    answer = () => late.promise;
    expect((await outcome()).status).toBe(424);
    const { state, body } = endless();
    late.resolve(new Response(body));
    await until(() => state.isGivenUp);
  });

  it('returns 424 if no byte arrives', async () => {
    let isGivenUp = false;
    const cancel = () => {
      isGivenUp = true;
    };
    answer = async () => new Response(new ReadableStream({ pull: () => new Promise(() => {}), cancel }));
    expect(await outcome()).toEqual({ status: 424, text: 'The source file did not arrive within 0.3 seconds.\n' });
    expect(isGivenUp).toBe(true);
  });

  it('returns 424 if it is truncated', async () => {
    answer = async () =>
      new Response(new ReadableStream({ pull: (controller) => controller.error(new Error('a disk')) }));
    expect(await outcome()).toEqual({ status: 424, text: 'The source file was truncated.\n' });
    answer = async () => new Response('abc', { headers: { ...TEXT, 'Content-Length': '10' } });
    expect(await outcome()).toEqual({ status: 424, text: 'The source file was truncated.\n' });
  });

  it('returns 413 if it exceeds maxBodyBytes, declared or not', async () => {
    const { state, body } = endless();
    answer = async () => new Response(body, { headers: { 'Content-Length': '50000001' } });
    expect((await outcome()).status).toBe(413);
    expect(state).toEqual({ taken: 0, isGivenUp: true });
    const undeclared = endless();
    answer = async () => new Response(undeclared.body, { headers: { 'Content-Type': 'x/idle' } });
    const { status } = await outcomeOfReader();
    expect(status).toBe(413);
    expect(undeclared.state.isGivenUp).toBe(true);
  });

  /** With a command that takes all it gets and says nothing. */
  async function outcomeOfReader() {
    const reader = await createProcessorWithin(
      'allowedMimeTypes: ["*"]\nmaxBodyBytes: 5000000\ncmdByMimeType: { default: { cmd: wc, args: [-c] } }\n',
      repository,
    );
    const { response } = await reader.get(`${OWN}/file`);
    await reader.stop();
    return response;
  }
});

describe('the stream of a source of the repository itself', () => {
  it('pauses while the command does not read, and ends when the client aborts', async () => {
    const { state, body } = endless();
    answer = async () => new Response(body, { headers: { 'Content-Type': 'x/idle' } });
    const abort = new AbortController();
    const call = processor.get(`${OWN}/file`, {}, abort.signal);
    await until(() => isRunning('sleep 86.42'));
    expect(await untilStill(() => state.taken)).toBeLessThan(4 * MEBIBYTE);
    abort.abort();
    await call;
    await until(() => state.isGivenUp && livingChildren().length === 0);
    answer = async () => new Response('a source', { headers: TEXT });
    expect((await outcome()).text).toBe('A SOURCE');
  });
});
