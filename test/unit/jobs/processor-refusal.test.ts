import { afterEach, describe, expect, it } from 'bun:test';
import { setImmediate } from 'node:timers/promises';
import { freePort } from '../../support/free-port.ts';
import { pause } from '../../support/pause.ts';
import { call } from '../../support/processor-call.ts';
import { rawServer } from '../../support/raw-http.ts';
import { jobFailure } from '../../support/rejection.ts';

let stops: (() => unknown)[] = [];

afterEach(async () => {
  for (const stop of stops) await stop();
  stops = [];
});

/** The failure of a call that is answered so. */
async function refusal(body: ConstructorParameters<typeof Response>[0], init: ResponseInit) {
  const server = Bun.serve({ port: 0, idleTimeout: 0, fetch: () => new Response(body, init) });
  stops.push(() => server.stop(true));
  return { origin: server.url.origin, failure: await jobFailure(call(server.url.href)) };
}

const plain = { 'Content-Type': 'text/plain; charset=utf-8' };
const html = { 'Content-Type': 'text/html' };

describe('a status', () => {
  const kinds = {
    permanent: [204, 206, 400, 402, 404, 405, 406, 410, 413, 414, 415, 422, 431, 451],
    passing: [401, 403, 408, 409, 423, 424, 425, 500, 501, 502, 504, 507],
    'not-now': [429, 503],
  } as const;
  for (const [kind, statuses] of Object.entries(kinds)) {
    for (const status of statuses) {
      it(`of ${status} is ${kind}`, async () => {
        const { failure } = await refusal(null, { status });
        expect(failure).toMatchObject({ kind, status });
      });
    }
  }

  const words: [number, Record<string, string>, boolean][] = [
    [500, plain, false],
    [500, html, false],
    [502, plain, true],
    [502, html, true],
    [503, plain, true],
    [503, { ...plain, 'Retry-After': '5' }, false],
    [504, plain, false],
    [504, html, true],
    [429, html, false],
    [424, plain, false],
  ];
  for (const [status, headers, isOfAddress] of words) {
    it(`of ${status} with ${JSON.stringify(headers)} is ${isOfAddress ? '' : 'not '}blamed on the address`, async () => {
      const { failure } = await refusal('Something.\n', { status, headers });
      expect(failure.isOfAddress).toBe(isOfAddress);
    });
  }
});

describe('the error message of a processor', () => {
  it('is the first line of its answer', async () => {
    const { origin, failure } = await refusal('\nconvert: no decode delegate\x1b[1m for this image\r\nmore\n', {
      status: 500,
      headers: plain,
    });
    expect(failure.stderrLine).toBe('convert: no decode delegate [1m for this image');
    expect(failure.message).toBe(`The processor at ${origin} answered 500: ${failure.stderrLine}`);
  });

  it('may arrive in parts after empty lines', async () => {
    const parts = ['\n', '\nno ', 'pixels\n', 'more'];
    const body = new ReadableStream({
      async pull(controller) {
        await setImmediate();
        const part = parts.shift();
        if (part === undefined) controller.close();
        else controller.enqueue(Buffer.from(part));
      },
    });
    const { failure } = await refusal(body, { status: 500, headers: plain });
    expect(failure.stderrLine).toBe('no pixels');
  });

  it('is not taken from an HTML page', async () => {
    const { origin, failure } = await refusal('<h1>Bad Gateway</h1>', { status: 502, headers: html });
    expect(failure.stderrLine).toBeUndefined();
    expect(failure.message).toBe(`The processor at ${origin} answered 502.`);
  });

  it('is cut after 500 characters, without reading further', async () => {
    const endless = new ReadableStream({
      async pull(controller) {
        controller.enqueue(Buffer.alloc(100_000, 'x'));
        await setImmediate();
      },
    });
    const { failure } = await refusal(endless, { status: 500, headers: plain });
    expect(failure.stderrLine).toBe('x'.repeat(500));
  });

  it('never contains a token', async () => {
    const server = Bun.serve({
      port: 0,
      fetch: ({ headers }) => {
        const authorization = headers.get('authorization') ?? '';
        return new Response(`No good: ${authorization}, ${authorization.slice(0, 40)}`, {
          status: 401,
          headers: plain,
        });
      },
    });
    stops.push(() => server.stop(true));
    const failure = await jobFailure(call(server.url.href));
    expect(failure.stderrLine).toBe('No good: Bearer …, Bearer …');
    expect(failure.message).not.toContain('eyJ');
  });

  it('keeps the status if the body is truncated', async () => {
    const server = await rawServer(async (socket) => {
      socket.write('HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nContent-Length: 100\r\n\r\nBad');
      // An end that arrives with the beginning of the body would take its place.
      await pause(100);
      socket.end();
    });
    stops.push(() => server.stop());
    expect(await jobFailure(call(server.url))).toMatchObject({ kind: 'permanent', status: 400, stderrLine: 'Bad' });
  });
});

describe('Retry-After', () => {
  const values: [string, number | undefined][] = [
    ['7', 7],
    ['999999', 3600],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
    ['soon', undefined],
  ];
  for (const [value, seconds] of values) {
    it(`of ${value} is read as ${seconds}`, async () => {
      const { failure } = await refusal('Full.', { status: 503, headers: { 'Retry-After': value } });
      expect(failure).toMatchObject({ kind: 'not-now', retryAfterSeconds: seconds });
    });
  }

  it('may be a date', async () => {
    const value = new Date(Date.now() + 60_000).toUTCString();
    const { failure } = await refusal('Full.', { status: 429, headers: { 'Retry-After': value } });
    expect(failure.retryAfterSeconds).toBeWithin(55, 62);
  });
});

describe('an unsuitable answer', () => {
  it('is a failure if it has another MIME type', async () => {
    const { origin, failure } = await refusal('<p>', { headers: html });
    expect(failure).toMatchObject({ kind: 'passing', status: 200, isOfAddress: false });
    expect(failure.message).toBe(`The processor at ${origin} answered with text/html instead of image/jpeg.`);
  });

  it('is a failure if it has no MIME type', async () => {
    const server = await rawServer((socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi'));
    stops.push(() => server.stop());
    const failure = await jobFailure(call(server.url));
    expect(failure).toMatchObject({
      kind: 'passing',
      message: expect.stringContaining('with no MIME type instead of'),
    });
  });

  for (const framing of ['Content-Length: 0\r\n\r\n', 'Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n']) {
    it(`is a failure if it is empty (${framing.split(':', 1)})`, async () => {
      const server = await rawServer((socket) => {
        socket.end(`HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\n${framing}`);
      });
      stops.push(() => server.stop());
      const failure = await jobFailure(call(server.url));
      expect(failure).toMatchObject({ kind: 'permanent', message: expect.stringContaining('sent an empty answer') });
    });
  }

  it('is a failure if it is encoded', async () => {
    const { failure } = await refusal(Bun.gzipSync('a picture'), {
      headers: { 'Content-Type': 'image/jpeg', 'Content-Encoding': 'gzip' },
    });
    expect(failure).toMatchObject({ kind: 'permanent', message: expect.stringContaining('is encoded (gzip)') });
  });

  it("is a failure if it redirects, and only the target's origin is reported", async () => {
    const headers = { Location: 'https://elsewhere.example/x?secret=1' };
    const { origin, failure } = await refusal(null, { status: 302, headers });
    expect(failure).toMatchObject({ kind: 'permanent', status: 302 });
    expect(failure.message).toBe(
      `The processor at ${origin} answered 302, a redirect to https://elsewhere.example, which is not followed.`,
    );
  });
});

describe('an unreachable processor', () => {
  it('without a listening server uses up no attempt of the job', async () => {
    const failure = await jobFailure(call(`http://127.0.0.1:${await freePort()}/`));
    expect(failure).toMatchObject({ kind: 'not-now', isOfAddress: true, status: undefined });
    expect(failure.message).toMatch(
      /^The processor at http:\/\/127\.0\.0\.1:\d+ cannot be reached \(ECONNREFUSED\)\.$/,
    );
  });

  it('with an unknown host uses up no attempt of the job', async () => {
    const failure = await jobFailure(call('http://processor.invalid/'));
    expect(failure).toMatchObject({ kind: 'not-now', isOfAddress: true });
  });

  it('without TLS uses up no attempt of the job', async () => {
    const server = await rawServer((socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    stops.push(() => server.stop());
    const failure = await jobFailure(call(server.url.replace('http:', 'https:')));
    expect(failure).toMatchObject({ kind: 'not-now', isOfAddress: true });
  });

  for (const how of ['end', 'resetAndDestroy'] as const) {
    it(`that closes the connection unanswered uses up an attempt (${how})`, async () => {
      const server = await rawServer((socket) => void socket[how]());
      stops.push(() => server.stop());
      const failure = await jobFailure(call(server.url));
      expect(failure).toMatchObject({ kind: 'passing', isOfAddress: true });
      expect(failure.message).toContain('closed the connection without an answer');
    });
  }
});
