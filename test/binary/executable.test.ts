import { beforeAll, describe, expect, it } from 'bun:test';
import { copyFile, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { outcomeOf } from '../support/command-outcome.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { isRunning } from '../support/leftovers.ts';
import { EXECUTABLE, startServer } from '../support/server-process.ts';
import { until } from '../support/until.ts';

/** All programs of a machine as bare as this one can play it: those that the configuration below names. */
const PROGRAMS = ['sh', 'cat', 'sleep', 'printf'];
const ENVIRONMENT = { PATH: '' };
let folder: string;
let executable: string;
const config = () => join(folder, 'cmds.yaml');

beforeAll(async () => {
  folder = await emptyFolder();
  await mkdir(join(folder, 'empty'));
  await mkdir(join(folder, 'bin'));
  for (const name of PROGRAMS) await symlink(Bun.which(name) as string, join(folder, 'bin', name));
  ENVIRONMENT.PATH = join(folder, 'bin');
  executable = join(folder, 'repo');
  await copyFile(EXECUTABLE, executable);
  await writeFile(
    config(),
    `allowedMimeTypes: ["*"]
cmdByMimeType:
  x/nap: { cmd: sh, args: [-c, "sleep 76.54"] }
  x/short: { cmd: sh, args: [-c, "sleep 0.5; cat"] }
  x/limited: { cmd: cat, maxMemoryBytes: 1000000000 }
  x/args: { cmd: printf, args: ["[%s]", "%args"] }
  default: { cmd: cat }
`,
  );
});

async function repo(args: string[], env: Record<string, string> = {}) {
  const options = { cwd: join(folder, 'empty'), env: { ...ENVIRONMENT, ...env }, stdin: 'ignore' } as const;
  return outcomeOf(Bun.spawn([executable, ...args], { ...options, stdout: 'pipe', stderr: 'pipe' }));
}
const start = (args: string[] = []) =>
  startServer({ mode: 'processor', config: config(), executable, args, cwd: join(folder, 'empty'), env: ENVIRONMENT });

describe('the executable, in an empty folder, without Bun, Node or node_modules', () => {
  it('serves requests', async () => {
    const service = await start();
    const headers = { 'Content-Type': 'text/plain' };
    const response = await fetch(service.url, { method: 'POST', body: 'a file', headers });
    expect(await response.text()).toBe('a file');
    expect(await readdir(join(folder, 'empty'))).toEqual([]);
    expect(await service.stop()).toBe(0);
  });

  it('warns that commands run without their maxMemoryBytes if prlimit is missing', async () => {
    const service = await start();
    const warnings = () => service.log.filter(({ level }) => level === 'warn');
    await until(() => warnings().length > 0);
    expect(warnings()).toMatchObject([
      {
        unlimited: ['"x/limited"'],
        msg: 'this machine lacks prlimit (Debian: util-linux, Homebrew: util-linux): commands run without their maxMemoryBytes',
      },
    ]);
    const headers = { 'Content-Type': 'x/limited' };
    expect(await (await fetch(service.url, { method: 'POST', body: 'a file', headers })).text()).toBe('a file');
    await service.stop();
  });

  it('listens only on this machine without jwksUri, and logs how to change that', async () => {
    const service = await start();
    const find = () => service.log.find((entry) => String(entry.msg).startsWith('listening on 127.0.0.1 only'));
    await until(() => find() !== undefined);
    expect(find()?.msg).toContain('--host 0.0.0.0');
    await service.stop();
  });

  it('rejects an X-Repo-Args header of one megabyte with a one-sentence error', async () => {
    const service = await start();
    const headers = { 'Content-Type': 'x/args', 'X-Repo-Args': 'a'.repeat(1_000_000) };
    const response = await fetch(service.url, { method: 'POST', body: 'x', headers });
    expect(response.status).toBe(400);
    expect(await response.text()).toBe('The X-Repo-Args header is 1000000 bytes long; at most 65536 are accepted.\n');
    await service.stop();
  });

  it('reloads its configuration on SIGHUP', async () => {
    const service = await start();
    service.kill('SIGHUP');
    await until(() => service.log.some((line) => line.msg === 'configuration read again'));
    await service.stop();
  });

  it('finishes running requests on SIGTERM', async () => {
    const service = await start();
    const headers = { 'Content-Type': 'x/short' };
    const answer = fetch(service.url, { method: 'POST', body: 'finished', headers }).then((response) =>
      response.text(),
    );
    await until(() => isRunning('sleep 0.5'));
    expect(await service.stop()).toBe(0);
    expect(await answer).toBe('finished');
  });

  it('ends running commands after --shutdown-timeout', async () => {
    const service = await start(['--shutdown-timeout', '0.2']);
    const request = fetch(service.url, { method: 'POST', body: 'x', headers: { 'Content-Type': 'x/nap' } });
    await until(() => isRunning('sleep 76.54'));
    const exitCode = service.stop();
    expect((await request).status).toBe(503);
    expect(await exitCode).toBe(0);
    await until(() => !isRunning('sleep 76.54'));
  });

  it('stops immediately on a second signal, and leaves no process running', async () => {
    const service = await start();
    const headers = { 'Content-Type': 'x/nap' };
    const request = fetch(service.url, { method: 'POST', body: 'x', headers }).catch(() => 'cut, as it must be');
    await until(() => isRunning('sleep 76.54'));
    service.kill('SIGTERM');
    await until(() => service.log.some((line) => String(line.msg).startsWith('stopping')));
    service.kill('SIGINT');
    expect(await service.exited).toBe(1);
    await request;
    await until(() => !isRunning('sleep 76.54'));
  });

  it('takes its port from SERVICE_PORT', async () => {
    const taken = await start();
    const { code, err } = await repo(['serve', '--mode', 'processor', '--config', config()], {
      SERVICE_PORT: String(taken.port),
    });
    expect({ code, err }).toEqual({
      code: 1,
      err: `Port ${taken.port} is in use already: choose another with --port.\n`,
    });
    await taken.stop();
  });
});

describe('the environment variables of the original service', () => {
  const serve = (env: Record<string, string>, args: string[] = []) =>
    startServer({
      executable,
      cwd: join(folder, 'empty'),
      env: { ...ENVIRONMENT, ...env },
      args: [...PROCESSOR, ...args],
    });
  const PROCESSOR = ['--mode', 'processor'];
  const saying = (word: string) =>
    `allowedMimeTypes: ["*"]\ncmdByMimeType:\n  default: { cmd: printf, args: [${word}] }\n`;
  const answer = async (url: string) =>
    (await fetch(url, { method: 'POST', body: 'x', headers: { 'Content-Type': 'text/plain' } })).text();

  it.each([
    ['SCYLLARIDAE_YML holds the configuration', { SCYLLARIDAE_YML: saying('inline') }, [], 'inline'],
    ['SCYLLARIDAE_YML_PATH names the file', { SCYLLARIDAE_YML_PATH: 'there.yaml' }, [], 'there'],
    [
      'SCYLLARIDAE_YML takes precedence over SCYLLARIDAE_YML_PATH',
      { SCYLLARIDAE_YML: saying('inline'), SCYLLARIDAE_YML_PATH: 'there.yaml' },
      [],
      'inline',
    ],
    ['--config takes precedence over both', { SCYLLARIDAE_YML: saying('inline') }, ['--config', 'own.yaml'], 'own'],
  ])('configure the processor: %s', async (_, env, args, expected) => {
    const at = (name: string) => (name.endsWith('.yaml') ? join(folder, name) : name);
    for (const word of ['there', 'own']) await writeFile(join(folder, `${word}.yaml`), saying(word));
    const variables = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, at(value)]));
    const service = await serve(variables, args.map(at));
    expect(await answer(service.url)).toBe(expected);
    await service.stop();
  });

  it('keep an inline configuration on SIGHUP', async () => {
    const service = await serve({ SCYLLARIDAE_YML: saying('inline') });
    service.kill('SIGHUP');
    await until(() =>
      service.log.some(({ msg, config }) => msg === 'configuration read again' && config === 'SCYLLARIDAE_YML'),
    );
    expect(await answer(service.url)).toBe('inline');
    await service.stop();
  });

  it('set the port unless --port or SERVICE_PORT does', async () => {
    const taken = await start();
    const { port } = taken;
    const args = ['serve', '--mode', 'processor', '--config', config()];
    const inUse = `Port ${port} is in use already: choose another with --port.\n`;
    expect((await repo(args, { SCYLLARIDAE_PORT: `${port}` })).err).toBe(inUse);
    expect((await repo(args, { SERVICE_PORT: `${port}`, SCYLLARIDAE_PORT: 'none' })).err).toBe(inUse);
    expect((await repo(args, { SCYLLARIDAE_PORT: 'none' })).err).toContain("invalid value 'none' for SCYLLARIDAE_PORT");
    await taken.stop();
  });

  it('pass the environment to commands, except the variables of this program', async () => {
    const env = { THREADS: '5', REPO_ADMIN_PASSWORD: 'our secret', SCYLLARIDAE_YML: '' };
    const file = join(folder, 'environment.yaml');
    await writeFile(file, 'allowedMimeTypes: ["*"]\ncmdByMimeType:\n  default: { cmd: sh, args: [-c, "set"] }\n');
    const asThere = await serve({ ...env, SCYLLARIDAE_YML_PATH: file });
    const seen = await answer(asThere.url);
    expect(seen).toContain("THREADS='5'");
    expect(seen).not.toContain('our secret');
    await asThere.stop();
    const asHere = await serve({ ...env, SCYLLARIDAE_YML_PATH: 'x' }, ['--config', file]);
    expect(await answer(asHere.url)).not.toContain('THREADS');
    await asHere.stop();
  });

  it('are replaced without braces, too, and TIFF has the extension of the original', async () => {
    const command = '{ cmd: sh, args: [-c, "echo \\"$@\\"", sh, "$SERVICE_URI", "$UNSET_NAME", "%source-mime-ext"] }';
    const yaml = `allowedMimeTypes: ["*"]\ncmdByMimeType:\n  default: ${command}\n`;
    const words = async (url: string) =>
      (await fetch(url, { method: 'POST', body: 'x', headers: { 'Content-Type': 'image/tiff' } })).text();
    const env = { SERVICE_URI: 'http://fits.example/fits' };
    const asThere = await serve({ ...env, SCYLLARIDAE_YML: yaml });
    expect(await words(asThere.url)).toBe('http://fits.example/fits $UNSET_NAME tiff\n');
    await asThere.stop();
    const file = join(folder, 'bare.yaml');
    await writeFile(file, yaml);
    const asHere = await serve(env, ['--config', file]);
    expect(await words(asHere.url)).toBe('$SERVICE_URI $UNSET_NAME tif\n');
    await asHere.stop();
  });

  it('run commands in the working directory of the service, with a separate TMPDIR', async () => {
    const script = 'cmdByMimeType:\n  default: { cmd: sh, args: [-c, "pwd; echo $TMPDIR"] }\n';
    const yaml = `allowedMimeTypes: ["*"]\n${script}`;
    const file = join(folder, 'where.yaml');
    await writeFile(file, yaml);
    const asThere = await serve({ SCYLLARIDAE_YML: yaml });
    const [there, temporary] = (await answer(asThere.url)).split('\n');
    expect({ workingFolder: there, isTemporary: temporary === there }).toEqual({
      workingFolder: join(folder, 'empty'),
      isTemporary: false,
    });
    await asThere.stop();
    const asHere = await serve({}, ['--config', file]);
    const [own, same] = (await answer(asHere.url)).split('\n');
    expect({ isShared: own === there, temporary: same }).toEqual({ isShared: false, temporary: own as string });
    await asHere.stop();
  });

  it('can be checked without starting the service', async () => {
    const check = ['check-config', '--mode', 'processor'];
    expect(await repo(check, { SCYLLARIDAE_YML: saying('$GREETING_TEXT') })).toEqual({
      code: 0,
      out: 'SCYLLARIDAE_YML: valid, 1 entry in cmdByMimeType\n',
      err: 'warning: SCYLLARIDAE_YML:3: $GREETING_TEXT stays as it is; write ${GREETING_TEXT} for its value from the environment\n',
    });
    const { code, err } = await repo(check, { SCYLLARIDAE_YML: 'cmdByMimeTypo: {}' });
    expect(code).toBe(1);
    expect(err).toContain('SCYLLARIDAE_YML:1: unknown key cmdByMimeTypo; did you mean cmdByMimeType?\n');
  });
});

describe('the command line', () => {
  it('prints the version', async () => {
    const { code, out } = await repo(['version']);
    expect(code).toBe(0);
    expect(out).toMatch(/^repo \d+\.\d+\.\d+ \(bun \d+\.\d+\.\d+, \w+ \w+\)\n$/);
  });

  it('prints the licenses of the included packages', async () => {
    const { code, out } = await repo(['licenses']);
    expect(code).toBe(0);
    for (const name of ['openseadragon 6.', 'mirador 4.', 'pdfjs-dist 6.', 'react-dom 19.', 'elysia 1.'])
      expect(out).toContain(name);
  });

  it.each([[[]], [['help']], [['--help']], [['-h']]])('prints the help for %j', async (args) => {
    const { code, out } = await repo(args);
    expect(code).toBe(0);
    for (const word of [
      'serve',
      'user',
      'token',
      'storage',
      'backup',
      'restore',
      'migrate',
      'check-config',
      'version',
      'help',
    ])
      expect(out).toContain(`\n  ${word}`);
  });

  it.each(['serve', 'user', 'token', 'storage', 'backup', 'restore', 'migrate', 'check-config', 'version'])(
    'prints the help of the command %s',
    async (command) => {
      const [short, long] = await Promise.all([repo([command, '--help']), repo(['help', command])]);
      expect(short).toEqual(long);
      expect(short.out).toStartWith(`Usage: repo ${command}`);
    },
  );

  it.each([
    [['serv'], "unknown command 'serv'; did you mean serve?"],
    [['xyzzy'], "unknown command 'xyzzy'"],
    [['serve', '--prot', '1'], "unknown option '--prot'; did you mean --port?"],
    [['version', '--hlep'], "unknown option '--hlep'; did you mean --help?"],
    [['serve', '--mode', 'procesor'], 'Allowed choices are processor, repository, all. Did you mean processor?'],
    [['serve', '--mode', 'processor'], '--mode processor requires --config FILE'],
    [['serve', '--mode', 'processor', '--config', 'x', '--port', '99999'], 'must be a number from 0 to 65535'],
    [['serve', '--mode', 'processor', '--config', 'x', '--data', 'y'], '--data has no effect with --mode processor'],
    [
      ['serve', '--mode', 'repository', '--processor-port', '1'],
      '--processor-port has no effect with --mode repository',
    ],
    [['serve', '--base-ulr', 'x'], "unknown option '--base-ulr'; did you mean --base-url?"],
    [['check-config'], "missing required argument 'file'"],
    [['check-config', '--mode', 'processor', '--model', 'x'], '--model has no effect with --mode processor'],
    [['user', 'ad', 'jane'], "unknown command 'ad'; did you mean add?"],
    [['user', 'add'], "missing required argument 'name'"],
    [['user', 'role', 'jane', 'ad', 'x'], 'Allowed choices are add, remove. Did you mean add?'],
    [['setting', 'ste', 'x', 'y'], "unknown command 'ste'; did you mean set?"],
    [['setting', 'get'], "missing required argument 'name'"],
    [['setting', 'set', 'x'], "missing required argument 'value'"],
    [['token', 'jane', '--expires', 'soon'], 'It must be a time such as 30m, 2h or 7d, from 1s to 366d'],
  ])('rejects %j with exit code 2 and a correction', async (args, message) => {
    const { code, out, err } = await repo(args);
    expect(err).toContain(message);
    expect(err).toMatch(/\nSee repo( \S+)* --help\.\n$/);
    expect({ code, out }).toEqual({ code: 2, out: '' });
  });

  it('reports every error of a configuration with file and line', async () => {
    const bad = join(folder, 'bad.yaml');
    await writeFile(
      bad,
      'allowedMimeTypes: [text/plain]\ncmdByMimeType:\n  text/plain:\n    cmd: no-such-program\n    timeout: soon\n',
    );
    const { code, err } = await repo(['check-config', '--mode', 'processor', bad]);
    expect(code).toBe(1);
    const command = 'cmdByMimeType."text/plain"';
    expect(err).toBe(
      `${bad}:4: ${command}.cmd: there is no program "no-such-program" on this machine; install it or name its path\n` +
        `${bad}:5: ${command}.timeout must be a number of seconds, more than 0 and at most 86400, found "soon"\n`,
    );
    const served = await repo(['serve', '--mode', 'processor', '--config', bad]);
    expect(served).toEqual({ code: 1, out: '', err });
  });

  it('shows no environment value in an error', async () => {
    const bad = join(folder, 'secret.yaml');
    await writeFile(bad, 'jwksUri: ${ADDRESS}\nallowedMimeTypes: ["*"]\ncmdByMimeType:\n  default: { cmd: cat }\n');
    const { err } = await repo(['check-config', '--mode', 'processor', bad], { ADDRESS: 'geheim' });
    expect(err).toBe(`${bad}:1: jwksUri must be an http or https address, found "\${ADDRESS}"\n`);
  });

  it('reports a valid configuration', async () => {
    const { code, out } = await repo(['check-config', '--mode', 'processor', config()]);
    expect(code).toBe(0);
    expect(out).toContain(': valid');
  });

  it('reports a missing configuration', async () => {
    const { code, err } = await repo(['check-config', '--mode', 'processor', 'nowhere.yaml']);
    expect(code).toBe(1);
    expect(err).toBe('nowhere.yaml: no such file\n');
  });
});
