import { describe, expect, it, spyOn } from 'bun:test';
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createPrettyFormat } from '../../../../src/base/log.ts';
import { settlesWithin } from '../../../../src/base/settles-within.ts';
import { createLogOutput } from '../../../../src/server/workers/log-output.ts';
import { emptyFolder } from '../../../support/empty-folder.ts';

/** A pipe of which both ends are ours, and neither waits. */
async function withPipe(
  work: (ends: { path: string; reading: number; writing: number }) => Promise<void>,
): Promise<void> {
  const folder = await emptyFolder();
  const path = join(folder, 'pipe');
  Bun.spawnSync(['mkfifo', path]);
  const reading = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writing = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  try {
    await work({ path, reading, writing });
  } finally {
    closeSync(writing);
    await rm(folder, { recursive: true });
  }
}

/** The bytes in a pipe at the moment. */
function take(reading: number): Buffer {
  const buffer = Buffer.alloc(100_000);
  try {
    return buffer.subarray(0, readSync(reading, buffer));
  } catch {
    return buffer.subarray(0, 0);
  }
}

describe('the output of a log', () => {
  it('buffers lines for a full pipe, and writes them in order later', async () => {
    await withPipe(async ({ reading, writing }) => {
      const output = createLogOutput(writing);
      const lines = Array.from({ length: 3_000 }, (_, index) => `${index} ${'é'.repeat(50)}\n`);
      for (const line of lines) output.write(line);
      expect(await settlesWithin(output.written(), 50)).toBe(false);
      expect(await settlesWithin(output.room(), 50)).toBe(true);
      const taken: Buffer[] = [];
      const written = output.written();
      while (!(await settlesWithin(written, 5))) taken.push(take(reading));
      taken.push(take(reading));
      expect(Buffer.concat(taken).toString()).toBe(lines.join(''));
      closeSync(reading);
    });
  });

  it('has no room while its buffer is full', async () => {
    await withPipe(async ({ reading, writing }) => {
      const output = createLogOutput(writing, 200_000);
      output.write('x'.repeat(100_000));
      expect(await settlesWithin(output.room(), 5)).toBe(true);
      output.write('y'.repeat(100_000));
      const room = output.room();
      expect(await settlesWithin(room, 50)).toBe(false);
      while (!(await settlesWithin(room, 5))) take(reading);
      const written = output.written();
      while (!(await settlesWithin(written, 5))) take(reading);
      closeSync(reading);
    });
  });

  it('continues after an error, and reports the next error again', async () => {
    const told = spyOn(console, 'error').mockImplementation(() => {});
    await withPipe(async ({ path, reading, writing }) => {
      const output = createLogOutput(writing);
      const write = (text: string) => {
        output.write(text);
        return output.written();
      };
      closeSync(reading);
      for (const text of ['lost\n', 'lost too\n']) await write(text);
      expect(told).toHaveBeenCalledTimes(1);
      const again = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
      await write('kept\n');
      expect(take(again).toString()).toBe('kept\n');
      closeSync(again);
      await write('lost\n');
      expect(told).toHaveBeenCalledTimes(2);
    }).finally(() => told.mockRestore());
  });

  it('starts a new line after a partially written one', async () => {
    const told = spyOn(console, 'error').mockImplementation(() => {});
    await withPipe(async ({ path, reading, writing }) => {
      const output = createLogOutput(writing);
      output.write(`${'x'.repeat(200_000)}\n`);
      expect(await settlesWithin(output.written(), 50)).toBe(false);
      closeSync(reading);
      await output.written();
      output.write('lost\n');
      await output.written();
      const again = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
      output.write('kept\n');
      const taken: Buffer[] = [];
      const written = output.written();
      while (!(await settlesWithin(written, 5))) taken.push(take(again));
      output.write('kept too\n');
      await output.written();
      taken.push(take(again));
      closeSync(again);
      expect(Buffer.concat(taken).toString()).toMatch(/^x+\nkept\nkept too\n$/);
    }).finally(() => told.mockRestore());
  });

  it('does not block if its reader is closed', async () => {
    const script = `
      import { createLogOutput } from '${import.meta.dir}/../../../../src/server/workers/log-output.ts';
      import { until } from '${import.meta.dir}/../../../support/until.ts';
      const output = createLogOutput(1);
      let isTold = false;
      const { error } = console;
      console.error = (text) => { isTold = true; error(text); };
      await until(async () => { output.write('line\\n'); await output.written(); return isTold; });
      for (let count = 0; count < 3; count++) { output.write('line\\n'); await output.written(); }
    `;
    const command = '"$0" -e "$1" | true; exit 0';
    const { stderr } = Bun.spawnSync(['sh', '-c', command, process.execPath, script]);
    expect(stderr.toString()).toMatch(/^The log cannot be written at present: .*EPIPE.*\n$/);
  });
});

describe('text log lines', () => {
  it('are formatted from JSON, and other lines stay unchanged', () => {
    const format = createPrettyFormat();
    const line = JSON.stringify({ level: 'info', time: '2026-01-02T03:04:05.678Z', worker: 2, msg: 'ready' });
    const text = format(`${line}\nsomething else\n${line}\n`);
    expect(text.split('\n')).toEqual([
      expect.stringMatching(/^\[\d\d:\d\d:\d\d\] INFO: ready \{"worker":2\}$/),
      'something else',
      expect.stringContaining('ready'),
      '',
    ]);
  });
});
