import { describe, expect, it } from 'bun:test';
import { ConfigError, parseYamlText } from '../../../src/base/yaml-file.ts';
import { configFrom } from '../../../src/config/load-server-config.ts';
import type { SchemeConfig } from '../../../src/config/schemes.ts';

const parse = (text: string, env: Record<string, string> = {}) =>
  configFrom(parseYamlText('repository.yaml', text, (name) => env[name]));
const schemes = (text: string, env: Record<string, string> = {}): Record<string, SchemeConfig> =>
  Object.fromEntries(parse(`schemes:\n${text}`, env).schemes.map((scheme) => [scheme.name, scheme]));

function problemsOf(text: string, env: Record<string, string> = {}): readonly string[] {
  try {
    schemes(text, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

const BUCKET = 'endpoint: "https://s3.example.org", bucket: files';

describe('a scheme in a bucket', () => {
  it('defaults to credentials from the environment and downloads through the server', () => {
    expect(schemes(`  s3: { s3: { ${BUCKET} } }`).s3).toEqual({
      name: 's3',
      driver: 's3',

      storeIn: undefined,
      delivery: 'stream',
      s3: {
        endpoint: 'https://s3.example.org',
        region: 'us-east-1',
        bucket: 'files',
        prefix: '',
        pathStyle: true,
        credentials: { from: 'environment' },
        encryption: undefined,
        storageClass: undefined,
      },
    });
  });

  it('accepts every key', () => {
    const text = `  archive:
    delivery: redirect
    s3:
      endpoint: http://localhost:9000/
      region: eu-central-1
      bucket: files
      prefix: "my repository/"
      pathStyle: false
      credentials: { accessKeyId: id, secretAccessKey: "\${SECRET}", sessionToken: token }
      encryption: aws:kms
      encryptionKey: alias/repository
      storageClass: STANDARD_IA`;
    expect(schemes(text, { SECRET: 'geheim' }).archive).toMatchObject({
      delivery: 'redirect',
      s3: {
        endpoint: 'http://localhost:9000',
        region: 'eu-central-1',
        prefix: 'my repository/',
        pathStyle: false,
        credentials: {
          from: 'configuration',
          keys: { accessKeyId: 'id', secretAccessKey: 'geheim', sessionToken: 'token' },
        },
        encryption: { algorithm: 'aws:kms', keyId: 'alias/repository' },
        storageClass: 'STANDARD_IA',
      },
    });
  });

  it('reads its credentials from a file', () => {
    const text = `  s3: { s3: { ${BUCKET}, credentials: { file: /etc/keys } } }`;
    expect(schemes(text).s3).toMatchObject({
      s3: { credentials: { from: 'file', file: '/etc/keys', profile: 'default' } },
    });
  });

  it.each([
    ['{ s3: { bucket: b } }', 'schemes.x.s3.endpoint is missing; it is the URL of an S3 server, without the bucket'],
    [
      '{ s3: { endpoint: "https://s3.example.org/files", bucket: b } }',
      'schemes.x.s3.endpoint must be the URL of an S3 server such as https://s3.eu-central-1.amazonaws.com, found "https://s3.example.org/files"',
    ],
    [
      '{ s3: { endpoint: "https://key:secret@s3.example.org", bucket: b } }',
      'schemes.x.s3.endpoint must be the URL of an S3 server such as https://s3.eu-central-1.amazonaws.com',
    ],
    [`{ s3: { ${BUCKET}, bukket: b } }`, 'unknown key schemes.x.s3.bukket; did you mean bucket?'],
    [
      `{ s3: { ${BUCKET}, credentials: { accessKeyId: a } } }`,
      'schemes.x.s3.credentials.secretAccessKey is missing; it is a secret key',
    ],
    [
      `{ s3: { ${BUCKET}, credentials: { profile: a } } }`,
      'schemes.x.s3.credentials.file is missing; it is the path of a file',
    ],
    [`{ s3: { ${BUCKET}, encryptionKey: k } }`, 'schemes.x.s3.encryptionKey has no effect without encryption'],
    [`{ folder: a, s3: { ${BUCKET} } }`, 'schemes.x must have a folder or s3, not both'],
    ['{}', 'schemes.x must say where its files are kept: it is a map with folder or s3'],
    [
      '{ folder: a, delivery: redirect }',
      'schemes.x.delivery is for schemes in an S3 bucket; files in a folder are streamed',
    ],
    ['{ folder: a, delivery: mail }', 'schemes.x.delivery must be stream or redirect, found "mail"'],
    [
      '{ folder: a, storeIn: publik }',
      'schemes.x.storeIn must be the name of a scheme, found "publik"; did you mean public?',
    ],
  ])('is refused: %s', (text, message) => {
    expect(problemsOf(`  x: ${text}`)).toEqual([`repository.yaml:2: ${message}`]);
  });

  it.each(['', 'prefix: a/b/'])('requires its own prefix: not %p beside a/', (prefix) => {
    const text = `  one: { s3: { ${BUCKET}, prefix: a/ } }\n  two: { s3: { ${BUCKET}, ${prefix} } }`;
    expect(problemsOf(text)).toEqual([
      'repository.yaml:3: schemes.two must have a bucket or prefix of its own, not that of one',
    ]);
  });

  it('may use another prefix of the same bucket', () => {
    const text = `  one: { s3: { ${BUCKET}, prefix: a/ } }\n  two: { s3: { ${BUCKET}, prefix: b/ } }`;
    expect(problemsOf(text)).toEqual([]);
  });

  it('shows no secret of the environment in errors', () => {
    const text = `  x: { s3: { ${BUCKET}, storageClass: ["\${SECRET}"], bucket: "\${SECRET}\\n" } }`;
    expect(problemsOf(text.replace(', bucket: files', ''), { SECRET: 'geheim' }).join()).not.toContain('geheim');
  });
});

describe('malformed credentials', () => {
  it.each([
    [
      '{ accessKeyId: 123456, secretAccessKey: "geheim\\x01", sessionToken: 987654 }',
      ['a number', 'a string', 'a number'],
    ],
    ['AKIA:geheim', ['a string']],
    ['[123456, geheim]', ['a list']],
  ])('are never shown: %s', (credentials, found) => {
    const problems = problemsOf(`  x: { s3: { ${BUCKET}, credentials: ${credentials} } }`);
    expect(problems.map((problem) => problem.split(', found ')[1])).toEqual(found);
    expect(problems.join()).not.toMatch(/geheim|123456|987654/);
  });
});

describe('a scheme that stores new files in another scheme', () => {
  it('keeps its folder for existing files', () => {
    const text = `  s3: { s3: { ${BUCKET} } }\n  public: { storeIn: s3 }`;
    expect(schemes(text).public).toEqual({
      name: 'public',
      driver: 'local',

      folder: 'files/public',
      storeIn: 's3',
    });
  });

  it('is refused if the other scheme stores its files elsewhere too', () => {
    const text = '  a: { folder: a, storeIn: b }\n  b: { folder: b, storeIn: public }';
    expect(problemsOf(text)).toEqual([
      'repository.yaml:2: schemes.a.storeIn must be a scheme that keeps its own files; those of b are kept in public',
    ]);
  });
});
