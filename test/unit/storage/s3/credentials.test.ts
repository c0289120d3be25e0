import { afterAll, afterEach, beforeAll, describe, expect, it, setSystemTime } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServiceError } from '../../../../src/base/errors.ts';
import { createCredentials, parseProfiles } from '../../../../src/storage/s3/credentials.ts';
import { serviceError } from '../../../support/service-error.ts';

const HOUR_MS = 3_600_000;
const fromEnvironment = (variables: Record<string, string>) =>
  createCredentials({ from: 'environment' }, (name) => variables[name]);
const causeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'it did not fail',
    (error: ServiceError) => (error.cause as Error).message,
  );
const advance = (ms: number) => setSystemTime(new Date(Date.now() + ms));
afterEach(() => void setSystemTime());

describe('credentials of the environment', () => {
  it('are the three variables', async () => {
    const source = fromEnvironment({ AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', AWS_SESSION_TOKEN: 'c' });
    const keys = await source();
    expect(keys).toEqual({ accessKeyId: 'a', secretAccessKey: 'b', sessionToken: 'c' });
    advance(100 * 24 * HOUR_MS);
    expect(await source()).toEqual(keys);
  });

  it.each([
    [{ AWS_ACCESS_KEY_ID: 'a' }, 'AWS_SECRET_ACCESS_KEY is not set'],
    [{ AWS_SECRET_ACCESS_KEY: 'hidden' }, 'AWS_ACCESS_KEY_ID is not set'],
    [{ AWS_EC2_METADATA_DISABLED: 'true' }, 'there are no credentials: set AWS_ACCESS_KEY_ID'],
  ])('report missing variables (%p)', async (variables, said) => {
    const get = fromEnvironment(variables as Record<string, string>)();
    await expect(get).rejects.toThrow(serviceError('storage-failed', /cannot be used/));
    const cause = await causeOf(get);
    expect(cause).toContain(said);
    expect(cause).not.toContain('hidden');
  });
});

describe('credentials of a file', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'repo-credentials-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = (text: string) => {
    const path = join(folder, Bun.randomUUIDv7());
    writeFileSync(path, text);
    return path;
  };
  const open = (path: string, profile = 'default') =>
    createCredentials({ from: 'file', file: path, profile }, () => undefined);

  it('are those of a profile', async () => {
    const path = file(
      '\uFEFF# comment\r\n[default]\r\naws_access_key_id=one\r\naws_secret_access_key = a/b+c==\r\n\r\n' +
        '[ archive ]\n; another\naws_access_key_id = two\naws_secret_access_key = s\naws_session_token = t = u \n',
    );
    expect(await open(path)()).toEqual({ accessKeyId: 'one', secretAccessKey: 'a/b+c==' });
    expect(await open(path, 'archive')()).toEqual({
      accessKeyId: 'two',
      secretAccessKey: 's',
      sessionToken: 't = u',
    });
  });

  it('are read again after some seconds', async () => {
    const path = file('[default]\naws_access_key_id=one\naws_secret_access_key=s\n');
    const source = open(path);
    const first = await source();
    writeFileSync(path, '[default]\naws_access_key_id=two\naws_secret_access_key=s\n');
    expect(await source()).toEqual(first);
    advance(10_000);
    expect((await source()).accessKeyId).toBe('two');
  });

  it.each([
    ['', 'has no profile [default]'],
    ['[other]\naws_access_key_id=a\n', 'has no profile [default]'],
    ['[default]\naws_secret_access_key=hidden\n', 'has no aws_access_key_id'],
    ['[default]\naws_access_key_id=a\naws_secret_access_key=\n', 'has no aws_secret_access_key'],
  ])('report an invalid file (%p)', async (text, said) => {
    const cause = await causeOf(open(file(text))());
    expect(cause).toContain(said);
    expect(cause).not.toContain('hidden');
  });

  it('report a missing file', async () => {
    expect(await causeOf(open(join(folder, 'none'))())).toMatch(/none cannot be read \(ENOENT\)/);
  });

  it('ignore lines of other tools', () => {
    expect(parseProfiles('region = x\n[profile dev]\nREGION=eu\nnonsense\n= y\n').get('dev')).toEqual(
      new Map([['region', 'eu']]),
    );
  });
});

describe('credentials of a role', () => {
  const asked: { path: string; method: string; headers: Headers }[] = [];
  let answers: (path: string) => Response;
  let host: string;
  let server: ReturnType<typeof Bun.serve>;
  beforeAll(() => {
    server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch(request) {
        const path = new URL(request.url).pathname;
        asked.push({ path, method: request.method, headers: request.headers });
        return answers(path);
      },
    });
    host = `http://127.0.0.1:${server.port}`;
  });
  afterAll(() => server.stop(true));
  afterEach(() => {
    asked.splice(0);
    delete process.env.AWS_EC2_METADATA_SERVICE_ENDPOINT;
  });
  const role = (id: string, hours: number) =>
    Response.json({
      AccessKeyId: id,
      SecretAccessKey: 'hidden',
      Token: 'token',
      Expiration: new Date(Date.now() + hours * HOUR_MS).toISOString(),
    });

  it("come from a container's address, and are renewed before they expire", async () => {
    let id = 'one';
    const one = { accessKeyId: 'one', secretAccessKey: 'hidden', sessionToken: 'token' };
    answers = () => role(id, 6);
    const source = fromEnvironment({
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `${host}/creds`,
      AWS_CONTAINER_AUTHORIZATION_TOKEN: 'Basic x',
    });
    expect(await Promise.all([source(), source()])).toMatchObject([one, one]);
    id = 'two';
    advance(5 * HOUR_MS);
    expect((await source()).accessKeyId).toBe('one');
    expect(asked.map(({ path, headers }) => [path, headers.get('authorization')])).toEqual([['/creds', 'Basic x']]);
    advance(0.95 * HOUR_MS);
    expect((await source()).accessKeyId).toBe('two');
  });

  it('are used until they expire while new ones are unavailable', async () => {
    answers = () => role('one', 1);
    const source = fromEnvironment({ AWS_CONTAINER_CREDENTIALS_FULL_URI: `${host}/creds` });
    await source();
    answers = () => new Response('away', { status: 503 });
    advance(0.95 * HOUR_MS);
    expect((await source()).accessKeyId).toBe('one');
    expect((await source()).accessKeyId).toBe('one');
    expect(asked).toHaveLength(2);
    advance(0.1 * HOUR_MS);
    await expect(source()).rejects.toThrow(serviceError('unavailable', /does not answer/));
    answers = () => role('two', 1);
    await expect(source()).rejects.toThrow(serviceError('unavailable', /does not answer/));
    advance(10_000);
    expect((await source()).accessKeyId).toBe('two');
  });

  it("come from a machine's metadata service, with a token", async () => {
    answers = (path) => {
      if (path === '/latest/api/token') return new Response('secret-token');
      if (path.endsWith('/security-credentials/')) return new Response('archive-role\n');
      return role('machine', 6);
    };
    // The SDK reads this variable itself.
    process.env.AWS_EC2_METADATA_SERVICE_ENDPOINT = `${host}/`;
    const source = fromEnvironment({});
    expect((await source()).accessKeyId).toBe('machine');
    expect(asked.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'PUT /latest/api/token',
      'GET /latest/meta-data/iam/security-credentials/',
      'GET /latest/meta-data/iam/security-credentials/archive-role',
    ]);
    expect(asked[2]?.headers.get('x-aws-ec2-metadata-token')).toBe('secret-token');
  });

  it.each([
    ['no JSON', '{"SecretAccessKey":"hidden"'],
    ['no key', '{"SecretAccessKey":"hidden"}'],
    ['an invalid date', '{"AccessKeyId":"a","SecretAccessKey":"hidden","Expiration":"soon"}'],
  ])('are refused if they are %s', async (_, text) => {
    answers = () => new Response(text);
    const cause = await causeOf(fromEnvironment({ AWS_CONTAINER_CREDENTIALS_FULL_URI: `${host}/creds` })());
    expect(cause).toContain('no credentials from');
    expect(cause).not.toContain('hidden');
  });

  it('are missing on a machine without a role or a token', async () => {
    process.env.AWS_EC2_METADATA_SERVICE_ENDPOINT = host;
    for (const refused of ['/latest/api/token', '/latest/meta-data/iam/security-credentials/']) {
      answers = (path) => (path === refused ? new Response('no', { status: 404 }) : new Response('secret-token'));
      const get = fromEnvironment({})();
      await expect(get).rejects.toThrow(serviceError('storage-failed', /cannot be used/));
      expect(await causeOf(get)).not.toContain('secret-token');
    }
  });

  it('are missing without a metadata service', async () => {
    process.env.AWS_EC2_METADATA_SERVICE_ENDPOINT = 'http://127.0.0.1:1';
    const get = fromEnvironment({})();
    await expect(get).rejects.toThrow(serviceError('storage-failed', /cannot be used/));
    expect(await causeOf(get)).toContain('there are no credentials: set AWS_ACCESS_KEY_ID');
  });

  it('are missing if the address refuses the request', async () => {
    answers = () => new Response('no', { status: 404 });
    const get = fromEnvironment({ AWS_CONTAINER_CREDENTIALS_FULL_URI: `${host}/creds` })();
    await expect(get).rejects.toThrow(serviceError('storage-failed', /cannot be used/));
  });
});
