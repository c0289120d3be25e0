import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { copyFile, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { outcomeOf } from '../support/command-outcome.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { paste } from '../support/examples.ts';
import { EXECUTABLE, type ServerProcess, startServer } from '../support/server-process.ts';
import { ADMIN_PASSWORD, copyFirstStart } from '../support/test-repository.ts';
import { until } from '../support/until.ts';

let folder: string;
let executable: string;
const PASSWORD = ADMIN_PASSWORD;
const BARE = { PATH: '/nonexistent' };

beforeAll(async () => {
  folder = await emptyFolder();
  executable = join(folder, 'repo');
  await copyFile(EXECUTABLE, executable);
});

const start = (cwd: string, args: string[] = [], env: Record<string, string> = {}) =>
  startServer({ executable, cwd, args, env: { ...BARE, ...env } });

/** Returns a folder with the data of a first start. */
async function startedOnce(): Promise<string> {
  const cwd = await emptyFolder();
  await copyFirstStart(join(cwd, 'data'));
  return cwd;
}

async function repo(cwd: string, args: string[], env: Record<string, string> = {}, stdin = '') {
  const options = { cwd, env: { ...BARE, ...env }, stdin: Buffer.from(stdin) } as const;
  return outcomeOf(Bun.spawn([executable, ...args], { ...options, stdout: 'pipe', stderr: 'pipe' }));
}

const basic = (name: string, password: string) => ({ Authorization: `Basic ${btoa(`${name}:${password}`)}` });
const status = async (service: ServerProcess, path: string, headers: Record<string, string> = {}) =>
  (await fetch(`${service.url}/${path}`, { headers, keepalive: false })).status;

describe('the first start in an empty folder', () => {
  let cwd: string;
  let service: ServerProcess;
  let password: string;
  beforeAll(async () => {
    cwd = await emptyFolder();
    service = await start(cwd);
    await until(() => service.log.some((line) => String(line.msg).startsWith('ready at')));
    await until(() => service.text.some((line) => line.startsWith('Password:')));
    const line = service.text.find((each) => each.startsWith('Password:')) ?? '';
    password = (await readFile(/ in (\S+)/.exec(line)?.[1] ?? '', 'utf8')).trim();
  });
  afterAll(() => service.stop());

  it('prints the address and the administrator', async () => {
    expect(service.text.join('\n')).toContain(
      `Address:        http://localhost:${service.port}\nAdministrator:  admin\n`,
    );
    expect(password).toMatch(/^[a-z0-9]{5}(-[a-z0-9]{5}){4}$/);
    expect(await status(service, 'jwt/token', basic('admin', password))).toBe(200);
  });

  it('does not log or print the password', () => {
    expect(JSON.stringify([service.log, service.text])).not.toContain(password);
  });

  it('prints three commands that work when pasted', async () => {
    const commands = service.text.filter((line) => line.startsWith('  curl '));
    expect(commands).toHaveLength(3);
    const run = (command: string | undefined) =>
      paste(command ?? '', { cwd, port: service.port, path: process.env.PATH ?? '' });
    const created = await run(commands[0]);
    expect(JSON.parse(created.output)).toMatchObject({ nid: [{ value: 1 }], title: [{ value: 'My first object' }] });
    const uploaded = await run(commands[1]);
    expect(uploaded.output).toMatch(/^HTTP\/1\.1 201 /m);
    expect(uploaded.output).toMatch(/^location: http:\/\/localhost:\d+\/media\/1\r$/im);
    const read = await run(commands[2]);
    expect(read.output).toContain('"nid":[{"value":1}]');
    expect(read.output).toContain('"mid":[{"value":1}]');
    expect({ created, uploaded, read }).toMatchObject({
      created: { code: 0, errors: '' },
      uploaded: { code: 0, errors: '' },
      read: { code: 0, errors: '' },
    });
  });

  it('restricts access to keys, data folder and database', async () => {
    const mode = async (path: string) => ((await stat(join(cwd, 'data', path))).mode & 0o777).toString(8);
    expect(await readdir(cwd)).toEqual(['data']);
    for (const key of await readdir(join(cwd, 'data/keys')))
      expect({ key, mode: await mode(`keys/${key}`) }).toEqual({ key, mode: '600' });
    expect({ keys: await mode('keys'), data: await mode('.'), database: await mode('repository.db') }).toEqual({
      keys: '700',
      data: '750',
      database: '640',
    });
  });

  it('logs the missing programs in one line', () => {
    const line = service.log.find((entry) => entry.missing !== undefined);
    expect(line?.missing).toContain('convert');
    expect(service.log.filter((entry) => entry.missing !== undefined)).toHaveLength(1);
  });

  it('returns 405 to requests for the processor', async () => {
    const response = await fetch(service.url, { method: 'POST', body: 'x', headers: { 'Content-Type': 'text/plain' } });
    expect(response.status).toBe(405);
  });
});

describe('a weak REPO_ADMIN_PASSWORD', () => {
  it('is accepted with a warning that does not contain it', async () => {
    const cwd = await emptyFolder();
    const server = await start(cwd, [], { REPO_ADMIN_PASSWORD: '1qaz2wsx3edc' });
    expect(await status(server, 'jwt/token', basic('admin', '1qaz2wsx3edc'))).toBe(200);
    const warnings = server.log.filter(({ level }) => level === 'warn').map(({ msg }) => msg);
    expect(warnings).toContain(
      'REPO_ADMIN_PASSWORD is weak, change it. The password is one of the most common ones. Choose another one.',
    );
    expect(JSON.stringify(server.log)).not.toContain('1qaz2wsx3edc');
    await server.stop();
    const second = await start(cwd, [], { REPO_ADMIN_PASSWORD: 'short' });
    expect(second.log.filter(({ msg }) => String(msg).startsWith('REPO_ADMIN_PASSWORD'))).toEqual([]);
    await second.stop();
  });
});

describe('a later start', () => {
  it('prints no password, and keeps the first one', async () => {
    const cwd = await emptyFolder();
    const first = await start(cwd, [], { REPO_ADMIN_PASSWORD: PASSWORD });
    await until(() => first.text.length > 0);
    expect(first.text.join('\n')).toContain('the value of REPO_ADMIN_PASSWORD');
    expect(first.text.join('\n') + JSON.stringify(first.log)).not.toContain(PASSWORD);
    expect(await first.stop()).toBe(0);
    const second = await start(cwd, [], { REPO_ADMIN_PASSWORD: 'another one' });
    expect(await status(second, 'jwt/token', basic('admin', PASSWORD))).toBe(200);
    expect(second.text).toEqual([]);
    expect(await second.stop()).toBe(0);
  });

  it('leaves an empty write-ahead log when it stops', async () => {
    const cwd = await startedOnce();
    await (await start(cwd)).stop();
    expect((await stat(join(cwd, 'data/repository.db-wal')).catch(() => ({ size: 0 }))).size).toBe(0);
  });

  it('may be a second process on the same data', async () => {
    const cwd = await startedOnce();
    const [one, other] = await Promise.all([start(cwd), start(cwd)]);
    const headers = { ...basic('admin', PASSWORD), 'Content-Type': 'application/json' };
    const term = async () => {
      const response = await fetch(`${one.url}/term_from_term_name?_format=json&vocab=islandora_models&name=Image`, {
        headers,
      });
      return ((await response.json()) as { tid: { value: number }[] }[])[0]?.tid[0]?.value;
    };
    const body = JSON.stringify({
      type: [{ target_id: 'islandora_object' }],
      title: [{ value: 'Of two processes' }],
      field_model: [{ target_id: await term() }],
    });
    const posts = Array.from({ length: 20 }, (_, index) =>
      fetch(`${(index % 2 ? one : other).url}/node?_format=json`, { method: 'POST', headers, body }),
    );
    expect(new Set((await Promise.all(posts)).map((response) => response.status))).toEqual(new Set([201]));
    for (const service of [one, other]) expect(await status(service, 'node/20?_format=json')).toBe(200);
    expect(await Promise.all([one.stop(), other.stop()])).toEqual([0, 0]);
  });
});

describe('a command beside a running repository', () => {
  let cwd: string;
  let service: ServerProcess;
  beforeAll(async () => {
    cwd = await startedOnce();
    service = await start(cwd);
  });
  afterAll(() => service.stop());
  const signsIn = async (name: string, password: string) =>
    (await status(service, 'jwt/token', basic(name, password))) === 200;

  it('adds a user with a generated password', async () => {
    const { code, out } = await repo(cwd, [
      'user',
      'add',
      'jane',
      '--mail',
      'jane@example.org',
      '--role',
      'content_editor',
    ]);
    expect(code).toBe(0);
    const [, file = ''] = /^Added jane, user \d+\.\nPassword: in (\S+) {3}\(delete that file .*\)\n$/.exec(out) ?? [];
    expect(await signsIn('jane', (await readFile(file, 'utf8')).trim())).toBe(true);
    expect((await repo(cwd, ['user', 'list'])).out).toMatch(/^\d+\tjane\tactive\tjane@example\.org\tcontent_editor$/m);
  });

  it('reads a password with blanks from standard input, and changes it', async () => {
    const added = await repo(cwd, ['user', 'add', 'joe', '--password-stdin'], {}, ' with blanks \nnot this');
    expect(added).toMatchObject({ code: 0, out: expect.stringMatching(/^Added joe, user \d+\.\n$/), err: '' });
    expect(await signsIn('joe', ' with blanks ')).toBe(true);
    const changed = await repo(cwd, ['user', 'passwd', 'joe', '--password-stdin'], {}, 'new');
    expect(changed).toEqual({
      code: 0,
      out: 'Changed the password of joe.\n',
      err: 'warning: The password must have at least 10 characters.\n',
    });
    expect({ old: await signsIn('joe', ' with blanks '), new: await signsIn('joe', 'new') }).toEqual({
      old: false,
      new: true,
    });
  });

  it('blocks and unblocks a user with effect on the next request', async () => {
    await repo(cwd, ['user', 'add', 'kim', '--password-stdin'], {}, 'kim');
    expect(await signsIn('kim', 'kim')).toBe(true);
    expect(await repo(cwd, ['user', 'block', 'kim'])).toEqual({ code: 0, out: 'Blocked kim.\n', err: '' });
    expect(await signsIn('kim', 'kim')).toBe(false);
    expect((await repo(cwd, ['token', 'kim'])).err).toBe('kim is blocked: the server would reject the token.\n');
    await repo(cwd, ['user', 'unblock', 'kim']);
    expect(await signsIn('kim', 'kim')).toBe(true);
  });

  it('adds and removes a role with effect on the next request', async () => {
    await repo(cwd, ['user', 'add', 'lee', '--password-stdin'], {}, 'lee');
    const post = async () => {
      const body = JSON.stringify({ vid: [{ target_id: 'tags' }], name: [{ value: 'new' }] });
      const headers = { ...basic('lee', 'lee'), 'Content-Type': 'application/json' };
      return (await fetch(`${service.url}/taxonomy/term?_format=json`, { method: 'POST', headers, body })).status;
    };
    expect(await post()).toBe(403);
    const given = await repo(cwd, ['user', 'role', 'lee', 'add', 'content_editor']);
    expect(given).toEqual({ code: 0, out: 'Roles of lee: content_editor\n', err: '' });
    expect(await post()).toBe(201);
    await repo(cwd, ['user', 'role', 'lee', 'remove', 'content_editor']);
    expect(await post()).toBe(403);
  });

  it('prints a token with the requested lifetime', async () => {
    const { code, out } = await repo(cwd, ['token', 'admin', '--expires', '30m']);
    expect(code).toBe(0);
    const token = out.trim();
    const { iat, exp } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    expect(exp - iat).toBe(1800);
    expect(await status(service, 'node/1?_format=json', { Authorization: `Bearer ${token}` })).toBe(404);
    expect(await status(service, 'node/1?_format=json', { Authorization: `Bearer ${token}x` })).toBe(401);
  });

  const issuerOf = async (args: string[], env: Record<string, string> = {}) => {
    const { code, out, err } = await repo(cwd, ['token', 'admin', ...args], env);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    return JSON.parse(Buffer.from(out.split('.')[1] ?? '', 'base64url').toString()).iss;
  };

  it('issues a token for the server that options, environment and configuration describe', async () => {
    const config = join(cwd, 'named.yaml');
    await Bun.write(config, 'port: 8123\nhost: 192.0.2.7\n');
    const site = join(cwd, 'site.yaml');
    await Bun.write(site, 'baseUrl: https://repository.example.org/archive\nport: 8123\n');
    expect(await issuerOf([])).toBe('http://localhost:8000');
    expect(await issuerOf(['--port', '9001'])).toBe('http://localhost:9001');
    expect(await issuerOf(['--port', '80'])).toBe('http://localhost');
    expect(await issuerOf(['--base-url', 'https://repository.example.org/'])).toBe('https://repository.example.org');
    expect(await issuerOf([], { REPO_PORT: '9002' })).toBe('http://localhost:9002');
    expect(await issuerOf(['--config', config, '--data', 'data'])).toBe('http://192.0.2.7:8123');
    expect(await issuerOf(['--config', config, '--data', 'data', '--port', '9003', '--host', '::1'])).toBe(
      'http://[::1]:9003',
    );
    expect(await issuerOf(['--config', site, '--data', 'data'])).toBe('https://repository.example.org/archive');
  });

  it('shows the address of the server in the help of repo token', async () => {
    const example = async (args: string[], env: Record<string, string> = {}) =>
      /'(http\S+)\/node\/1\?_format=json'/.exec((await repo(cwd, ['token', ...args, '--help'], env)).out)?.[1];
    expect(await example([])).toBe('http://localhost:8000');
    expect(await example(['--port', '9001'])).toBe('http://localhost:9001');
    expect(await example([], { REPO_BASE_URL: 'https://repository.example.org' })).toBe(
      'https://repository.example.org',
    );
  });

  it('shows settings, and changes one with effect on the next request', async () => {
    const ask = async () => {
      const headers = basic('admin', PASSWORD);
      const response = await fetch(`${service.url}/admin/config/islandora/core?_format=json`, { headers });
      return ((await response.json()) as { allow_header_links: unknown }).allow_header_links;
    };
    expect((await repo(cwd, ['setting', 'list'])).out).toMatch(/^allow_header_links\ttrue\tdefault\t\S.*\.$/m);
    expect(await ask()).toEqual([{ value: true }]);
    const changed = await repo(cwd, ['setting', 'set', 'allow_header_links', '0']);
    expect(changed).toEqual({ code: 0, out: 'Set allow_header_links to false.\n', err: '' });
    expect(await ask()).toEqual([{ value: false }]);
    expect(await repo(cwd, ['setting', 'get', 'allow_header_links'])).toEqual({ code: 0, out: 'false\n', err: '' });
    expect((await repo(cwd, ['setting', 'list'])).out).toMatch(/^allow_header_links\tfalse\tchanged\t/m);
    await repo(cwd, ['setting', 'set', 'allow_header_links', 'true']);
    expect(await ask()).toEqual([{ value: true }]);
  });

  it('reports that the database is up to date', async () => {
    expect(await repo(cwd, ['migrate'])).toEqual({ code: 0, out: 'The database in ./data is up to date.\n', err: '' });
  });

  it.each([
    [['user', 'add', 'admin'], 'The user name admin is already in use.'],
    [['user', 'add', 'a:b'], 'A user name must not contain a colon or control characters.'],
    [
      ['user', 'add', 'zoe', '--mail', 'zoe'],
      'zoe is not a valid mail address. Expected one such as name@example.org.',
    ],
    [['user', 'add', 'zoe', '--role', 'content_editer'], 'Did you mean content_editor?'],
    [['user', 'passwd', 'admim'], 'Unknown user admim; did you mean admin?'],
    [['user', 'block', 'Anonymous'], 'Unknown user Anonymous'],
    [
      ['user', 'role', 'admin', 'remove', 'content_editor'],
      'admin does not have the role content_editor, but the roles administrator.',
    ],
    [['user', 'list', '--data', '/nowhere'], 'There is no repository in /nowhere'],
    [['setting', 'list', '--data', '/nowhere'], 'There is no repository in /nowhere'],
    [['setting', 'get', 'allow_header_link'], 'Unknown setting allow_header_link; did you mean allow_header_links?'],
    [['setting', 'set', 'links', 'true'], 'Unknown setting links; list all settings with: repo setting list'],
    [['setting', 'get', '__proto__'], 'Unknown setting __proto__; list all settings with: repo setting list'],
    [
      ['setting', 'set', 'allow_header_links', 'maybe'],
      'The setting allow_header_links must be true or false, not "maybe".',
    ],
    [['setting', 'set', 'allow_header_links', ''], 'The setting allow_header_links must be true or false, not "".'],
    [['token', 'nobody-by-this-name'], 'list all users with: repo user list'],
    [['migrate', '--data', '/nowhere'], 'name its folder with --data or REPO_DATA'],
  ])('rejects %j with a one-sentence error', async (args, message) => {
    const { code, out, err } = await repo(cwd, args);
    expect(err).toContain(message);
    expect({ code, out, lines: err.trim().split('\n').length }).toEqual({ code: 1, out: '', lines: 1 });
  });

  it('rejects an empty password', async () => {
    const { code, err } = await repo(cwd, ['user', 'add', 'zoe', '--password-stdin'], {}, '\n');
    expect({ code, err }).toEqual({ code: 1, err: 'The password must not be empty.\n' });
  });

  it('creates no repository', async () => {
    const empty = await emptyFolder();
    await repo(empty, ['user', 'list']);
    expect(await readdir(empty)).toEqual([]);
  });
});
