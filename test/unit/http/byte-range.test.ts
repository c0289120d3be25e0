import { describe, expect, it } from 'bun:test';
import { wholeBody } from '../../../src/api/files/file-body.ts';
import { selectRange } from '../../../src/http/byte-range.ts';

const MODIFIED = 'Wed, 01 Apr 2026 10:00:00 GMT';
const current = { etag: '"abc"', lastModified: new Date('2026-04-01T10:00:00.700Z') };
const part = (first: number, last: number, bytes = 100) => ({
  kind: 'part' as const,
  first,
  last,
  contentRange: `bytes ${first}-${last}/${bytes}`,
});
const whole = { kind: 'whole' as const };
const none = { kind: 'unsatisfiable' as const, contentRange: 'bytes */100' };

describe('selectRange', () => {
  it.each([
    ['bytes=0-0', part(0, 0)],
    ['bytes=0-', part(0, 99)],
    ['bytes=10-19', part(10, 19)],
    ['BYTES=10-19', part(10, 19)],
    ['bytes= 10-19 ', part(10, 19)],
    ['bytes=99-', part(99, 99)],
    ['bytes=90-1000', part(90, 99)],
    ['bytes=0-99999999999999999999999999', part(0, 99)],
    ['bytes=-1', part(99, 99)],
    ['bytes=-100', part(0, 99)],
    ['bytes=-101', part(0, 99)],
    ['bytes=-99999999999999999999999999', part(0, 99)],
    ['bytes=100-', none],
    ['bytes=100-200', none],
    ['bytes=99999999999999999999999999-', none],
    ['bytes=-0', none],
    ['bytes=19-10', whole],
    ['bytes=0-1,5-6', whole],
    ['bytes=0-1,', whole],
    ['bytes=-', whole],
    ['bytes=', whole],
    ['bytes', whole],
    ['bytes=a-b', whole],
    ['bytes=1.5-2', whole],
    ['bytes=--1', whole],
    ['bytes=0x1-0x2', whole],
    ['bytes=1 - 2', whole],
    ['items=0-1', whole],
    ['', whole],
  ])('evaluates the range %p', (range, expected) => {
    expect(selectRange(new Headers({ Range: range }), 100, current)).toEqual(expected);
  });

  it.each(['bytes=0-', 'bytes=0-10', 'bytes=-5', 'bytes=5-'])('sends an empty file as a whole: %s', (range) => {
    expect(selectRange(new Headers({ Range: range }), 0, current)).toEqual(whole);
  });

  it('sends the whole without a range', () => {
    expect(selectRange(new Headers({ 'If-Range': '"abc"' }), 100, current)).toEqual(whole);
  });

  it.each([
    ['the same tag', '"abc"', part(0, 1)],
    ['another tag', '"abd"', whole],
    ['a weak tag', 'W/"abc"', whole],
    ['a tag without quotes', 'abc', whole],
    ['a list of tags', '"abc", "abd"', whole],
    ['the date', MODIFIED, part(0, 1)],
    ['an earlier date', 'Wed, 01 Apr 2026 09:59:59 GMT', whole],
    ['a later date', 'Wed, 01 Apr 2026 10:00:01 GMT', whole],
    ['nothing', '', whole],
  ])('evaluates If-Range with %s', (_, ifRange, expected) => {
    const headers = new Headers({ Range: 'bytes=0-1', 'If-Range': ifRange });
    expect(selectRange(headers, 100, current)).toEqual(expected);
  });

  it('ignores an If-Range date of the current second', () => {
    const headers = new Headers({ Range: 'bytes=0-1', 'If-Range': MODIFIED });
    expect(selectRange(headers, 100, current, new Date('2026-04-01T10:00:00.900Z'))).toEqual(whole);
    expect(selectRange(headers, 100, current, new Date('2026-04-01T10:00:01.100Z'))).toEqual(part(0, 1));
  });

  it('sends the whole if the tag or date in If-Range is unknown or weak', () => {
    const headers = (ifRange: string) => new Headers({ Range: 'bytes=0-1', 'If-Range': ifRange });
    expect(selectRange(headers(MODIFIED), 100, { etag: '"abc"' })).toEqual(whole);
    expect(selectRange(headers('"abc"'), 100, { lastModified: current.lastModified })).toEqual(whole);
    expect(selectRange(headers('"abc"'), 100, { etag: 'W/"abc"' })).toEqual(whole);
  });
});

describe('wholeBody', () => {
  it('returns the whole body for any requested range', async () => {
    const bytes = new Uint8Array(3_000_000).fill(7);
    const file = `${process.env.TMPDIR ?? '/tmp'}/repo-whole-${process.pid}`;
    await Bun.write(file, bytes);
    const server = Bun.serve({
      port: 0,
      fetch: () => new Response(wholeBody(Bun.file(file))),
    });
    try {
      const answer = await fetch(server.url, { headers: { Range: 'bytes=0-1' } });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('Content-Range')).toBeNull();
      expect((await answer.bytes()).byteLength).toBe(3_000_000);
    } finally {
      await server.stop(true);
      await Bun.file(file).delete();
    }
  });
});
