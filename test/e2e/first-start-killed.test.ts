import { describe, expect, it } from 'bun:test';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { emptyFolder } from '../support/empty-folder.ts';
import { startServer } from '../support/server-process.ts';

const env = { PATH: process.env.PATH ?? '' };

describe('a first start', () => {
  it('succeeds after a kill at any moment, which never leaves a database of 0 bytes', async () => {
    const folder = await emptyFolder();
    for (let delayMs = 0; delayMs <= 450; delayMs += 75) {
      const data = join(folder, `killed-${delayMs}`);
      await startServer({ data, env, signal: AbortSignal.timeout(delayMs) }).then(
        ({ exited }) => exited,
        () => undefined,
      );
      const size = await stat(join(data, 'repository.db')).then(
        ({ size }) => size,
        () => undefined,
      );
      expect(size).not.toBe(0);
      const server = await startServer({ data, env });
      expect(await server.stop()).toBe(0);
      expect((await readdir(data)).filter((name) => name.includes('.new-'))).toEqual([]);
    }
  });
});
