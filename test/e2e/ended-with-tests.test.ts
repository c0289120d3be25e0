import { describe, expect, it } from 'bun:test';
import { resolve } from 'node:path';
import { emptyFolder } from '../support/empty-folder.ts';
import { until } from '../support/until.ts';

const SUPPORT = resolve(import.meta.dir, '../support/server-process.ts');

describe('an executable that a test leaves running', () => {
  it.each([1, 2])('ends with the test process, with %d workers', async (workers) => {
    const folder = await emptyFolder();
    const options = JSON.stringify({ mode: 'repository', data: `${folder}/data`, workers });
    const code = `const { startServer } = await import(${JSON.stringify(SUPPORT)});
      const { port } = await startServer(${options});
      console.log(port);
      process.exit(1);`;
    const child = Bun.spawn([process.execPath, '-e', code], { stdout: 'pipe' });
    const port = Number(await new Response(child.stdout).text());
    expect(port).toBeGreaterThan(0);
    await until(
      () =>
        fetch(`http://127.0.0.1:${port}/healthcheck`).then(
          () => false,
          () => true,
        ),
      { seconds: 20 },
    );
  });
});
