import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { ServiceError } from '../../../../src/base/errors.ts';
import { createS3Clients } from '../../../../src/storage/s3/client.ts';
import { isTransient, onS3, S3Failure } from '../../../../src/storage/s3/failure.ts';
import { listObjects } from '../../../../src/storage/s3/list.ts';
import { statObject } from '../../../../src/storage/s3/stat.ts';
import { serviceError } from '../../../support/service-error.ts';

const told = (code: string) =>
  `<?xml version="1.0"?><Error><Code>${code}</Code><Message>what &amp; why</Message></Error>`;

describe('the error of a server', () => {
  let answer: () => Response;
  let server: ReturnType<typeof Bun.serve>;
  beforeAll(() => {
    server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => answer() });
  });
  afterAll(() => server.stop(true));
  const client = () =>
    createS3Clients(
      {
        endpoint: `http://127.0.0.1:${server.port}`,
        region: 'us-east-1',
        bucket: 'archive',
        prefix: '',
        pathStyle: true,
        credentials: { from: 'environment' },
        encryption: undefined,
        storageClass: undefined,
      },
      async () => ({ accessKeyId: 'a', secretAccessKey: 'b' }),
    )('once');
  const failureTo = async (status: number, text: string): Promise<S3Failure> => {
    answer = () => new Response(text, { status });
    const failure = await Array.fromAsync(listObjects(client(), 'archive', 'x/')).catch((error: unknown) => error);
    if (failure instanceof S3Failure) return failure;
    throw new Error('it did not fail', { cause: failure });
  };
  const REQUEST = 'GET "" (list-type, prefix, encoding-type)';

  it('is read from XML', async () => {
    const failure = await failureTo(403, told('AccessDenied'));
    expect(failure.message).toBe(`${REQUEST}: 403 AccessDenied what & why`);
    expect({ status: failure.status, code: failure.code }).toEqual({ status: 403, code: 'AccessDenied' });
  });

  it.each([
    ['a page of a proxy', '<html>Bad Gateway</html>', '502 <html>Bad Gateway</html>'],
    ['a page that is not XML', '<br>Bad Gateway', '502 <br>Bad Gateway'],
    ['empty', '', '502'],
    ['an error without a code', '<Error></Error>', '502 <Error></Error>'],
    ['truncated XML', '<Error><Code>SlowDown', '502 <Error><Code>SlowDown'],
  ])('may be %s', async (_, text, reason) => {
    const failure = await failureTo(502, text);
    expect(failure.message).toBe(`${REQUEST}: ${reason}`);
    expect({ status: failure.status, code: failure.code }).toEqual({ status: 502, code: '' });
  });

  it('is cut off if it is long', async () => {
    expect((await failureTo(502, 'y'.repeat(5000))).message.length).toBeLessThan(400);
  });

  it.each(['<html>Welcome</html>', 'Welcome', ''])('may be %p instead of a list', async (text) => {
    const failure = await failureTo(200, text);
    expect({ status: failure.status, isTransient: isTransient(failure) }).toEqual({ status: 200, isTransient: false });
  });

  it('has no text for a HEAD request', async () => {
    const object = { Bucket: 'archive', Key: 'a' };
    answer = () => new Response(null, { status: 403 });
    await expect(statObject(client(), object)).rejects.toThrow(/^HEAD "a": 403$/);
    answer = () => new Response(null, { status: 404 });
    expect(await statObject(client(), object)).toBeUndefined();
  });

  it.each<[number | undefined, string, boolean]>([
    [undefined, '', true],
    [500, 'InternalError', true],
    [503, 'SlowDown', true],
    [502, '', true],
    [429, '', true],
    [408, '', true],
    [400, 'RequestTimeout', true],
    [200, 'InternalError', true],
    [200, 'AccessDenied', false],
    [503, 'AccessDenied', false],
    [400, 'InvalidPart', false],
    [403, 'AccessDenied', false],
    [404, 'NoSuchKey', false],
    [501, 'NotImplemented', false],
    [507, 'InsufficientStorage', false],
    [503, 'QuotaExceeded', false],
  ])('with %p %s is transient: %p', (status, code, expected) => {
    expect(isTransient(new S3Failure('x', 'y', { ...(status !== undefined && { status }), code }))).toBe(expected);
  });

  it.each<[number | undefined, string, ServiceError['kind']]>([
    [undefined, '', 'unavailable'],
    [503, 'SlowDown', 'unavailable'],
    [507, '', 'storage-full'],
    [403, 'QuotaExceeded', 'storage-full'],
    [404, 'NoSuchKey', 'storage-failed'],
  ])('with %p %s is reported as %s', async (status, code, kind) => {
    const failure = new S3Failure('x', 'y', { ...(status !== undefined && { status }), code });
    const thrown = await onS3('It could not be done.', () => Promise.reject(failure)).catch((error: unknown) => error);
    expect(thrown).toEqual(serviceError(kind, /./));
    expect((thrown as ServiceError).cause).toBe(failure);
  });

  it('does not replace other errors', async () => {
    for (const error of [new TypeError('a mistake'), new ServiceError('client-gone', 'gone')])
      expect(await onS3('x', () => Promise.reject(error)).catch((thrown: unknown) => thrown)).toBe(error);
  });
});
