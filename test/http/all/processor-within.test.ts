import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createLog } from '../../../src/base/log.ts';
import { DEFAULT_SERVER_CONFIG } from '../../../src/config/server-config.ts';
import { ListenError } from '../../../src/server/listen.ts';
import { type RunningRepository, startRepository } from '../../../src/server/repository.ts';
import { emptyFolder } from '../../support/empty-folder.ts';
import { freePort } from '../../support/free-port.ts';
import { isRunning } from '../../support/leftovers.ts';
import type { LogLine } from '../../support/test-processor.ts';
import { copyFirstStart, IS_ON_SQLD } from '../../support/test-repository.ts';
import { until } from '../../support/until.ts';

const COMMANDS = `
allowedMimeTypes: ["*"]
cmdByMimeType:
  text/plain: { cmd: tr, args: [a-z, A-Z] }
  text/csv: { cmd: no-such-program }
  text/*: { cmd: cat }
  image/*:
    cmdByDestination:
      image/png: { cmd: no-such-program }
      default: { cmd: cat }
  x/slow: { cmd: sh, args: [-c, "sleep 0.34; cat"] }
`;
let folder: string;
let log: LogLine[];
let repository: RunningRepository;

async function start(processor: { file?: string | undefined; port?: number } = {}, dataFolder = join(folder, 'data')) {
  const destination = { write: (line: string) => void log.push(JSON.parse(line)) };
  if (!IS_ON_SQLD && !existsSync(dataFolder)) await copyFirstStart(dataFolder);
  return startRepository({
    config: { ...DEFAULT_SERVER_CONFIG, dataFolder },
    host: '127.0.0.1',
    port: 0,
    administratorPassword: 'admin',
    log: createLog({ level: 'info', format: 'json', destination }),
    processor: { file: join(folder, 'cmds.yaml'), port: undefined, host: undefined, ...processor },
  });
}

beforeAll(async () => {
  folder = await emptyFolder();
  await writeFile(join(folder, 'cmds.yaml'), COMMANDS);
  log = [];
  repository = await start();
});
afterAll(async () => {
  await repository.stop(1);
});

/** Hands a file to the processor within the process. */
async function process(type: string, headers: Record<string, string> = {}, body = 'a file'): Promise<Response> {
  const init = { method: 'POST', headers: { 'Content-Type': type, ...headers }, body };
  return call(repository, new Request('http://localhost/', init));
}

async function call({ processor }: RunningRepository, request: Request): Promise<Response> {
  if (processor === undefined) throw new Error('this repository has no processor');
  return (await processor.call(request)).response;
}

describe('the processor within the repository', () => {
  it('processes a file without a socket', async () => {
    const response = await process('text/plain', { 'X-Repo-Event': 'event-7' });
    expect({ status: response.status, body: await response.text() }).toEqual({ status: 200, body: 'A FILE' });
    expect(log.findLast((line) => line.msgId === 'event-7')).toMatchObject({
      part: 'processor',
      status: 200,
      exit_code: 0,
    });
  });

  it('fetches a source that the repository itself serves', async () => {
    const source = `${repository.url.origin}/healthcheck`;
    const request = new Request('http://localhost/', { headers: { 'Apix-Ldp-Resource': source } });
    const response = await call(repository, request);
    expect({ status: response.status, body: await response.text() }).toEqual({ status: 200, body: 'OK' });
  });

  it('streams many concurrent outputs without mixing them', async () => {
    const sent = Array.from({ length: 20 }, (_, index) => `file ${index}`);
    const got = await Promise.all(sent.map(async (text) => (await process('text/html', {}, text)).text()));
    expect(got).toEqual(sent);
  });

  it('starts without a missing program, and logs its name in one line', () => {
    expect(log.filter((line) => line.missing !== undefined)).toEqual([
      expect.objectContaining({
        level: 'warn',
        missing: ['no-such-program'],
        part: 'processor',
        msg: 'this machine lacks no-such-program: derivatives that need it wait until it is installed',
      }),
    ]);
  });

  it.each([
    ['text/csv', {}, 'something from text/csv'],
    ['image/gif', { Accept: 'image/png' }, 'image/png from image/gif'],
  ])('does not replace the missing command for %s', async (type, headers, what) => {
    const response = await process(type, headers as Record<string, string>);
    expect({ status: response.status, body: await response.text() }).toEqual({
      status: 500,
      body: `No command is configured that makes ${what}.\n`,
    });
  });

  it('rejects the same requests as over a socket', async () => {
    const response = await process('nonsense');
    expect(response.status).toBe(400);
  });

  it('cannot be reached through the port of the repository', async () => {
    const headers = { 'Content-Type': 'text/plain' };
    const response = await fetch(repository.url, { method: 'POST', body: 'x', headers });
    expect(response.status).toBe(405);
    expect((await fetch(new URL('/metrics', repository.url))).status).toBe(401);
  });

  it('listens on its own port if configured', async () => {
    const port = await freePort();
    const other = await start({ port }, join(folder, 'other'));
    const headers = { 'Content-Type': 'text/plain' };
    const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: 'x', headers, keepalive: false });
    expect(await response.text()).toBe('X');
    await expect(start({ port }, join(folder, 'third'))).rejects.toThrow(
      new ListenError(`Port ${port} is in use already: choose another with --processor-port.`),
    );
    await other.stop(1);
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow();
  });

  it('finishes its jobs before the repository stops', async () => {
    const other = await start({}, join(folder, 'stopping'));
    const request = new Request('http://localhost/', {
      method: 'POST',
      headers: { 'Content-Type': 'x/slow' },
      body: 'whole',
    });
    const answer = call(other, request).then((response) => response.text());
    await until(() => isRunning('sleep 0.34'));
    await other.stop(5);
    expect(await answer).toBe('whole');
  });

  it('uses the built-in configuration if none is configured', async () => {
    const other = await start({ file: undefined }, join(folder, 'built-in'));
    const request = new Request('http://localhost/', {
      method: 'POST',
      headers: { 'Content-Type': 'x/y', Accept: 'x/z' },
      body: 'x',
    });
    expect((await call(other, request)).status).toBe(500);
    await other.stop(1);
  });
});
