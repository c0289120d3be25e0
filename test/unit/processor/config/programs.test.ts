import { expect, it } from 'bun:test';
import { join } from 'node:path';
import { parse } from 'yaml';
import { listInWords, listWithPackages } from '../../../../src/processor/config/programs.ts';

it.each([
  [[], ''],
  [['a'], 'a'],
  [['a', 'b'], 'a and b'],
  [['a', 'b', 'c'], 'a, b and c'],
])('listInWords joins %j as "%s"', (items, words) => {
  expect(listInWords(items)).toBe(words);
});

it('listWithPackages adds the packages of known programs, and leaves others', () => {
  expect(listWithPackages(['convert', 'mytool', 'constructor', 'tesseract'])).toBe(
    'convert (Debian: imagemagick, Homebrew: imagemagick), mytool, constructor and ' +
      'tesseract (Debian: tesseract-ocr, Homebrew: tesseract)',
  );
});

it('listWithPackages knows every program of the default configuration, except the shell', async () => {
  const file = join(import.meta.dir, '../../../../config/processor.yaml');
  const named = new Set<string>();
  parse(await Bun.file(file).text(), (key, value) => {
    if (key === 'cmd') named.add(String(value));
    if (key === 'requires') for (const program of value as string[]) named.add(program);
    return value;
  });
  named.delete('sh');
  expect(named.size).toBeGreaterThan(8);
  for (const program of named) expect(listWithPackages([program])).toContain('Homebrew');
});
