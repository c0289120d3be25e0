import { afterAll, beforeAll, describe } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { emptyFolder } from '../support/empty-folder.ts';
import { blocksOf, transcripts } from '../support/examples.ts';
import { EXECUTABLE, type ServerProcess, startServer } from '../support/server-process.ts';
import { testTranscripts } from '../support/shown-transcripts.ts';

const ROOT = resolve(import.meta.dir, '../..');
const PATH = `${dirname(EXECUTABLE)}:${process.env.PATH}`;

const PASSWORD = 'documentation';

/** The page that continues in the repository of the README. */
const FIRST_COLLECTION = 'docs/first-collection.md';

/** The pages with transcripts, and what their reader has started, with the flags that the page names. */
const PAGES = [
  ['README.md', 'repository'],
  [FIRST_COLLECTION, 'repository'],
  ['docs/configuration.md', 'repository'],
  ['docs/model.md', 'repository --mode repository'],
  ['docs/operating.md', 'repository --mode repository'],
  ['docs/accounts.md', 'repository --mode repository'],
  ['docs/repository.md', 'repository'],
  ['docs/linked.md', 'repository --mode repository'],
  ['docs/iiif.md', 'repository --mode repository'],
  ['docs/authorities.md', 'repository --mode repository'],
  ['docs/robots.md', 'repository --mode repository'],
  ['docs/harvesting.md', 'repository --mode repository'],
  ['docs/usage.md', 'repository --mode repository'],
  ['docs/derivatives.md', 'repository'],
  ['docs/uploading.md', 'repository --mode repository'],
  ['docs/import.md', 'repository --mode repository'],
  ['docs/processor-first-steps.md', 'config/processor.example.yaml'],
  ['docs/processor.md', 'config/processor.yaml'],
] as const;

for (const [page, started] of PAGES) {
  describe(page, async () => {
    const before = page === FIRST_COLLECTION ? await blocksOf(join(ROOT, 'README.md')) : [];
    const blocks = [...before, ...(await blocksOf(join(ROOT, page)))];
    let folder: string;
    let service: ServerProcess;
    // Not before: for a page that is filtered out nothing would end it.
    beforeAll(async () => {
      folder = await emptyFolder();
      const [begun, ...args] = started.split(' ');
      service =
        begun === 'repository'
          ? await startServer({ args, cwd: folder, env: { PATH, REPO_ADMIN_PASSWORD: PASSWORD } })
          : await startServer({ mode: 'processor', config: join(ROOT, started) });
      const example = blocks.find((block) => block.language === 'yaml');
      for (const name of ['cmds.yaml', 'repository.yaml']) await writeFile(join(folder, name), example?.text ?? '');
    });
    afterAll(async () => {
      await service.stop();
    });

    testTranscripts(transcripts(blocks), () => {
      const env = { AUTH: `admin:${PASSWORD}` };
      return { cwd: folder, port: service.port, path: PATH, env };
    });
  });
}
