import { describe, expect, it } from 'bun:test';
import { chmod, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { emptyFolder } from '../../support/empty-folder.ts';
import { createProcessorWithin } from '../../support/test-processor.ts';
import { until } from '../../support/until.ts';

const folder = await emptyFolder();
const first = join(folder, 'first');
const second = join(folder, 'second');
const commands = `
allowedMimeTypes: [text/*, image/png]
maxConcurrent: 3
cmdByMimeType:
  text/plain: { cmd: ${first} }
  text/*: { cmd: cat, requires: [tr, ${second}] }
  image/png:
    cmdByDestination:
      text/plain: { cmd: ${first}, requires: [${second}] }
      text/html: { cmd: cat }
`;

async function install(program: string): Promise<void> {
  await writeFile(program, '#!/bin/sh\ncat\n');
  await chmod(program, 0o755);
}

describe('a processor within the repository', () => {
  it('reports the programs that the command for two types lacks', async () => {
    const { processor, log, stop } = await createProcessorWithin(commands);
    expect(processor.missingFor('text/plain', 'x/y')).toEqual([first]);
    expect(processor.missingFor('Text/CSV; charset=utf-8', 'x/y')).toEqual([second]);
    expect(processor.missingFor('image/png', 'text/plain')).toEqual([first, second]);
    expect(processor.missingFor('image/png', 'text/html')).toEqual([]);
    const notChosen: [string, string][] = [
      ['image/png', 'text/csv'],
      ['image/gif', 'text/plain'],
      ['nonsense', 'text/plain'],
    ];
    for (const [from, to] of notChosen) expect(processor.missingFor(from, to)).toEqual([]);
    expect(log.find((line) => line.missing !== undefined)?.msg).toBe(
      `this machine lacks ${first} and ${second}: derivatives that need them wait until they are installed`,
    );
    await stop();
  });

  it('does not run a command whose required program is missing', async () => {
    const { post, log, stop } = await createProcessorWithin(commands);
    const { response, stderrLine } = await post('text/csv', 'a,b');
    expect({ status: response.status, body: await response.text() }).toEqual({
      status: 500,
      body: 'No command is configured that makes something from text/csv.\n',
    });
    expect(stderrLine()).toBeUndefined();
    expect(log.at(-1)?.failure).toMatchObject({ cause: `Error: this machine lacks ${second}` });
    await stop();
  });

  it('detects each installed program and logs it', async () => {
    const { processor, post, log, stop } = await createProcessorWithin(commands);
    let changes = 0;
    processor.onChange(() => {
      changes += 1;
    });
    const found = () => log.filter((line) => line.found !== undefined).map(({ level, msg }) => `${level}: ${msg}`);
    await install(second);
    await until(() => changes === 1);
    expect(processor.missingFor('image/png', 'text/plain')).toEqual([first]);
    expect(await (await post('text/csv', 'a,b')).response.text()).toBe('a,b');
    await install(first);
    await until(() => changes === 2);
    expect(processor.missingFor('image/png', 'text/plain')).toEqual([]);
    expect(await (await post('text/plain', 'a file')).response.text()).toBe('a file');
    expect(found()).toEqual([`info: this machine has ${second} now`, `info: this machine has ${first} now`]);
    await stop();
    await rm(first);
    await rm(second);
  });

  it('checks for the programs of a new configuration, until it stops', async () => {
    const { processor, reload, log, stop } = await createProcessorWithin(
      'allowedMimeTypes: ["*"]\ncmdByMimeType: { default: { cmd: cat } }\n',
    );
    await reload(commands);
    await install(first);
    await until(() => processor.missingFor('text/plain', 'x/y').length === 0);
    await stop();
    const lines = log.length;
    const other = await createProcessorWithin(commands);
    await install(second);
    await until(() => other.processor.missingFor('image/png', 'text/plain').length === 0);
    await other.stop();
    expect(log).toHaveLength(lines);
    expect(processor.missingFor('image/png', 'text/plain')).toEqual([second]);
    await rm(first);
    await rm(second);
  });

  it('notifies listeners of a reloaded configuration, but not of a rejected one', async () => {
    const { processor, reload, stop } = await createProcessorWithin(commands);
    const seen: number[] = [];
    processor.onChange(() => void seen.push(processor.maxConcurrent));
    expect(processor.maxConcurrent).toBe(3);
    await reload(commands.replace('maxConcurrent: 3', 'maxConcurrent: none'));
    expect({ maxConcurrent: processor.maxConcurrent, seen }).toEqual({ maxConcurrent: 3, seen: [] });
    await reload(commands.replace('maxConcurrent: 3', 'maxConcurrent: 5'));
    expect({ maxConcurrent: processor.maxConcurrent, seen }).toEqual({ maxConcurrent: 5, seen: [5] });
    await stop();
  });
});
