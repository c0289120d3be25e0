import { describe, expect, it } from 'bun:test';
import { ServiceError } from '../../../src/base/errors.ts';
import { errorIn, failureOf, isTransient, onS3, S3Failure } from '../../../src/storage/s3-failure.ts';
import { serviceError } from '../../support/service-error.ts';

const told = (code: string) =>
  `<?xml version="1.0"?><Error><Code>${code}</Code><Message>what &amp; why</Message></Error>`;

describe('what a server says against a request', () => {
  it('is read from XML', () => {
    const failure = failureOf('GET "x"', 403, told('AccessDenied'));
    expect(failure.message).toBe('GET "x": 403 AccessDenied what & why');
    expect([failure.status, failure.code]).toEqual([403, 'AccessDenied']);
  });

  it.each([
    ['a page of a proxy', '<html>Bad Gateway</html>', 'GET "x": 502 <html>Bad Gateway</html>'],
    ['nothing', '', 'GET "x": 502'],
    ['an error without a code', '<Error></Error>', 'GET "x": 502'],
  ])('may be %s', (_, text, message) => {
    const failure = failureOf('GET "x"', 502, text);
    expect(failure.message).toBe(message);
    expect(failure.code).toBe('');
  });

  it('is cut where it is long, and survives XML that ends too soon', () => {
    expect(failureOf('GET "x"', 502, 'y'.repeat(5000)).message.length).toBeLessThan(400);
    expect(errorIn('<Error><Code>SlowDown')).toBeDefined();
    expect(errorIn('<CompleteMultipartUploadResult/>')).toBeUndefined();
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
    [400, 'InvalidPart', false],
    [403, 'AccessDenied', false],
    [404, 'NoSuchKey', false],
    [501, 'NotImplemented', false],
    [507, 'InsufficientStorage', false],
    [503, 'QuotaExceeded', false],
  ])('%p %s may pass: %p', (status, code, expected) => {
    expect(isTransient(new S3Failure('x', 'y', { ...(status !== undefined && { status }), code }))).toBe(expected);
  });

  it.each<[number | undefined, string, ServiceError['kind']]>([
    [undefined, '', 'unavailable'],
    [503, 'SlowDown', 'unavailable'],
    [507, '', 'storage-full'],
    [403, 'QuotaExceeded', 'storage-full'],
    [404, 'NoSuchKey', 'storage-failed'],
  ])('%p %s is told as %s', async (status, code, kind) => {
    const failure = new S3Failure('x', 'y', { ...(status !== undefined && { status }), code });
    const thrown = await onS3('It could not be done.', () => Promise.reject(failure)).catch((error: unknown) => error);
    expect(thrown).toEqual(serviceError(kind, /./));
    expect((thrown as ServiceError).cause).toBe(failure);
  });

  it('leaves all other errors as they are', async () => {
    for (const error of [new TypeError('a mistake'), new ServiceError('client-gone', 'gone')])
      expect(await onS3('x', () => Promise.reject(error)).catch((thrown: unknown) => thrown)).toBe(error);
  });
});
