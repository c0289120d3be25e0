import { afterAll, describe, expect, it } from 'bun:test';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { blocksOf, paste, transcripts } from '../support/examples.ts';
import { EXECUTABLE, startExecutable } from '../support/executable.ts';

const ROOT = resolve(import.meta.dir, '../..');
const PATH = `${dirname(EXECUTABLE)}:${process.env.PATH}`;

/** The pages with transcripts, and the configuration that their reader has started. */
const PAGES = [
  ['README.md', 'config/processor.example.yaml'],
  ['docs/processor.md', 'config/processor.yaml'],
] as const;

for (const [page, config] of PAGES) {
  describe(page, async () => {
    const service = await startExecutable(join(ROOT, config));
    const folder = await mkdtemp(join(tmpdir(), 'repo-docs-'));
    const blocks = await blocksOf(join(ROOT, page));
    const example = blocks.find((block) => block.language === 'yaml');
    await writeFile(join(folder, 'cmds.yaml'), example?.text ?? '');
    afterAll(async () => {
      await service.stop();
      await rm(folder, { recursive: true });
    });

    it.each(transcripts(blocks).map((transcript) => [transcript.line, transcript] as const))(
      'shows in line %d what really happens',
      async (_, { commands, output }) => {
        const result = await paste(commands, { cwd: folder, port: service.port, path: PATH });
        expect({ ...result, output: result.output.trimEnd() }).toEqual({
          code: 0,
          output: output.trimEnd(),
          errors: '',
        });
      },
    );
  });
}
