import { afterEach, describe, expect, it } from 'bun:test';
import { checkLeftovers, isRunning } from '../../support/leftovers.ts';
import { createTestProcessor } from '../../support/test-processor.ts';
import { until } from '../../support/until.ts';

/** A duration that no one else sleeps for, to find our sleepers by. */
const SLEEP = '43.21098';
const MEMORY_BYTES = 64 * 1024 ** 2;
const OUTPUT_TOO_LARGE = 'The command wrote more than the 3000000 bytes of its maxOutputBytes.\n';
const OUT_OF_MEMORY = `The command ran out of memory: its maxMemoryBytes is ${MEMORY_BYTES} bytes.\n`;

const shell = (script: string, more: string) => `{ cmd: sh, args: [-c, ${JSON.stringify(script)}], ${more} }`;
const hog = (bytes: number) => `perl -e '$x = chr(1) x ${bytes}; print length $x'`;
const OUTPUT = 'maxOutputBytes: 3000000';
const MEMORY = `maxMemoryBytes: ${MEMORY_BYTES}`;
const processor = await createTestProcessor(`
allowedMimeTypes: ["*"]
cmdByMimeType:
  x/small: { cmd: head, args: [-c, "1000", /dev/zero], ${OUTPUT} }
  x/exact: { cmd: head, args: [-c, "3000000", /dev/zero], ${OUTPUT} }
  x/one-more: ${shell('head -c 3000001 /dev/zero', OUTPUT)}
  x/short: ${shell(`printf 0123456789; sleep ${SLEEP}`, 'maxOutputBytes: 5')}
  x/endless: ${shell(`yes & sleep ${SLEEP}`, OUTPUT)}
  x/late: ${shell('head -c 2500000 /dev/zero; sleep 0.4; exec yes', OUTPUT)}
  x/modest: ${shell(hog(1000), MEMORY)}
  x/hungry: ${shell(hog(200_000_000), MEMORY)}
  x/hungry-child: ${shell(`${hog(200_000_000)} | cat; exit 0`, MEMORY)}
  x/silent: ${shell(`${hog(200_000_000)} 2> /dev/null || exit 9`, MEMORY)}
  x/fails: ${shell('echo no such thing >&2; exit 9', MEMORY)}
  x/slow: ${shell(`exec sleep ${SLEEP}`, 'timeout: 0.2')}
  default: { cmd: cat }
`);
checkLeftovers(() => processor.post('x/ok', 'warm up'), processor.stop);
afterEach(() => until(() => !isRunning(`sleep ${SLEEP}`)));

describe('output', () => {
  it.each([
    ['x/small', 1000],
    ['x/exact', 3_000_000],
  ])('up to maxOutputBytes is returned whole (%s)', async (type, bytes) => {
    const response = await processor.post(type, 'x');
    expect(response.status).toBe(200);
    expect((await response.arrayBuffer()).byteLength).toBe(bytes);
  });

  it('beyond maxOutputBytes returns 500 before the first byte, and ends the process group', async () => {
    const response = await processor.post('x/short', 'x');
    expect(response.status).toBe(500);
    expect(response.headers.get('X-Repo-Limit')).toBe('maxOutputBytes');
    expect(await response.text()).toBe('The command wrote more than the 5 bytes of its maxOutputBytes.\n');
    expect(await processor.lastRequest()).toMatchObject({ level: 'error', failure: { kind: 'limit-exceeded' } });
  });

  it.each(['x/one-more', 'x/endless', 'x/late'])('beyond maxOutputBytes is never returned whole (%s)', async (type) => {
    const response = await processor.post(type, 'x');
    if (response.status === 500) return expect(await response.text()).toBe(OUTPUT_TOO_LARGE);
    expect(response.headers.get('X-Repo-Limit')).toBe('maxOutputBytes=3000000');
    await expect(response.arrayBuffer()).rejects.toThrow();
    expect(await processor.lastRequest()).toMatchObject({
      level: 'error',
      bytes_out: 3_000_000,
      failure: { kind: 'limit-exceeded', message: OUTPUT_TOO_LARGE.trim() },
    });
  });
});

describe('memory', () => {
  it('within maxMemoryBytes is available', async () => {
    expect(await (await processor.post('x/modest', 'x')).text()).toBe('1000');
  });

  it.each(['x/hungry', 'x/silent'])('beyond maxMemoryBytes returns 500 with the reason (%s)', async (type) => {
    const response = await processor.post(type, 'x');
    if (type === 'x/silent') return expect(await response.text()).toBe('The command failed.\n');
    expect(response.status).toBe(500);
    expect(response.headers.get('X-Repo-Limit')).toBe('maxMemoryBytes');
    expect(await response.text()).toBe(OUT_OF_MEMORY);
  });

  it('is limited for every process of a command', async () => {
    const response = await processor.post('x/hungry-child', 'x');
    expect(await response.text()).toBe('');
    expect((await processor.lastRequest()).stderr).toContain('Out of memory');
  });

  it('is not reported as the reason of another failure', async () => {
    expect(await (await processor.post('x/fails', 'x')).text()).toBe('The command failed.\n');
  });
});

it('a command that exceeds its timeout returns 504 with the reason', async () => {
  const response = await processor.post('x/slow', 'x');
  expect({ status: response.status, body: await response.text() }).toEqual({
    status: 504,
    body: 'The command did not finish within 0.2 seconds.\n',
  });
});
