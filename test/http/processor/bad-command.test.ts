import { afterEach, describe, expect, it } from 'bun:test';
import { chmod, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { emptyFolder } from '../../support/empty-folder.ts';
import { checkLeftovers, expectDescriptorsBack, isRunning } from '../../support/leftovers.ts';
import { speak } from '../../support/raw-http.ts';
import { createTestProcessor } from '../../support/test-processor.ts';
import { until } from '../../support/until.ts';

const folder = await emptyFolder();
const program = join(folder, 'program');
await writeFile(program, '#!/bin/sh\ncat\n');
await chmod(program, 0o755);
/** A duration that no one else sleeps for, to find our sleepers by. */
const SLEEP = '98.76543';

process.env.REPO_TEST_SECRET = 'the service has this';
const shell = (script: string, more = '') => `{ cmd: sh, args: [-c, ${JSON.stringify(script)}]${more} }`;
const processor = await createTestProcessor(`
allowedMimeTypes: ["*"]
maxConcurrent: 8
cmdByMimeType:
  x/gone: { cmd: ${program} }
  x/hangs: ${shell(`sleep ${SLEEP}`, ', timeout: 0.3')}
  x/hangs-late: ${shell(`head -c 3000000 /dev/zero; sleep ${SLEEP}`, ', timeout: 0.3')}
  x/stubborn: ${shell(`trap '' TERM; cat > source; sleep ${SLEEP} & wait; wait`, ', timeout: 0.3')}
  x/slow: ${shell(`cat > /dev/null; echo started; sleep ${SLEEP}`)}
  x/forks: ${shell(`sleep ${SLEEP} & sleep ${SLEEP} >/dev/null 2>&1 & echo done`)}
  x/forks-and-writes: ${shell(`(sleep 0.3; echo late) & echo early`)}
  x/forks-and-goes-on: ${shell('(while :; do echo more; sleep 0.1; done) & exit 0', ', timeout: 0.5')}
  x/forks-a-reader: ${shell('exec 3<&0; (sleep 0.3; cat <&3 | wc -c) & exit 0')}
  x/two-parts: ${shell(`printf text; sleep 0.05; head -c 9 /dev/zero`)}
  x/endless: { cmd: cat, args: [/dev/zero], timeout: 0.5 }
  x/talks: ${shell('head -c 1000000000 /dev/zero | tr "\\\\0" e >&2; echo last words >&2; echo done')}
  x/killed: ${shell('kill -9 $$')}
  x/fails: ${shell('echo it went wrong in $PWD >&2; exit 3')}
  x/fails-soon: ${shell('echo half; exit 3')}
  x/fails-late: ${shell('head -c 3000000 /dev/zero; exit 3')}
  x/fails-after-pause: ${shell('echo half; sleep 0.4; exit 3')}
  x/stops-reading: { cmd: head, args: [-c, "5"] }
  x/closes-stdin: ${shell('exec 0<&-; sleep 0.2; echo done')}
  x/environment: { cmd: env }
  x/configured: { cmd: env, env: { GREETING: hello } }
  default: { cmd: cat }
`);
const before = checkLeftovers(() => processor.post('x/ok', 'warm up'), processor.stop);
afterEach(async () => {
  await until(() => !isRunning(`sleep ${SLEEP}`));
  expect(await (await processor.post('x/ok', 'still there')).text()).toBe('still there');
});

async function expectFailure(type: string, status: number, sentence: string) {
  const response = await processor.post(type, 'a file');
  expect(response.status).toBe(status);
  expect(await response.text()).toBe(`${sentence}\n`);
  return processor.lastRequest();
}

describe('a command that', () => {
  it('is no longer there is a 500', async () => {
    await rm(program);
    const line = await expectFailure('x/gone', 500, 'The command could not be started.');
    expect(JSON.stringify(line.failure)).toContain('ENOENT');
  });

  it('hangs is ended, and is a 504', async () => {
    await expectFailure('x/hangs', 504, 'The command did not finish within 0.3 seconds.');
  });

  it('hangs after it has begun is ended, and the connection is cut', async () => {
    const response = await processor.post('x/hangs-late', 'a file');
    expect(response.status).toBe(200);
    await expect(response.arrayBuffer()).rejects.toThrow();
    expect(await processor.lastRequest()).toMatchObject({ level: 'error', failure: { kind: 'timed-out' } });
  });

  it('does not listen to TERM is killed, does not hold up the answer, and leaves no file', async () => {
    await expectFailure('x/stubborn', 504, 'The command did not finish within 0.3 seconds.');
  });

  it('leaves children behind has them ended', async () => {
    const response = await processor.post('x/forks', 'a file');
    expect(await response.text()).toBe('done\n');
  });

  it('leaves a child that still writes has its whole output delivered', async () => {
    const response = await processor.post('x/forks-and-writes', 'a file');
    expect(await response.text()).toBe('early\nlate\n');
  });

  it('leaves a child that never stops writing has its time all the same', async () => {
    const response = await processor.post('x/forks-and-goes-on', 'a file');
    await expect(response.arrayBuffer()).rejects.toThrow();
    expect(await processor.lastRequest()).toMatchObject({ failure: { kind: 'timed-out' } });
  });

  it('leaves a child that still reads never passes half a file for a whole one', async () => {
    const response = await processor.post('x/forks-a-reader', 'x'.repeat(5_000_000));
    expect(response.status).toBe(500);
    expect(await response.text()).toBe('The command failed.\n');
  });

  it('is looked at beyond its first bytes for the type of its output', async () => {
    const response = await processor.post('x/two-parts', 'a file');
    await response.arrayBuffer();
    expect(response.headers.get('Content-Type')).toBe('application/octet-stream');
  });

  it('writes a gigabyte of errors does not get in the way, and its last words are kept', async () => {
    const response = await processor.post('x/talks', 'a file');
    expect(await response.text()).toBe('done\n');
    const { stderr } = await processor.lastRequest();
    expect(stderr).toEndWith('last words');
    expect(String(stderr).length).toBeLessThanOrEqual(4096);
  });

  it('is killed is a 500', async () => {
    const line = await expectFailure('x/killed', 500, 'The command failed.');
    expect(line).toMatchObject({ signal: 'SIGKILL' });
  });

  it('fails before any output is a 500, and says why in the log alone', async () => {
    const line = await expectFailure('x/fails', 500, 'The command failed.');
    expect(line).toMatchObject({ exit_code: 3, level: 'error' });
    expect(line.stderr).toStartWith('it went wrong in /');
  });

  it('fails right after its first output is a 500 too', async () => {
    await expectFailure('x/fails-soon', 500, 'The command failed.');
  });

  it.each(['x/fails-late', 'x/fails-after-pause'])(
    'fails late has the connection cut, never ended (%s)',
    async (type) => {
      const head = `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\nContent-Length: 1\r\n\r\n`;
      const { text, closed } = await speak(processor.port, [head, 'x']);
      expect(text).toStartWith('HTTP/1.1 200 OK');
      expect(text).not.toEndWith('\r\n0\r\n\r\n');
      expect(closed).toBe(true);
      expect(await processor.lastRequest()).toMatchObject({ level: 'error', exit_code: 3 });
    },
  );

  it('stops reading early has done its work', async () => {
    const response = await processor.post('x/stops-reading', 'x'.repeat(50_000_000));
    expect(await response.text()).toBe('xxxxx');
  });

  it('closes its input has done its work when it ends', async () => {
    const response = await processor.post('x/closes-stdin', 'x'.repeat(50_000_000));
    expect(await response.text()).toBe('done\n');
  });
});

it('gives every descriptor back, however it ended', async () => {
  const faults = ['hangs', 'hangs-late', 'fails', 'fails-soon', 'fails-late', 'killed', 'stops-reading', 'gone', 'ok'];
  for (const fault of faults) {
    const body = 'x'.repeat(300_000);
    const one = async () => (await processor.post(`x/${fault}`, body)).arrayBuffer().catch(() => 'cut, as it must be');
    await Promise.all(Array.from({ length: 10 }, one));
    await expectDescriptorsBack(before());
  }
});

describe('a client that leaves', () => {
  it('while the command works has it ended', async () => {
    const abort = new AbortController();
    const request = fetch(processor.url, {
      method: 'POST',
      body: 'x',
      headers: { 'Content-Type': 'x/slow' },
      signal: abort.signal,
    }).then((response) => response.text());
    await until(() => isRunning(`sleep ${SLEEP}`));
    abort.abort();
    await expect(request).rejects.toThrow();
    expect(await processor.lastRequest(499)).toMatchObject({ status: 499, failure: { kind: 'client-gone' } });
  });
});

describe('a client that leaves in the middle of the answer', () => {
  it('is logged once', async () => {
    const logged = processor.log.length;
    const head = 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: x/endless\r\nContent-Length: 1\r\n\r\nx';
    await Promise.all(Array.from({ length: 5 }, () => speak(processor.port, [head, 200, 'destroy'])));
    await until(() => processor.log.length >= logged + 5);
    // A request that is logged after them.
    await (await processor.post('x/ok', 'x')).text();
    await until(() => processor.log.slice(logged).some(({ failure }) => failure === undefined));
    expect(processor.log.slice(logged)).toHaveLength(6);
  });
});

describe('a client that does not read', () => {
  it('does not hold the command beyond its time, nor the connection', async () => {
    const logged = processor.log.length;
    const socket = connect(processor.port, '127.0.0.1');
    let isClosed = false;
    socket.on('error', () => {});
    socket.on('close', () => {
      isClosed = true;
    });
    socket.pause();
    socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: x/endless\r\nContent-Length: 1\r\n\r\nx');
    await until(() => processor.log.slice(logged).some((line) => line.level === 'error'));
    expect(processor.log.at(-1)).toMatchObject({ status: 200, failure: { kind: 'timed-out' } });
    socket.resume();
    await until(() => isClosed);
  });
});

describe("a command's environment", () => {
  it('holds the token and nothing else of the service', async () => {
    const response = await processor.post('x/environment', 'x', { Authorization: 'Bearer the-token' });
    const text = await response.text();
    expect(text).toContain('\nSERVICE_AUTH=the-token\n');
    expect(text).toContain('\nSCYLLARIDAE_AUTH=Bearer the-token\n');
    expect(text).toContain('PATH=');
    expect(text).not.toContain('the service has this');
  });

  it('has no token where the caller has none', async () => {
    const text = await (await processor.post('x/environment', 'x')).text();
    expect(text).not.toContain('SERVICE_AUTH');
    expect(text).toContain('\nSCYLLARIDAE_AUTH=\n');
  });

  it('has what the configuration adds', async () => {
    expect(await (await processor.post('x/configured', 'x')).text()).toContain('GREETING=hello\n');
  });
});
