import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { parse } from 'csv-parse/sync';
import { emptyFolder } from '../support/empty-folder.ts';
import { asPromised, blocksOf, indentedBlocksOf, paste } from '../support/examples.ts';
import { EXECUTABLE, type ServerProcess, startServer } from '../support/server-process.ts';
import { PATIENCE_MS } from '../support/shown-transcripts.ts';

const PAGE = resolve(import.meta.dir, '../../docs/import.md');
const PATH = `${dirname(EXECUTABLE)}:${process.env.PATH}`;

describe('docs/import.md', async () => {
  const tables = (await blocksOf(PAGE)).filter(({ language }) => language === 'csv').map(({ text }) => text);
  const [usual = '', book = '', results = ''] = tables;
  const [command = ''] = await indentedBlocksOf(PAGE);
  let folder: string;
  let service: ServerProcess;

  const env = { PATH, REPO_ADMIN_PASSWORD: 'documentation', REPO_BASE_URL: 'https://example.org' };
  const run = (commands: string) => paste(commands, { cwd: folder, port: service.port, path: PATH, env });

  beforeAll(async () => {
    folder = await emptyFolder();
    service = await startServer({ mode: 'repository', cwd: folder, env });
  }, PATIENCE_MS);
  afterAll(async () => {
    await service.stop();
  });

  /** Puts a table there, with the files that it names. */
  async function put(table: string): Promise<void> {
    await writeFile(join(folder, 'nodes.csv'), table);
    const rows: Record<string, string>[] = parse(table, { columns: true });
    const others = rows.flatMap(({ additional_files: cell = '' }) =>
      cell.split('|').map((each) => each.replace(/^.*:/, '')),
    );
    for (const name of [...rows.map(({ file = '' }) => file), ...others].filter((each) => each !== '')) {
      await mkdir(dirname(join(folder, 'scans', name)), { recursive: true });
      await writeFile(join(folder, 'scans', name), `bytes of ${name}`);
    }
  }

  it.each([
    [
      'first',
      usual,
      (await readFile(PAGE, 'utf8')).match(/`(--create-terms \w+ --create-terms \w+)` creates them/)?.[1],
    ],
    ['second', book, ''],
  ])('shows a %s table that can be imported', async (_, table, more) => {
    await put(table);
    const checked = await run(`${command.trimEnd()} ${more} --check`);
    expect(checked).toEqual({ code: 0, output: expect.stringContaining('can be imported'), errors: '' });
  });

  it('shows the results of the second table', async () => {
    await put(book);
    expect(await run(command)).toMatchObject({ code: 0, errors: '' });
    const told = await readFile(join(folder, 'nodes.result.csv'), 'utf8');
    const shown = withoutIds(results.trimEnd());
    const found = withoutIds(told).split('\n').slice(0, shown.split('\n').length);
    expect(asPromised(found.join('\n'), shown)).toBe(shown);
  });
});

/** Results with no numbers of nodes and media, which are others in each repository. */
function withoutIds(table: string): string {
  return table.replaceAll(/(?<=loaded,|\/node\/|:)\d+/g, 'N');
}
