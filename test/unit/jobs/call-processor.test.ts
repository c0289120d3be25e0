import { afterEach, describe, expect, it } from 'bun:test';
import { setImmediate } from 'node:timers/promises';
import { parseEventHeader } from '../../../src/http/event.ts';
import { decodeHeaderText } from '../../../src/http/header-text.ts';
import { callProcessor } from '../../../src/jobs/call-processor.ts';
import { call, readAll } from '../../support/processor-call.ts';
import { rawServer } from '../../support/raw-http.ts';
import { jobFailure } from '../../support/rejection.ts';
import { until } from '../../support/until.ts';

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\n';

let stops: (() => unknown)[] = [];

afterEach(async () => {
  for (const stop of stops) await stop();
  stops = [];
});

function serve(answer: (request: Request) => Response | Promise<Response>): string {
  const server = Bun.serve({ port: 0, idleTimeout: 0, fetch: answer });
  stops.push(() => server.stop(true));
  return server.url.href;
}

async function serveRaw(answer: Parameters<typeof rawServer>[0]) {
  const server = await rawServer(answer);
  stops.push(() => server.stop());
  return server;
}

const jpeg = (body: ConstructorParameters<typeof Response>[0] = 'a picture') =>
  new Response(body, { headers: { 'Content-Type': 'image/jpeg' } });

describe('the request', () => {
  it('is a single GET with source, arguments, event and token', async () => {
    const seen: string[] = [];
    let headers: Record<string, string> = {};
    const address = serve((request) => {
      const { pathname, search } = new URL(request.url);
      seen.push(`${request.method} ${pathname}${search}`);
      headers = Object.fromEntries(request.headers.entries());
      return jpeg();
    });
    await readAll(await call(`${address}convert?quality=high`, { args: '-thumbnail 220x220', token: 'a.b.c' }));
    expect(seen).toEqual(['GET /convert?quality=high']);
    expect(headers).toMatchObject({
      authorization: 'Bearer a.b.c',
      'apix-ldp-resource': 'http://repository.example/sites/default/files/1.tif',
      accept: 'image/jpeg',
      'accept-encoding': 'identity',
      'x-repo-args': '-thumbnail 220x220',
    });
    expect(parseEventHeader(headers['x-repo-event'])).toEqual({ msgId: 'urn:uuid:1', event: { id: 'urn:uuid:1' } });
  });

  it('has no X-Repo-Args without arguments', async () => {
    let names: string[] = [];
    const address = serve((request) => {
      names = [...request.headers.keys()];
      return jpeg();
    });
    await readAll(await call(address));
    expect(names).toContain('x-repo-event');
    expect(names).not.toContain('x-repo-args');
  });

  it('carries any characters in addresses, arguments and the event', async () => {
    let headers = new Headers();
    const address = serve((request) => {
      headers = request.headers;
      return jpeg();
    });
    const event = JSON.stringify({ id: 'urn:x', target: 'http://repository.example/Übersicht–漢字' });
    const sourceUrl = 'http://repository.example/é/漢.tif';
    await readAll(await call(address, { args: '-label "Jugend – 漢字"', event, sourceUrl }));
    expect(decodeHeaderText(headers.get('x-repo-args') ?? '')).toBe('-label "Jugend – 漢字"');
    expect(decodeHeaderText(headers.get('apix-ldp-resource') ?? '')).toBe(sourceUrl);
    expect(parseEventHeader(headers.get('x-repo-event') ?? '').event).toEqual(JSON.parse(event));
  });

  it('is rejected if its arguments contain a line break', async () => {
    let asked = 0;
    const address = serve(() => {
      asked += 1;
      return jpeg();
    });
    const failure = await jobFailure(call(address, { args: '-a\r\nX-Evil: 1' }));
    expect(failure).toMatchObject({ kind: 'permanent', message: expect.stringContaining('control character') });
    expect(asked).toBe(0);
  });
});

describe('an answer', () => {
  it('is returned with its type and length', async () => {
    const address = serve(() => new Response('a picture', { headers: { 'Content-Type': 'Image/JPEG; q=1' } }));
    const answer = await call(address, { mimeType: 'image/JPEG' });
    expect(answer).toMatchObject({ mediaType: 'image/jpeg', declaredBytes: 9 });
    expect(await readAll(answer)).toBe('a picture');
  });

  it('is streamed, with or without a known length', async () => {
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
    const address = serve(() => {
      const parts = ['one ', 'two'];
      return jpeg(
        new ReadableStream({
          async pull(controller) {
            const part = parts.shift();
            if (part === undefined) return controller.close();
            if (part === 'two') await mayEnd;
            controller.enqueue(Buffer.from(part));
          },
        }),
      );
    });
    const answer = await call(address);
    expect(answer.declaredBytes).toBeUndefined();
    const chunks: string[] = [];
    for await (const chunk of answer.body) {
      chunks.push(Buffer.from(chunk).toString());
      end();
    }
    expect(chunks).toEqual(['one ', 'two']);
  });

  it('is read by its chunks if its Content-Length differs', async () => {
    const { url } = await serveRaw((socket) => {
      socket.end(`${HEAD}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`);
    });
    const answer = await call(url);
    expect(answer.declaredBytes).toBeUndefined();
    expect(await readAll(answer)).toBe('hello');
  });

  it('may come from an embedded processor without framing', async () => {
    const request = { address: 'http://localhost/', sourceUrl: 'http://localhost/1.tif', mimeType: 'image/jpeg' };
    const rest = { args: '', event: '{}', token: 't', timeoutSeconds: 5, signal: new AbortController().signal };
    const answer = await callProcessor(async () => jpeg(), { ...request, ...rest });
    expect(await readAll(answer)).toBe('a picture');
  });
});

describe('a truncated response', () => {
  const part = 'x'.repeat(10);
  const cuts: [string, string][] = [
    ['before its Content-Length', `${HEAD}Content-Length: 100\r\n\r\n${part}`],
    ['within a chunk', `${HEAD}Transfer-Encoding: chunked\r\n\r\na\r\n${part}\r\n40\r\n${part}`],
    ['after a chunk that is not the last', `${HEAD}Transfer-Encoding: chunked\r\n\r\na\r\n${part}\r\n`],
  ];
  for (const [where, bytes] of cuts) {
    for (const how of ['an end', 'a reset'] as const) {
      it(`cut off ${where} by ${how} of the connection fails`, async () => {
        const arrived = Promise.withResolvers<void>();
        const { url } = await serveRaw(async (socket) => {
          socket.write(bytes);
          await arrived.promise;
          if (how === 'an end') socket.end();
          else socket.resetAndDestroy();
        });
        const answer = await call(url);
        arrived.resolve();
        const failure = await jobFailure(readAll(answer));
        expect(failure).toMatchObject({ kind: 'passing', isOfAddress: false });
        expect(failure.message).toMatch(
          /^The answer of the processor at http:\/\/127\.0\.0\.1:\d+ was truncated after \d+ bytes\.$/,
        );
      });
    }
  }

  it('shorter than the Content-Length of an embedded processor fails', async () => {
    const request = { address: 'http://localhost/', sourceUrl: 'http://localhost/1.tif', mimeType: 'image/jpeg' };
    const rest = { args: '', event: '{}', token: 't', timeoutSeconds: 5, signal: new AbortController().signal };
    const short = () => {
      const response = jpeg(new Response('a picture').body);
      response.headers.set('Content-Length', '10');
      return Promise.resolve(response);
    };
    const failure = await jobFailure(callProcessor(short, { ...request, ...rest }).then(readAll));
    expect(failure).toMatchObject({ kind: 'passing', message: expect.stringContaining('was truncated after 9 bytes') });
  });

  it('without Content-Length or chunks is refused, since truncation is undetectable', async () => {
    const { url } = await serveRaw((socket) => void socket.end(`${HEAD}Connection: close\r\n\r\nhello`));
    const failure = await jobFailure(call(url));
    expect(failure).toMatchObject({ kind: 'permanent', isOfAddress: false });
    expect(failure.message).toContain('neither a Content-Length nor chunks');
  });
});

describe('a time limit', () => {
  it('ends an unanswered call as a failure of the address', async () => {
    const left = Promise.withResolvers<void>();
    const address = serve(async (request) => {
      request.signal.addEventListener('abort', () => left.resolve());
      await left.promise;
      return jpeg();
    });
    const failure = await jobFailure(call(address, { timeoutSeconds: 0.1 }));
    expect(failure).toMatchObject({ kind: 'passing', isOfAddress: true });
    expect(failure.message).toMatch(/did not begin its answer within 0\.1 seconds/);
    await left.promise;
  });

  it('ends a call whose first byte does not follow the headers', async () => {
    const { url } = await serveRaw((socket) => void socket.write(`${HEAD}Content-Length: 5\r\n\r\n`));
    const failure = await jobFailure(call(url, { timeoutSeconds: 0.1 }));
    expect(failure).toMatchObject({ kind: 'passing', isOfAddress: true });
  });

  it('ends an answer that is too slow', async () => {
    const { url } = await serveRaw(async (socket) => {
      socket.write(`${HEAD}Content-Length: 1000000000\r\n\r\n`);
      while (!socket.destroyed) {
        socket.write('x');
        await setImmediate();
      }
    });
    const failure = await jobFailure(call(url, { timeoutSeconds: 0.5 }).then(readAll));
    expect(failure).toMatchObject({ kind: 'passing', isOfAddress: false });
    expect(failure.message).toMatch(/did not finish its answer within 0\.5 seconds/);
  });
});

describe('a call that its caller ends', () => {
  const reason = new Error('the service stops');

  it('before it begins sends no request', async () => {
    let asked = 0;
    const address = serve(() => {
      asked += 1;
      return jpeg();
    });
    expect(await call(address, { signal: AbortSignal.abort(reason) }).catch((error) => error)).toBe(reason);
    await readAll(await call(address));
    expect(asked).toBe(1);
  });

  it('before the answer throws the reason', async () => {
    const stopping = new AbortController();
    const { url, heads } = await serveRaw(() => undefined);
    const called = call(url, { signal: stopping.signal });
    void until(() => heads.length > 0).then(() => stopping.abort(reason));
    expect(await called.catch((error) => error)).toBe(reason);
  });

  it('within the answer throws the reason and closes the connection', async () => {
    const stopping = new AbortController();
    let isClosed = false;
    const { url } = await serveRaw((socket) => {
      socket.on('close', () => {
        isClosed = true;
      });
      socket.write(`${HEAD}Content-Length: 100\r\n\r\nhello`);
    });
    const answer = await call(url, { signal: stopping.signal });
    stopping.abort(reason);
    expect(await readAll(answer).catch((error) => error)).toBe(reason);
    await until(() => isClosed);
  });

  it('by cancel closes the connection, and reading fails', async () => {
    let isClosed = false;
    const { url } = await serveRaw((socket) => {
      socket.on('close', () => {
        isClosed = true;
      });
      socket.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`);
    });
    const answer = await call(url);
    const reading = readAll(answer).catch((error) => error);
    await answer.cancel();
    await answer.cancel();
    expect(await reading).toMatchObject({ message: 'The transfer was cancelled.' });
    await until(() => isClosed);
  });

  it('by no longer reading closes the connection', async () => {
    let isClosed = false;
    const { url } = await serveRaw((socket) => {
      socket.on('close', () => {
        isClosed = true;
      });
      socket.write(`${HEAD}Content-Length: 100\r\n\r\nhello`);
    });
    for await (const _ of (await call(url)).body) break;
    await until(() => isClosed);
  });
});
