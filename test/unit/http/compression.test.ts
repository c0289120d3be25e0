import { describe, expect, it } from 'bun:test';
import { compressing, noteBody } from '../../../src/http/compression.ts';
import { chooseEncoding } from '../../../src/http/content-encoding.ts';
import { untilStill } from '../../support/until.ts';

const LONG = 'A line of a list of many.\n'.repeat(100);
const TYPE = { 'Content-Type': 'application/json; charset=utf-8' };

/** Asks a handler that answers with a response. */
function ask(response: Response, accepted = 'gzip', headers: Record<string, string> = {}): Promise<Response> {
  const request = new Request('http://localhost/', { headers: { 'Accept-Encoding': accepted, ...headers } });
  return compressing(async () => response)(request);
}

/** A stream of chunks that cannot be compressed, with what has become of it. */
function streamOf(chunks: number, failsAt = Number.POSITIVE_INFINITY) {
  const state = { pulled: 0, isCancelled: false };
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        state.pulled += 1;
        if (state.pulled > failsAt) controller.error(new Error('broken'));
        else if (state.pulled > chunks) controller.close();
        else controller.enqueue(crypto.getRandomValues(new Uint8Array(16_384)));
      },
      cancel() {
        state.isCancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { stream, state };
}

describe('a stream', () => {
  it('is compressed on demand, not ahead of its reader', async () => {
    const { stream, state } = streamOf(1_000);
    const response = await ask(new Response(stream, { headers: TYPE }));
    expect(response.headers.get('Content-Encoding')).toBe('gzip');
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    await untilStill(() => state.pulled);
    expect(state.pulled).toBeLessThan(20);
    await reader.cancel();
    expect(state.isCancelled).toBe(true);
  });

  it.each(['gzip', 'br', 'zstd'])('that is interrupted is an incomplete response in %s', async (coding) => {
    const { stream } = streamOf(1_000, 5);
    const response = await ask(new Response(stream, { headers: TYPE }), coding);
    await expect(response.arrayBuffer()).rejects.toThrow();
  });

  it('shorter than a KiB stays uncompressed', async () => {
    const short = new Blob(['[]']).stream();
    const response = await ask(new Response(short, { headers: TYPE }));
    expect(response.headers.get('Content-Encoding')).toBeNull();
    expect(response.headers.get('Vary')).toBeNull();
    expect(await response.text()).toBe('[]');
  });

  it('without Accept-Encoding is returned unchanged', async () => {
    const { stream, state } = streamOf(10);
    const original = new Response(stream, { headers: TYPE });
    expect(await ask(original, '')).toBe(original);
    expect(original.headers.get('Vary')).toBe('Accept-Encoding');
    expect(state.pulled).toBe(0);
  });
});

describe('a body in memory', () => {
  const known = (headers: Record<string, string> = {}, status = 200) =>
    noteBody(new Response(LONG, { status, headers: { ...TYPE, ...headers } }), LONG);

  it.each([
    ['Accept', 'Accept, Accept-Encoding'],
    ['accept-encoding', 'accept-encoding'],
    ['Cookie, Accept-Encoding', 'Cookie, Accept-Encoding'],
    ['*', '*'],
  ])('with Vary: %s is sent with Vary: %s', async (given, expected) => {
    expect((await ask(known({ Vary: given }))).headers.get('Vary')).toBe(expected);
  });

  it.each([
    { 'Content-Type': 'image/png' },
    { 'Content-Type': 'application/zip' },
    { 'Content-Type': 'video/mp4' },
    { 'Content-Encoding': 'gzip' },
    { 'Accept-Ranges': 'bytes' },
    { 'Repr-Digest': 'sha-256=:x:' },
  ])('stays unchanged with %j', async (headers) => {
    const response = known(headers as Record<string, string>);
    expect(await ask(response)).toBe(response);
  });

  it.each([206, 416])('with status %d stays unchanged', async (status) => {
    const response = known({}, status);
    expect(await ask(response)).toBe(response);
  });

  it('is compressed once for each coding if it is cached', async () => {
    const variants = new Map();
    const kept = () => noteBody(new Response(LONG, { headers: TYPE }), LONG, { variants });
    const first = await (await ask(kept())).arrayBuffer();
    const [made] = variants.values();
    expect(new Uint8Array(first)).toEqual(made);
    await ask(kept());
    await ask(kept(), 'br');
    expect([...variants.keys()]).toEqual(['gzip', 'br']);
    expect(variants.get('gzip')).toBe(made);
  });

  it('keeps a weak ETag, which covers all codings', async () => {
    expect((await ask(known({ ETag: 'W/"a"' }))).headers.get('ETag')).toBe('W/"a"');
    expect((await ask(known({ ETag: '"a"' }))).headers.get('ETag')).toBe('"a-gzip"');
  });
});

describe('the preconditions of a request', () => {
  const seen = async (method: string, accepted: string, headers: Record<string, string>) => {
    let found: Headers | undefined;
    const request = new Request('http://localhost/', { method, headers: { 'Accept-Encoding': accepted, ...headers } });
    await compressing(async (given) => {
      found = given.headers;
      return new Response(null, { status: 204 });
    })(request);
    return [found?.get('If-Match'), found?.get('If-None-Match'), found?.get('If-Range')].map((each) => each ?? null);
  };

  it.each([
    ['GET', 'br', { 'If-None-Match': '"a-br", W/"b-gzip", "c"' }, [null, '"a", W/"b-gzip", "c"', null]],
    ['GET', '', { 'If-None-Match': '"a-br"' }, [null, '"a-br"', null]],
    ['GET', 'br', { 'If-Match': '"a-gzip"' }, ['"a"', null, null]],
    ['GET', 'br', { 'If-Range': '"a-br"' }, [null, null, '"a-br"']],
    ['PATCH', '', { 'If-Match': '"a.b-zstd"', 'If-None-Match': '"c-br"' }, ['"a.b"', '"c"', null]],
    ['PATCH', 'br', { 'If-Match': '*' }, ['*', null, null]],
  ] as const)('for %s with %p are seen without the coding: %j', async (method, accepted, headers, expected) => {
    expect(await seen(method, accepted, headers as Record<string, string>)).toEqual([...expected]);
  });
});

describe('the coding', () => {
  it.each([
    [null, undefined],
    ['', undefined],
    ['identity', undefined],
    ['gzip, br', 'br'],
    ['GZIP', 'gzip'],
    ['br;q=0.1, gzip;q=0.2', 'gzip'],
    ['br;q=0, zstd;q=0, gzip;q=0', undefined],
    ['*;q=0', undefined],
  ] as const)('for %p is %p', (accepted, coding) => {
    expect(chooseEncoding(accepted, true)).toBe(coding);
  });
});
