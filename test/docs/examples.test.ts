import { describe, expect, it } from 'bun:test';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { loadServerConfig } from '../../src/config/load-server-config.ts';
import { DEFAULT_SERVER_CONFIG } from '../../src/config/server-config.ts';
import { settingsIn } from '../../src/config/setting.ts';
import { SETTINGS } from '../../src/config/settings.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { asPromised, blocksOf, paste, transcripts } from '../support/examples.ts';
import { EXECUTABLE } from '../support/server-process.ts';

const ROOT = resolve(import.meta.dir, '../..');
const PATH = `${dirname(EXECUTABLE)}:${process.env.PATH}`;
const folder = await emptyFolder();

describe('README.md', () => {
  it('begins with make serve and make test', async () => {
    const [, , first, second] = (await readFile(join(ROOT, 'README.md'), 'utf8')).split('\n');
    expect({ first: first?.trim().slice(0, 10), second: second?.trim().slice(0, 9) }).toEqual({
      first: 'make serve',
      second: 'make test',
    });
  });
});

describe('an output', () => {
  it.each([
    ['file 5: … found\nmore', 'file 5: 1000 bytes found\nmore'],
    ['Backup 2026-11-22T111607Z: the database, 2.3 MB.', 'Backup 2027-01-02T000000Z: the database, 812.0 kB.'],
  ])('matches %j', (promised, output) => {
    expect(asPromised(output, promised)).toBe(promised);
  });

  it.each([
    ['file 5: … found', 'file 5:  found'],
    ['file 5: … found', 'file 5: one\nfile 6: another found'],
    ['file 5', 'file 5\nfile 6'],
    ['1.5 kB', '125 kB'],
  ])('does not match %j if it is %j', (promised, output) => {
    expect(asPromised(output, promised)).toBe(output);
  });
});

/** Languages of the code blocks in a page: commands with their output, and other text. */
const LANGUAGES = ['sh', 'text', 'yaml', 'csv', 'html', 'mermaid'];

/** The options of check-config for a configuration, by its keys. */
function checkFor(yaml: string): string {
  if (/^allowedMimeTypes:/m.test(yaml)) return '--mode processor';
  return /^(node_types|media_types|vocabularies|roles|rdf|signposting|views|search|harvest|models|access_presets):/m.test(
    yaml,
  )
    ? '--mode repository --model'
    : '--mode repository';
}

describe('every page', async () => {
  const pages = [
    'README.md',
    'CONTRIBUTING.md',
    'CHANGELOG.md',
    ...(await readdir(join(ROOT, 'docs'))).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`),
  ];

  it.each(pages)('has valid configurations: %s', async (page) => {
    const blocks = (await blocksOf(join(ROOT, page))).filter((block) => block.language === 'yaml');
    for (const [index, block] of blocks.entries()) {
      const file = join(folder, `example-${index}.yaml`);
      const isRules = /^(actions|contexts):/m.test(block.text);
      // Rules are named by the configuration of a server, which is called as the pages call them.
      await writeFile(join(folder, 'derivatives.yaml'), isRules ? block.text : '');
      await writeFile(file, isRules ? 'derivatives: { rules: derivatives.yaml }' : block.text);
      const check = checkFor(block.text);
      const result = await paste(`repo check-config ${check} ${file}`, { cwd: folder, port: 0, path: PATH });
      expect(result).toMatchObject({ code: 0, errors: '' });
    }
  });

  it.each(pages)('has only commands that a test runs: %s', async (page) => {
    const folder = join(ROOT, 'test/e2e');
    const tests = (await readdir(folder)).filter((name) => name.startsWith('documentation'));
    const code = await Promise.all(tests.map((name) => readFile(join(folder, name), 'utf8')));
    const text = await readFile(join(ROOT, page), 'utf8');
    // With a prompt, or called bash, it would be no transcript.
    expect(text).not.toMatch(/^ *\$ /m);
    for (const [, language] of text.matchAll(/^ *```(\S+)/gm)) expect(LANGUAGES).toContain(language as string);
    if (transcripts(await blocksOf(join(ROOT, page))).length > 0) expect(code.join('')).toContain(`${page}'`);
  });
});

describe('config/repository.yaml', () => {
  it('shows every setting with its default value', async () => {
    const file = join(ROOT, 'config/repository.yaml');
    const text = await readFile(file, 'utf8');
    expect(await loadServerConfig(file, new Map())).toEqual(DEFAULT_SERVER_CONFIG);
    for (const { key } of settingsIn(SETTINGS)) {
      const [section, ...within] = key.split('.') as [string, ...string[]];
      const [start, ...rest] = text.split(new RegExp(`^(?:# )?${section}:`, 'm'));
      expect(rest.length, `${section} is in ${start?.length} characters`).toBe(1);
      if (within.length > 0) expect(rest.join()).toMatch(new RegExp(`^(?:#|  )[ #]*${within.join()}:`, 'm'));
    }
  });

  it('names the variable and the option of each setting', async () => {
    const [text, { output: help }] = await Promise.all([
      readFile(join(ROOT, 'config/repository.yaml'), 'utf8'),
      paste('repo serve --help', { cwd: folder, port: 0, path: PATH }),
    ]);
    for (const { variable, flag } of settingsIn(SETTINGS)) {
      const names = [variable, flag?.name.split(' ', 1)[0]].filter((name) => name !== undefined);
      for (const name of names)
        expect({ name, isInFile: text.includes(name), isInHelp: help.includes(name) }).toEqual({
          name,
          isInFile: true,
          isInHelp: true,
        });
    }
  });
});

describe('make', () => {
  it('lists each target with a line of help', async () => {
    const { code, output } = await paste('make', { cwd: ROOT, port: 0, path: PATH });
    expect(code).toBe(0);
    for (const target of [
      'serve',
      'build',
      'test',
      'e2e',
      'browser',
      'prove',
      'nightly',
      'check',
      'bench',
      'release',
    ]) {
      expect(output).toMatch(new RegExp(`^  make ${target} +\\S`, 'm'));
    }
  });
});
