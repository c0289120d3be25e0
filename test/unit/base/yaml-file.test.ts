import { beforeAll, describe, expect, it } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError, parseYamlText, readYamlFile } from '../../../src/base/yaml-file.ts';
import { emptyFolder } from '../../support/empty-folder.ts';

const VARIABLES: Record<string, string> = {
  HOST: 'repo.example',
  PORT: '8080',
  ON: 'true',
  RATE: '-1.5',
  TRICKY: 'x: [1, 2] # no',
  NESTED: '${HOST}',
  _A1: 'underscore',
};

let folder: string;
let file: string;
beforeAll(async () => {
  folder = await emptyFolder();
  file = join(folder, 'file.yaml');
});

async function read(text: string) {
  await writeFile(file, text);
  return readYamlFile(file, (name) => VARIABLES[name]);
}

/** The problems of a file that cannot be used, without its folder. */
async function problemsOf(text: string): Promise<string[]> {
  const error = await read(text).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ConfigError);
  return (error as ConfigError).problems.map((problem) => problem.replace(folder, ''));
}

describe('variable replacement', () => {
  it.each([
    ['a: ${HOST}', 'repo.example'],
    ['a: http://${HOST}:${PORT}/x', 'http://repo.example:8080/x'],
    ['a: ${PORT}', 8080],
    ['a: ${RATE}', -1.5],
    ['a: ${ON}', true],
    ['a: "${PORT}"', '8080'],
    ["a: '${ON}'", 'true'],
    ['a: ${TRICKY}', 'x: [1, 2] # no'],
    ['a: ${NESTED}', '${HOST}'],
    ['a: ${_A1}', 'underscore'],
    ['a: $${HOST}', '${HOST}'],
    ['a: $${UNKNOWN}-${HOST}', '${UNKNOWN}-repo.example'],
    ['a: $HOST', '$HOST'],
    ['a: $HOST/$PORT', '$HOST/$PORT'],
    ['a: "${not a name}"', '${not a name}'],
    ['a: "${}"', '${}'],
    ['a: "${1A}"', '${1A}'],
  ])('reads %s as %p', async (text, expected) => {
    expect((await read(text)).value).toEqual({ a: expected });
  });

  it('covers lists, nested maps and keys', async () => {
    const { value } = await read('${HOST}:\n  list: [a, "${PORT}"]\n');
    expect(value).toEqual({ 'repo.example': { list: ['a', '8080'] } });
  });

  it('leaves comments unchanged', async () => {
    expect((await read('# ${UNSET}\na: 1 # ${UNSET}\n')).value).toEqual({ a: 1 });
  });

  it('reports every unset variable with its line', async () => {
    expect(await problemsOf('a: ${ONE}\nb: 1\nc:\n  - ${TWO}-${THREE}\n')).toEqual([
      '/file.yaml:1: the environment variable ONE is not set',
      '/file.yaml:4: the environment variable TWO is not set',
      '/file.yaml:4: the environment variable THREE is not set',
    ]);
  });
});

it('readYamlFile reports each possible variable without braces once, with its first line', async () => {
  const text = 'a: $HOST/$PORT\nb:\n  - "x $HOST"\n  - $MY_1ST\n  - |\n    echo\n    echo $LAST\n';
  expect((await read(text)).bareVariables).toEqual([
    { name: 'HOST', line: 1 },
    { name: 'PORT', line: 1 },
    { name: 'MY_1ST', line: 4 },
    { name: 'LAST', line: 5 },
  ]);
});

it('parseYamlText replaces variables without braces on request, if they are set', () => {
  const values: Record<string, string> = { HOST: 'repo.example', PORT: '8080' };
  const text = `a: $HOST:$PORT\nb: ['\\$HOST $HOSTname $UNSET', "\${PORT}"]\n`;
  const { value, bareVariables } = parseYamlText('file.yaml', text, (name) => values[name], true);
  expect(value).toEqual({ a: 'repo.example:8080', b: ['\\$HOST $HOSTname $UNSET', '8080'] });
  expect(bareVariables).toEqual([{ name: 'UNSET', line: 2 }]);
});

it.each(['$HOME_${HOST}', '$host', '$1', '$$', '$$HOST', '\\$HOST', '$HOSTname', '$A', '${HOST}', '$(HOST)', 'US$'])(
  'readYamlFile reports only real variable names in %j',
  async (text) => {
    const names = (await read(`$KEY: '${text}' # $COMMENT\n`)).bareVariables.map(({ name }) => name);
    expect(names).toEqual(text.startsWith('$HOME') ? ['HOME_'] : []);
  },
);

it('redact replaces values of the environment in a message, and keeps the rest', async () => {
  const { redact } = await read('a: ${HOST}\nb: ${PORT}\n');
  expect(redact('found "http://repo.example:8080/" and other.example')).toBe(
    'found "http://${HOST}:${PORT}/" and other.example',
  );
});

describe('an unusable file', () => {
  it('is reported when it does not exist', async () => {
    const missing = join(folder, 'missing.yaml');
    await expect(readYamlFile(missing, () => undefined)).rejects.toThrow(`${missing}: no such file`);
  });

  it('is reported when it is a folder', async () => {
    await expect(readYamlFile(folder, () => undefined)).rejects.toThrow(/: this is a folder, not a file$/);
  });

  it.each([
    ['an open bracket', 'a: 1\nb: [1, 2\n', /^\/file\.yaml:[23]: /],
    ['a key that stands twice', 'a: 1\nb: 2\na: 3\n', /^\/file\.yaml:3: .*unique/],
    ['a tab as indent', 'a:\n\tb: 1\n', /^\/file\.yaml:2: .*tab/i],
    ['two documents', 'a: 1\n---\nb: 2\n', /^\/file\.yaml:[23]: .*document/],
  ])('is reported with its line: %s', async (_, text, expected) => {
    expect((await problemsOf(text))[0]).toMatch(expected);
  });

  it('is rejected for aliases that expand without limit', async () => {
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${[...'bcdefgh'].map((name, i) => `${name}: &${name} [${`*${'abcdefgh'[i]},`.repeat(9)}]`).join('\n')}\n`;
    await expect(read(bomb)).rejects.toThrow(/alias/i);
  });

  it.each([
    ['allowed:\n  - */*\n', '/file.yaml:2: '],
    ['a: 1\nb: *missing\n', '/file.yaml:2: '],
    ['a: 1\nb: *later\nc: &later 1\n', '/file.yaml:2: '],
  ])('is reported with its line if a word could be an alias: %j', async (text, start) => {
    expect((await problemsOf(text))[0]).toStartWith(start);
  });
});

it('a YAML alias refers to the last value before it with its name', async () => {
  const { value } = await read('a: &x 1\nb: *x\nc: &x { d: 2 }\ne: *x\nf: &y [3]\ng: *y\n');
  expect(value).toEqual({ a: 1, b: 1, c: { d: 2 }, e: { d: 2 }, f: [3], g: [3] });
});

describe('lineOf', () => {
  const TEXT =
    'first: 1\nmap:\n  # comment\n  image/*:\n    args:\n      - one\n      - two\nref: &r\n  x: 1\nalias: *r\n';
  it.each([
    [[], 1],
    [['map'], 2],
    [['map', 'image/*'], 4],
    [['map', 'image/*', 'args', '1'], 7],
    [['map', 'image/*', 'missing'], 4],
    [['map', 'missing', 'deeper'], 2],
    [['alias', 'x'], 9],
    [['nowhere'], 1],
  ])('finds %j in line %i', async (path, line) => {
    expect((await read(TEXT)).lineOf(path)).toBe(line);
  });

  it('returns 1 for an empty file', async () => {
    const empty = await read('');
    expect(empty.lineOf(['a'])).toBe(1);
    expect(empty.value).toBeNull();
  });
});

it('ConfigError sorts problems by line', () => {
  const error = new ConfigError('f', [
    { line: 9, message: 'late' },
    { line: 2, message: 'early' },
  ]);
  expect(error.message).toBe('f:2: early\nf:9: late');
});
