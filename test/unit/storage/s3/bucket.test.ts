import { describe, expect, it } from 'bun:test';
import { createS3Bucket } from '../../../../src/storage/s3/bucket.ts';
import type { S3Config } from '../../../../src/storage/s3/config.ts';
import { serviceError } from '../../../support/service-error.ts';

const HEADERS = { contentType: 'image/png', contentDisposition: 'inline' };

/** The address of an object, presigned. */
async function addressOf(name: string, change: Partial<S3Config> = {}): Promise<URL> {
  const config: S3Config = {
    endpoint: 'https://s3.example.org:9000',
    region: 'us-east-1',
    bucket: 'archive',
    prefix: '',
    pathStyle: true,
    credentials: {
      from: 'configuration',
      keys: { accessKeyId: 'a', secretAccessKey: 'hidden', sessionToken: undefined },
    },
    encryption: undefined,
    storageClass: undefined,
    ...change,
  };
  return new URL(await createS3Bucket(config, { readEnv: () => undefined }).presign(name, HEADERS, 60));
}

describe('the address of an object', () => {
  it('has the bucket in its path or host', async () => {
    const inPath = await addressOf('a/b');
    expect(inPath.origin + inPath.pathname).toBe('https://s3.example.org:9000/archive/a/b');
    const inHost = await addressOf('a/b', { pathStyle: false });
    expect(inHost.origin + inHost.pathname).toBe('https://archive.s3.example.org:9000/a/b');
    const withDot = await addressOf('a/b', { pathStyle: false, bucket: 'our.archive' });
    expect(withDot.host).toBe('our.archive.s3.example.org:9000');
  });

  it('escapes all characters except letters, digits and -._~', async () => {
    expect((await addressOf("ü %+/!'()*/x")).pathname).toBe('/archive/%C3%BC%20%25%2B/%21%27%28%29%2A/x');
    expect((await addressOf('a//b/')).pathname).toBe('/archive/a//b/');
  });

  it('is signed for the configured region with any server name', async () => {
    const { searchParams } = await addressOf('a', { region: 'our_region' });
    expect(searchParams.get('X-Amz-Credential')).toMatch(/^a\/\d{8}\/our_region\/s3\/aws4_request$/);
  });

  it('has only the parameters of the signature and the response', async () => {
    const { searchParams } = await addressOf('a', { prefix: 'b c/' });
    expect([...searchParams.keys()].toSorted()).toEqual([
      ...['Algorithm', 'Content-Sha256', 'Credential', 'Date', 'Expires', 'Signature', 'SignedHeaders'].map(
        (name) => `X-Amz-${name}`,
      ),
      'response-content-disposition',
      'response-content-type',
    ]);
    expect(searchParams.get('X-Amz-Expires')).toBe('60');
  });

  it.each(['..', 'a/../b', './a'])('is refused for the relative path %s', async (name) => {
    await expect(addressOf(name)).rejects.toThrow(serviceError('storage-failed', /could not be found/));
  });
});

describe('the lifetime of an address', () => {
  it('is that for which it was made', async () => {
    expect((await addressOf('a/b')).searchParams.get('X-Amz-Expires')).toBe('60');
  });
});
