import { describe, expect, it } from 'bun:test';
import { ServiceError } from '../../../src/base/errors.ts';
import { createLog } from '../../../src/base/log.ts';
import { createRequestLog, loggedPath, RequestRecord, recordOf } from '../../../src/http/request-log.ts';

/** A request log over a handler, with what it logged and counted. */
function logging(handle: (request: Request) => Response) {
  const lines: Record<string, unknown>[] = [];
  const counted: number[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const requestLog = createRequestLog(
    async (request) => handle(request),
    createLog({ level: 'info', format: 'json', destination }),
    (_record, status) => counted.push(status),
  );
  return { requestLog, lines, counted };
}

const failWith = (failure: unknown, status: number) =>
  logging((request) => {
    recordOf(request).failure = failure;
    return new Response('', { status });
  });

describe('a record', () => {
  it.each([
    ['http://localhost/', '/'],
    ['http://localhost', '/'],
    ['http://localhost/a/b?token=secret#x', '/a/b'],
    ['http://localhost:8080?x=/y', '/'],
    ['http://[::1]:80/healthcheck', '/healthcheck'],
  ])('of %s has the path %s', (url, path) => {
    expect(new RequestRecord(new Request(url), undefined).path).toBe(path);
  });

  it('belongs to one request only', () => {
    const request = new Request('http://localhost/');
    expect(recordOf(request)).toBe(recordOf(request));
    expect(recordOf(new Request('http://localhost/'))).not.toBe(recordOf(request));
  });
});

describe('the log', () => {
  it('has one line per request, with its facts but without its query', async () => {
    const { requestLog, lines, counted } = logging((request) => {
      Object.assign(recordOf(request), { bytesIn: 5, bytesOut: 7, facts: { command: 'cat', msgId: 'urn:1' } });
      return new Response('ok');
    });
    const headers = { 'User-Agent': 'curl', Authorization: 'Bearer secret' };
    await requestLog.answer(new Request('http://localhost/x?key=secret', { headers }));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ level: 'info', method: 'GET', path: '/x', status: 200, user_agent: 'curl' });
    expect(lines[0]).toMatchObject({ bytes_in: 5, bytes_out: 7, command: 'cat', msgId: 'urn:1', msg: 'GET /x 200' });
    expect(lines[0]?.duration_ms).toBeNumber();
    expect(lines[0]).not.toHaveProperty('failure');
    expect(JSON.stringify(lines)).not.toContain('secret');
    expect(counted).toEqual([200]);
  });

  it.each([
    ['a bad request', new ServiceError('malformed', 'Bad.'), 400, 'warn'],
    ['a failed command', new ServiceError('command-failed', 'Failed.'), 500, 'error'],
    ['a surprise', new Error('surprise'), 500, 'error'],
    ['a stream that was cut', new ServiceError('timed-out', 'Cut.'), 200, 'error'],
  ])('has the right level for %s', async (_, failure, status, level) => {
    const { requestLog, lines } = failWith(failure, status);
    await requestLog.answer(new Request('http://localhost/'));
    expect(lines).toEqual([expect.objectContaining({ level, status })]);
  });

  it('logs 499 for a client that disconnected, with any response', async () => {
    const { requestLog, lines } = failWith(new ServiceError('client-gone', 'Left.'), 200);
    await requestLog.answer(new Request('http://localhost/'));
    expect(lines).toEqual([expect.objectContaining({ level: 'warn', status: 499, msg: 'GET / 499' })]);
  });

  it('logs the complete chain of causes', async () => {
    const cause = new TypeError('outer', { cause: new Error('inner') });
    const { requestLog, lines } = failWith(new ServiceError('source-failed', 'Sorry.', { cause }), 424);
    await requestLog.answer(new Request('http://localhost/'));
    const failure = { kind: 'source-failed', status: 424, message: 'Sorry.', cause: 'TypeError: outer (Error: inner)' };
    expect(lines).toEqual([expect.objectContaining({ failure })]);
  });

  it.each([
    ['of the database without its code in the message', 'disk I/O error', 'Error SQLITE_IOERR_READ: disk I/O error'],
    ['with its code in the message', 'SQLITE_IOERR_READ: disk', 'Error: SQLITE_IOERR_READ: disk'],
  ])('logs the code of a cause %s', async (_, message, text) => {
    const cause = Object.assign(new Error(message), { code: 'SQLITE_IOERR_READ' });
    const { requestLog, lines } = failWith(new ServiceError('storage-failed', 'Sorry.', { cause }), 500);
    await requestLog.answer(new Request('http://localhost/'));
    expect(lines).toEqual([expect.objectContaining({ failure: expect.objectContaining({ cause: text }) })]);
  });

  it('waits for the end of a stream', async () => {
    let record: RequestRecord | undefined;
    const { requestLog, lines, counted } = logging((request) => {
      record = recordOf(request);
      record.isStreaming = true;
      return new Response('begins');
    });
    await requestLog.answer(new Request('http://localhost/'));
    expect(lines).toEqual([]);
    requestLog.finish(record as RequestRecord, 200);
    expect(lines).toHaveLength(1);
    expect(counted).toEqual([200]);
  });
});

it.each([
  ['http://ocr/a?b=1', '/a?b=1'],
  ['http://x', '/'],
])('the router receives a readable URL for %s', async (url, path) => {
  let seen: Request | undefined;
  const { requestLog } = logging((request) => {
    seen = request;
    return new Response('');
  });
  await requestLog.answer(new Request(url, { method: 'POST', body: 'text', headers: { 'X-Repo-Args': 'kept' } }));
  expect(seen?.url).toBe(`http://localhost${path}`);
  expect(seen?.method).toBe('POST');
  expect(seen?.headers.get('X-Repo-Args')).toBe('kept');
  expect(await seen?.text()).toBe('text');
});

describe('a path in the log', () => {
  it.each([
    ['/user/reset/secret', '/user/reset/…'],
    ['/user/reset/secret/', '/user/reset/…/'],
    ['/base/user/reset/secret', '/base/user/reset/…'],
    ['/USER/reset/secret', '/USER/reset/…'],
    ['/user/mail/secret', '/user/mail/…'],
    ['/user/1', '/user/1'],
    ['/node/1', '/node/1'],
  ])('of %s is %s', (path, logged) => {
    expect(loggedPath(path)).toBe(logged);
  });
});
