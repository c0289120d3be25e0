import { describe, expect, it } from 'bun:test';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { emptyFolder } from '../support/empty-folder.ts';
import { EXECUTABLE, startServe } from '../support/executable.ts';
import { pause } from '../support/pause.ts';

const env = { PATH: process.env.PATH ?? '' };

describe('a first start', () => {
  it('can be repeated after it was killed at any moment, and never leaves a database of 0 bytes', async () => {
    const folder = await emptyFolder();
    for (let delayMs = 0; delayMs <= 450; delayMs += 75) {
      const data = join(folder, `killed-${delayMs}`);
      const child = Bun.spawn([EXECUTABLE, 'serve', '--port', '0', '--data', data], { env, stdout: 'ignore' });
      await pause(delayMs);
      child.kill('SIGKILL');
      await child.exited;
      const size = await stat(join(data, 'repository.db')).then(
        ({ size }) => size,
        () => undefined,
      );
      expect(size).not.toBe(0);
      const server = await startServe({ args: ['--data', data], env });
      expect(await server.stop()).toBe(0);
      expect((await readdir(data)).filter((name) => name.includes('.new-'))).toEqual([]);
    }
  });
});
