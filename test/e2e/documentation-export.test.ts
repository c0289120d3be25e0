import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { cp, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { emptyFolder } from '../support/empty-folder.ts';
import { blocksOf, paste, transcripts } from '../support/examples.ts';
import { putLetters } from '../support/letters.ts';
import { EXECUTABLE, type ServerProcess, startServer } from '../support/server-process.ts';
import { PATIENCE_MS, testTranscripts } from '../support/shown-transcripts.ts';
import { basic } from '../support/test-repository.ts';

const PAGE = resolve(import.meta.dir, '../../docs/export.md');
const IMPORT_PAGE = resolve(import.meta.dir, '../../docs/import.md');
const PATH = `${dirname(EXECUTABLE)}:${process.env.PATH}`;
const PASSWORD = 'documentation';

describe('docs/export.md', async () => {
  const page = await readFile(PAGE, 'utf8');
  const blocks = await blocksOf(PAGE);
  let folder: string;
  let service: ServerProcess;

  const reader = () => ({ cwd: folder, port: service.port, path: PATH, places: { '/srv': folder } });
  const run = (commands: string) => paste(commands, reader());

  beforeAll(async () => {
    folder = await emptyFolder();
    const env = { PATH, REPO_ADMIN_PASSWORD: PASSWORD };
    const serve = () => startServer({ mode: 'repository', cwd: folder, env });
    // One without objects, to take everything back into.
    await (await serve()).stop();
    await cp(join(folder, 'data'), join(folder, 'empty'), { recursive: true });
    service = await serve();
    await putLetters(service, basic('admin', PASSWORD), 3);
  }, PATIENCE_MS);
  afterAll(async () => {
    await service.stop();
  });

  testTranscripts(transcripts(blocks), reader);

  it('lists the files of a bag', async () => {
    const [, listing = ''] = /^```\n(bags\/[\s\S]*?)^```$/m.exec(page) ?? [];
    const [, ...lines] = listing.trimEnd().split('\n');
    // What follows two spaces says what it is, but in the last line, which names several folders.
    const names = lines.flatMap((line) =>
      line.includes('…') ? line.trim().split(/ +/) : (line.trim().split('  ')[0] ?? ''),
    );
    expect(names).toHaveLength(9);
    for (const name of names)
      expect(await run(`ls -d bags/*/${name.replace('/…', '')}`)).toMatchObject({ code: 0, errors: '' });
    expect(listing).toContain('sha256sum -c manifest-sha256.txt');
    expect(await run('for bag in bags/*; do (cd $bag; sha256sum -c manifest-sha256.txt); done')).toMatchObject({
      code: 0,
    });
  });

  it(
    'names commands that import each export again',
    async () => {
      const [row = ''] = /^\| loaded by \|.*$/m.exec(page) ?? [];
      const commands = [...row.matchAll(/`([^`]+)`/g)].map(([, command]) => command as string);
      expect(commands).toHaveLength(3);
      const [, ofPackages = ''] = (await readFile(IMPORT_PAGE, 'utf8')).split('## Bags and OCFL objects');
      const [, ...others] = ofPackages.split(/^(?=repo import --(?:bag|ocfl))/m);
      expect(others).toHaveLength(3);
      commands.push(...others.map((line) => line.split('  ')[0] as string));
      // So far without the parent of what is in them.
      await run('repo export --bag bags; cp -r preservation root; mv preservation storage-root');
      for (const [index, command] of commands.entries()) {
        await cp(join(folder, 'empty'), join(folder, `other-${index}`), { recursive: true });
        expect(await run(`${command} --data other-${index}`)).toMatchObject({
          code: 0,
          output: expect.stringMatching(/^((Imported|Loaded) 4 nodes|4 packages)/),
        });
      }
    },
    PATIENCE_MS,
  );
});
