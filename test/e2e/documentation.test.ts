import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { blocksOf, paste, transcripts } from '../support/examples.ts';
import { EXECUTABLE, type StartedExecutable, startExecutable, startServe } from '../support/executable.ts';

const ROOT = resolve(import.meta.dir, '../..');
const PATH = `${dirname(EXECUTABLE)}:${process.env.PATH}`;

const PASSWORD = 'documentation';

/** The pages with transcripts, and what their reader has started, with the flags that the page names. */
const PAGES = [
  ['README.md', 'repository'],
  ['docs/repository.md', 'repository'],
  ['docs/linked.md', 'repository --mode repository'],
  ['docs/derivatives.md', 'repository'],
  ['docs/import.md', 'repository --mode repository'],
  ['docs/processor-first-steps.md', 'config/processor.example.yaml'],
  ['docs/processor.md', 'config/processor.yaml'],
] as const;

for (const [page, started] of PAGES) {
  describe(page, async () => {
    const blocks = await blocksOf(join(ROOT, page));
    let folder: string;
    let service: StartedExecutable;
    // Not before: for a page that is filtered out nothing would end it.
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'repo-docs-'));
      const [begun, ...args] = started.split(' ');
      service =
        begun === 'repository'
          ? await startServe({ args, cwd: folder, env: { PATH, REPO_ADMIN_PASSWORD: PASSWORD } })
          : await startExecutable(join(ROOT, started));
      const example = blocks.find((block) => block.language === 'yaml');
      for (const name of ['cmds.yaml', 'repository.yaml']) await writeFile(join(folder, name), example?.text ?? '');
    });
    afterAll(async () => {
      await service.stop();
      await rm(folder, { recursive: true });
    });

    it.each(transcripts(blocks).map((transcript) => [transcript.line, transcript] as const))(
      'shows in line %d what really happens',
      async (_, { commands, output }) => {
        const env = { AUTH: `admin:${PASSWORD}` };
        const result = await paste(commands, { cwd: folder, port: service.port, path: PATH, env });
        expect({ ...result, output: result.output.replaceAll('\r', '').trimEnd() }).toEqual({
          code: 0,
          output: output.trimEnd(),
          errors: '',
        });
      },
    );
  });
}
