import { describe, expect, it } from 'bun:test';
import { createS3Addresses } from '../../../src/storage/s3-address.ts';
import type { S3Config } from '../../../src/storage/s3-config.ts';
import { serviceError } from '../../support/service-error.ts';

const config = (change: Partial<S3Config>): S3Config => ({
  endpoint: 'https://s3.example.org:9000',
  region: 'us-east-1',
  bucket: 'archive',
  prefix: '',
  pathStyle: true,
  credentials: { from: 'environment' },
  encryption: undefined,
  storageClass: undefined,
  ...change,
});

describe('the address of an object', () => {
  it('has the bucket in its path, or in its host', () => {
    expect(createS3Addresses(config({})).of('a/b')).toBe('https://s3.example.org:9000/archive/a/b');
    expect(createS3Addresses(config({ pathStyle: false })).of('a/b')).toBe('https://archive.s3.example.org:9000/a/b');
  });

  it('is the bucket itself without a name', () => {
    const { of } = createS3Addresses(config({}));
    expect(of('', { uploads: '', prefix: 'a b+c/&' })).toBe(
      'https://s3.example.org:9000/archive/?uploads=&prefix=a%20b%2Bc%2F%26',
    );
  });

  it('escapes everything but letters, digits and -._~', () => {
    const { of } = createS3Addresses(config({}));
    expect(new URL(of("ü %+/!'()*/x")).pathname).toBe('/archive/%C3%BC%20%25%2B/%21%27%28%29%2A/x');
    expect(of('a//b/')).toBe('https://s3.example.org:9000/archive/a//b/');
  });

  it.each(['..', 'a/../b', './a'])('is not made for %s, which would lead elsewhere', (name) => {
    expect(() => createS3Addresses(config({})).of(name)).toThrow(serviceError('storage-failed', /could not be found/));
  });
});
