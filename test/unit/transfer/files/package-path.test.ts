import { describe, expect, it } from 'bun:test';
import { PathRegister, pathProblem } from '../../../../src/transfer/files/package-path.ts';

describe('a path of a package', () => {
  it.each(['a', 'a/b.txt', 'ä/ü.txt', 'a b/c', '.hidden/x', 'a~b', '100%25', 'a\nb', 'x/..y'])('may be %j', (path) => {
    expect(pathProblem(path)).toBeUndefined();
  });

  it.each([
    ['', 'empty'],
    ['/etc/passwd', 'absolute'],
    ['C:/x', 'absolute'],
    ['../x', 'the part ..'],
    ['a/../x', 'the part ..'],
    ['a/./x', 'the part .'],
    ['a//x', 'empty part'],
    ['a/', 'empty part'],
    ['~/x', 'home folder'],
    ['a\\..\\x', 'the separator of folders is /'],
    ['a\0b', 'NUL'],
    ['a\ufffdb', 'UTF-8'],
  ])('must not be %j', (path, reason) => {
    expect(pathProblem(path)).toContain(reason);
  });
});

describe('a path of a package that is too long', () => {
  it('is refused in total length and in each part', () => {
    expect(pathProblem('x'.repeat(256))).toContain('longer than 255');
    expect(pathProblem(`${'xy/'.repeat(2_000)}z`)).toContain('longer than 4000');
  });
});

describe('the paths of a package', () => {
  it.each([
    ['a/B.txt', 'a/b.txt', 'the same name on some file systems'],
    ['\u00e9.txt', 'e\u0301.txt', 'the same name on some file systems'],
    ['Folder/a', 'folder/b', 'the same name on some file systems'],
    ['a', 'a/b', 'the same name on some file systems'],
    ['a/b', 'A', 'the same name on some file systems'],
    ['a', 'a', 'duplicate path '],
  ])('are refused for both %j and %j', (one, other, reason) => {
    const register = new PathRegister();
    register.add(one, 'The bag');
    expect(() => register.add(other, 'The bag')).toThrow(reason);
  });

  it('may be numerous in one folder', () => {
    const register = new PathRegister();
    for (let count = 0; count < 1_000; count++) register.add(`a/b/${count}`, 'The bag');
    expect(() => register.add('a/b/7', 'The bag')).toThrow('duplicate path "a/b/7"');
  });
});
