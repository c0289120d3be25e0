import { describe, expect, it } from 'bun:test';
import { ConfigError, parseYamlText } from '../../../src/base/yaml-file.ts';
import { configFrom, loadServerConfig } from '../../../src/config/load-server-config.ts';
import { DEFAULT_SERVER_CONFIG } from '../../../src/config/server-config.ts';
import type { Setting } from '../../../src/config/setting.ts';
import { SETTINGS } from '../../../src/config/settings.ts';

const parse = (text: string, env: Record<string, string> = {}) =>
  configFrom(parseYamlText('repository.yaml', text, (name) => env[name]));

function problemsOf(text: string, env: Record<string, string> = {}): readonly string[] {
  try {
    parse(text, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('a server configuration', () => {
  it('uses the defaults for an empty file', () => expect(parse('')).toEqual(DEFAULT_SERVER_CONFIG));

  it('accepts every key', () => {
    const text = `
data: /srv/repository
host: 127.0.0.1
port: 80
workers: 3
database:
  url: libsql://db.example.org
  authToken: geheim
baseUrl: https://repository.example.org/base/
trustedProxies: [10.0.0.0/8, "::1"]
siteName: Museum
model: model.yaml
schemes:
  public: { folder: /srv/public }
  archive: { folder: archive }
maxJsonBytes: 1000
maxUploadBytes: 2000
tokenExpiry: 30m
hsts: { maxAge: 180d, includeSubDomains: true }
sessions: { idleLimit: 1h, absoluteLimit: 2d }
derivatives:
  rules: rules.yaml
  processors: ["http://processor:8080", "https://processor.example.org/convert"]
  maxConcurrent: 3
  maxAttempts: 7
processor: cmds.yaml
processorPort: 8080
`;
    expect(parse(text)).toEqual({
      ...DEFAULT_SERVER_CONFIG,
      dataFolder: '/srv/repository',
      host: '127.0.0.1',
      port: 80,
      workers: 3,
      database: { url: 'libsql://db.example.org', authToken: 'geheim', syncUrl: undefined },
      baseUrl: 'https://repository.example.org/base',
      trustedProxies: ['10.0.0.0/8', '::1'],
      siteName: 'Museum',
      modelFile: 'model.yaml',
      schemes: [
        { name: 'public', driver: 'local', folder: '/srv/public', storeIn: undefined },
        { name: 'private', driver: 'local', folder: 'files/private', storeIn: undefined },
        { name: 'fedora', driver: 'local', folder: 'files/fedora', storeIn: undefined },
        { name: 'archive', driver: 'local', folder: 'archive', storeIn: undefined },
      ],
      obsoleteSettings: [],
      maxJsonBytes: 1000,
      maxUploadBytes: 2000,
      tokenExpirySeconds: 1800,
      hsts: { maxAgeSeconds: 180 * 86_400, includesSubDomains: true },
      sessions: { idleLimitSeconds: 3_600, absoluteLimitSeconds: 172_800 },
      derivatives: {
        rulesFile: 'rules.yaml',
        processors: ['http://processor:8080/', 'https://processor.example.org/convert'],
        maxConcurrent: 3,
        maxAttempts: 7,
      },
      processorFile: 'cmds.yaml',
      processorPort: 8080,
    });
  });

  it('accepts the access of a scheme, and reports it as obsolete', () => {
    expect(parse('schemes: { archive: { folder: a, access: private }, public: { storeIn: archive } }')).toMatchObject({
      obsoleteSettings: [
        'schemes.archive.access has no effect: a file is read by those who may view what refers to it',
      ],
    });
  });

  it('uses defaults for missing keys of derivatives', () => {
    expect(parse('derivatives: { rules: rules.yaml }')).toEqual({
      ...DEFAULT_SERVER_CONFIG,
      derivatives: { ...DEFAULT_SERVER_CONFIG.derivatives, rulesFile: 'rules.yaml' },
    });
    expect(parse('derivatives: {}')).toEqual(DEFAULT_SERVER_CONFIG);
  });

  it('reads numbers from the environment', () => {
    expect(parse('port: ${PORT}\ntokenExpiry: ${EXPIRY}\n', { PORT: '81', EXPIRY: '60' })).toEqual({
      ...DEFAULT_SERVER_CONFIG,
      port: 81,
      tokenExpirySeconds: 60,
    });
  });

  it('accepts TLS, which the command line overrides', async () => {
    expect(parse('tls: { cert: a, key: b, redirectPort: 80 }')).toEqual({
      ...DEFAULT_SERVER_CONFIG,
      tls: { cert: 'a', key: 'b' },
      redirectPort: 80,
    });
    const overrides = new Map<Setting, unknown>([
      [SETTINGS.tls.cert, 'c'],
      [SETTINGS.tls.key, 'd'],
      [SETTINGS.redirectPort, 81],
    ]);
    expect(await loadServerConfig(undefined, overrides)).toMatchObject({
      tls: { cert: 'c', key: 'd' },
      redirectPort: 81,
    });
  });

  it('normalises the origins of other sites', () => {
    expect(parse('cors: { origins: ["https://Viewer.example.org:443", "http://localhost:3000"] }')).toEqual({
      ...DEFAULT_SERVER_CONFIG,
      cors: {
        origins: ['https://viewer.example.org', 'http://localhost:3000'],
        methods: ['GET', 'HEAD'],
        credentials: false,
      },
    });
    expect(parse('cors: { methods: [GET, POST], credentials: true }')).toEqual({
      ...DEFAULT_SERVER_CONFIG,
      cors: { origins: [], methods: ['GET', 'POST'], credentials: true },
    });
  });

  it('rejects a redirect to https without TLS', async () => {
    await expect(loadServerConfig(undefined, new Map([[SETTINGS.redirectPort, 80]]))).rejects.toThrow(
      'needs a certificate',
    );
  });

  it('is overridden by the command line, and overrides the defaults', async () => {
    expect(await loadServerConfig(undefined, new Map([[SETTINGS.port, 9]]))).toEqual({
      ...DEFAULT_SERVER_CONFIG,
      port: 9,
    });
  });

  it.each([
    ['prot: 80', 'unknown key prot; did you mean port?'],
    ['tls: { cert: a }', 'tls.key is missing; it is the path of a file'],
    ['cors: { origin: [] }', 'unknown key cors.origin; did you mean origins?'],
    ['cors: { origins: ["*"] }', 'cors.origins.0 must be an origin such as https://viewer.example.org, found "*"'],
    [
      'cors: { origins: ["https://a.example/"] }',
      'cors.origins.0 must be an origin such as https://viewer.example.org, found "https://a.example/"',
    ],
    ['cors: { methods: [TRACE] }', 'cors.methods.0 must be one of GET, HEAD, POST, PUT, PATCH, DELETE, found "TRACE"'],
    ['cors: { credentials: 1 }', 'cors.credentials must be true or false, found 1'],
    ['port: 65536', 'port must be a port: a number from 0 to 65535, found 65536'],
    ['port: "80"', 'port must be a port: a number from 0 to 65535, found "80"'],
    ['data: ""', 'data must be the path of a folder, found ""'],
    ['siteName: "a\\nb"', 'siteName must be text for people to read, in one line, found "a\nb"'],
    [
      'baseUrl: ftp://example.org',
      'baseUrl must be a URL such as https://repository.example.org, found "ftp://example.org"',
    ],
    [
      'baseUrl: https://a:b@example.org',
      'baseUrl must be a URL such as https://repository.example.org, found "https://a:b@example.org"',
    ],
    ['trustedProxies: 127.0.0.1', 'trustedProxies must be a list of addresses and ranges, found "127.0.0.1"'],
    [
      'trustedProxies: [localhost]',
      'trustedProxies.0 must be an address or a range such as 10.0.0.0/8 or fd00::/8, found "localhost"',
    ],
    ['maxJsonBytes: 0', 'maxJsonBytes must be a whole number of bytes, found 0'],
    ['maxUploadBytes: 1.5', 'maxUploadBytes must be a whole number of bytes, found 1.5'],
    [
      'tokenExpiry: soon',
      'tokenExpiry must be a time such as 30m, 2h or 7d, or a number of seconds, from 1 s to 366d, found "soon"',
    ],
    [
      'tokenExpiry: 400d',
      'tokenExpiry must be a time such as 30m, 2h or 7d, or a number of seconds, from 1 s to 366d, found "400d"',
    ],
    ['workers: 0', 'workers must be a whole number from 1 to 256, or auto, found 0'],
    ['workers: many', 'workers must be a whole number from 1 to 256, or auto, found "many"'],
    ['schemes: [public]', 'schemes must be a map of names to folder or s3, found a list'],
    [
      'schemes: { archive: { folder: a, access: open } }',
      'schemes.archive.access must be public or private, found "open"',
    ],
    ['schemes: { archive: { foldr: a } }', 'unknown key schemes.archive.foldr; did you mean folder?'],
    [
      'schemes: { archive: { folder: files/public } }',
      'schemes.archive must have a folder of its own, not that of public',
    ],
    [
      'schemes: { https: { folder: a } }',
      'schemes.https: a scheme is called by lower-case letters, digits, - and _, and not as one of the web',
    ],
    [
      'schemes: { "a/b": { folder: a } }',
      'schemes."a/b": a scheme is called by lower-case letters, digits, - and _, and not as one of the web',
    ],
    [
      'derivatives: rules.yaml',
      'derivatives must be a map with rules, processors, maxConcurrent and maxAttempts, found "rules.yaml"',
    ],
    ['derivatives: { maxAttempt: 1 }', 'unknown key derivatives.maxAttempt; did you mean maxAttempts?'],
    ['derivatives: { rules: "" }', 'derivatives.rules must be the path of a file, found ""'],
    ['derivatives: { maxAttempts: 0 }', 'derivatives.maxAttempts must be a whole number from 1 to 100, found 0'],
    ['derivatives: { maxAttempts: 101 }', 'derivatives.maxAttempts must be a whole number from 1 to 100, found 101'],
    [
      'derivatives: { maxConcurrent: 0.5 }',
      'derivatives.maxConcurrent must be a whole number from 1 to 1000, found 0.5',
    ],
    ['derivatives: { processors: "http://a" }', 'derivatives.processors must be a list of URLs, found "http://a"'],
    [
      'derivatives: { processors: ["http://a", "ftp://b"] }',
      'derivatives.processors.1 must be an http or https URL without user name and password, such as http://processor:8080/, found "ftp://b"',
    ],
    [
      'derivatives: { processors: ["http://me:secret@a"] }',
      'derivatives.processors.0 must be an http or https URL without user name and password, such as http://processor:8080/',
    ],
  ])('is refused: %s', (text, message) => {
    expect(problemsOf(`# a line of comment\n${text}\n`)).toContain(`repository.yaml:2: ${message}`);
  });

  it('reports all errors at once, each with its line', () => {
    expect(problemsOf('port: x\n\nbaseUrl: x\ntrustedProxies: [x]\n')).toHaveLength(3);
  });

  it('is refused if it is not a map', () => {
    expect(problemsOf('- port')).toEqual([
      'repository.yaml:1: the file must be a map of configuration keys, found a list',
    ]);
  });

  it('shows no value of the environment in errors', () => {
    expect(problemsOf('baseUrl: ${SECRET}\n', { SECRET: 'geheim' })[0]).toEndWith('found "${SECRET}"');
  });
});
