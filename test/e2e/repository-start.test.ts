import { beforeAll, describe, expect, it } from 'bun:test';
import { chmod, copyFile, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { outcomeOf } from '../support/command-outcome.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { freePort } from '../support/free-port.ts';
import { pause } from '../support/pause.ts';
import { EXECUTABLE, startServer } from '../support/server-process.ts';
import { unfinishedUploads } from '../support/unfinished-uploads.ts';
import { until } from '../support/until.ts';

let folder: string;
let executable: string;
const PASSWORD = 'correct horse battery staple';
const BARE = { PATH: '/nonexistent' };

beforeAll(async () => {
  folder = await emptyFolder();
  executable = join(folder, 'repo');
  await copyFile(EXECUTABLE, executable);
});

const start = (cwd: string, args: string[] = [], env: Record<string, string> = {}) =>
  startServer({ executable, cwd, args, env: { ...BARE, ...env } });

async function repo(cwd: string, args: string[], env: Record<string, string> = {}, stdin = '') {
  const options = { cwd, env: { ...BARE, ...env }, stdin: Buffer.from(stdin) } as const;
  return outcomeOf(Bun.spawn([executable, ...args], { ...options, stdout: 'pipe', stderr: 'pipe' }));
}

const basic = (name: string, password: string) => ({ Authorization: `Basic ${btoa(`${name}:${password}`)}` });

describe('a failing start', () => {
  const serve = async (cwd: string, args: string[] = [], env: Record<string, string> = {}) => {
    const port = String(await freePort());
    const { code, out, err } = await repo(cwd, ['serve', '--port', port, '--log-level', 'error', ...args], env);
    expect(err).not.toMatch(/^\s+at |\/\$bunfs/m);
    return { code, out, err };
  };

  it('names a port in use, and leaves the password to the next start', async () => {
    const [cwd, other] = [await emptyFolder(), await emptyFolder()];
    const taken = await start(other);
    const { code, out, err } = await repo(cwd, ['serve', '--log-level', 'error'], { REPO_PORT: String(taken.port) });
    expect({ code, out, err }).toEqual({
      code: 1,
      out: '',
      err: `Port ${taken.port} is in use already: choose another with --port.\n`,
    });
    await taken.stop();
    const next = await start(cwd);
    await until(() => next.text.some((line) => line.startsWith('Password:')));
    await next.stop();
  });

  it('names a data folder that is a file', async () => {
    const cwd = await emptyFolder();
    await writeFile(join(cwd, 'data'), '');
    expect(await serve(cwd)).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(/^\S*data.* cannot be used: .*\.\n$/),
    });
  });

  it('names a file that is no database', async () => {
    const cwd = await emptyFolder();
    await mkdir(join(cwd, 'data'));
    await writeFile(
      join(cwd, 'data/repository.db'),
      'this is no database, and long enough to be looked at'.repeat(100),
    );
    const { code, err } = await serve(cwd);
    expect(code).toBe(1);
    expect(err).toMatch(/^The database \S+repository\.db cannot be used: it is damaged, or not a database\. .*\n$/);
  });

  it('names a key that others may read', async () => {
    const cwd = await emptyFolder();
    await (await start(cwd)).stop();
    await chmod(join(cwd, 'data/keys/jwt-rsa.pem'), 0o644);
    const { code, err } = await serve(cwd);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('others may read this secret (mode 644)') });
  });

  it('names a field with data that the model no longer has, which migrate --drop-fields drops', async () => {
    const cwd = await emptyFolder();
    const model = join(cwd, 'model.yaml');
    const field = 'node_types: { page: { fields: { field_shelf: { type: string, label: Shelf } } } }\n';
    await writeFile(model, field);
    const service = await start(cwd, ['--model', model], { REPO_ADMIN_PASSWORD: PASSWORD });
    const body = JSON.stringify({
      type: [{ target_id: 'page' }],
      title: [{ value: 'x' }],
      field_shelf: [{ value: 'A 3' }],
    });
    const headers = { ...basic('admin', PASSWORD), 'Content-Type': 'application/json' };
    expect((await fetch(`${service.url}/node?_format=json`, { method: 'POST', headers, body })).status).toBe(201);
    await service.stop();
    const { code, err } = await serve(cwd);
    expect(code).toBe(1);
    expect(err).toContain('node.page.field_shelf is no longer in the model; it holds values in 1 entity\n');
    expect(await repo(cwd, ['migrate', '--drop-fields'])).toMatchObject({ code: 0, err: '' });
    await (await start(cwd)).stop();
  });

  it('names a missing scheme that a field requires', async () => {
    const cwd = await emptyFolder();
    await writeFile(
      join(cwd, 'model.yaml'),
      'media_types: { image: { fields: { field_media_image: { uri_scheme: arhive } } } }\n',
    );
    const { code, err } = await serve(cwd, ['--model', 'model.yaml']);
    const where = 'model.yaml:1: media_types.image.fields.field_media_image.uri_scheme';
    expect({ code, err }).toEqual({
      code: 1,
      err: `${where}: there is no scheme "arhive"; there are: public, private, fedora\n`,
    });
  });

  it.each([
    ['port: 80000\n', 'port must be a port: a number from 0 to 65535, found 80000'],
    ['baseURL: x\n', 'unknown key baseURL; did you mean baseUrl?'],
    ['baseUrl: repository\n', 'baseUrl must be a URL such as https://repository.example.org, found "repository"'],
  ])('reports the invalid configuration %j with file and line', async (text, message) => {
    const cwd = await emptyFolder();
    const config = join(cwd, 'repository.yaml');
    await writeFile(config, `siteName: x\n${text}`);
    const expected = { code: 1, out: '', err: `${config}:2: ${message}\n` };
    expect(await serve(cwd, ['--config', config])).toEqual(expected);
    expect(await repo(cwd, ['check-config', config])).toEqual(expected);
    expect(await readdir(cwd)).toEqual(['repository.yaml']);
  });

  it.each([
    [{ REPO_PORT: 'x' }, 2, "repo: invalid value 'x' for REPO_PORT. It must be a number from 0 to 65535.\n"],
    [
      { REPO_BASE_URL: 'x' },
      1,
      'REPO_BASE_URL or --base-url must be a URL such as https://repository.example.org, found "x"\n',
    ],
    [
      { REPO_ADMIN_PASSWORD: 'x'.repeat(5000) },
      1,
      'REPO_ADMIN_PASSWORD cannot be used: The password must not be longer than 4096 bytes.\n',
    ],
  ])('reports the invalid environment %p', async (env, code, message) => {
    const cwd = await emptyFolder();
    const result = await repo(cwd, ['serve'], env as Record<string, string>);
    expect(result.err).toStartWith(message);
    expect(result).toMatchObject({ code, out: '' });
    expect(await readdir(cwd)).toEqual([]);
  });
});

describe('signals', () => {
  it('SIGHUP logs the settings that a restart would change', async () => {
    const cwd = await emptyFolder();
    const config = join(cwd, 'repository.yaml');
    await writeFile(config, 'siteName: One\n');
    const service = await start(cwd, ['--config', config]);
    await until(() => service.text.length > 0);
    service.kill('SIGHUP');
    await until(() => service.log.some((line) => line.msg === 'the configuration of the repository is unchanged'));
    await writeFile(config, 'siteName: Two\nmaxJsonBytes: 5\n');
    service.kill('SIGHUP');
    await until(() => service.log.some((line) => Bun.deepEquals(line.changed, ['siteName', 'maxJsonBytes'])));
    await writeFile(config, 'siteNam: Two\n');
    service.kill('SIGHUP');
    await until(() =>
      service.log.some((line) => JSON.stringify(line.problems ?? '').includes('did you mean siteName?')),
    );
    expect(await service.stop()).toBe(0);
  });

  it('SIGTERM lets an upload finish', async () => {
    const cwd = await emptyFolder();
    const service = await start(cwd, [], { REPO_ADMIN_PASSWORD: PASSWORD });
    const body = new ReadableStream({
      async start(controller) {
        controller.enqueue(new Uint8Array(1000));
        await until(async () => (await unfinishedUploads(join(cwd, 'data'))).length > 0);
        service.kill('SIGTERM');
        await until(() => service.log.some(({ msg }) => String(msg).startsWith('stopping')));
        controller.enqueue(new Uint8Array(1000));
        controller.close();
      },
    });
    const headers = {
      ...basic('admin', PASSWORD),
      'Content-Type': 'application/octet-stream',
      'Content-Disposition': 'file; filename="a.png"',
    };
    const url = `${service.url}/file/upload/media/image/field_media_image?_format=json`;
    const response = await fetch(url, { method: 'POST', headers, body });
    expect(response.status).toBe(201);
    expect(await response.json()).toMatchObject({ filesize: [{ value: 2000 }] });
    expect(await service.exited).toBe(0);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    '%s interrupts an upload after the shutdown timeout, and leaves nothing of it',
    async (signal) => {
      const cwd = await emptyFolder();
      const service = await start(cwd, ['--shutdown-timeout', '0.2'], { REPO_ADMIN_PASSWORD: PASSWORD });
      const headers = {
        ...basic('admin', PASSWORD),
        'Content-Type': 'application/octet-stream',
        'Content-Disposition': 'file; filename="a.png"',
      };
      const endless = new ReadableStream({
        async pull(controller) {
          controller.enqueue(new Uint8Array(65_536));
          await pause(5);
        },
      });
      const url = `${service.url}/file/upload/media/image/field_media_image?_format=json`;
      const request = fetch(url, { method: 'POST', headers, body: endless }).then(
        (response) => response.status,
        () => 'cut',
      );
      const staged = () => unfinishedUploads(join(cwd, 'data'));
      await until(async () => (await staged()).length > 0);
      service.kill(signal);
      expect(await service.exited).toBe(0);
      expect(await request).toBe('cut');
      expect(await staged()).toEqual([]);
    },
  );
});
