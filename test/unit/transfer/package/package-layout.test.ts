import { describe, expect, it } from 'bun:test';
import { pathProblem } from '../../../../src/transfer/files/package-path.ts';
import { bytesPath, documentPath, placeOf } from '../../../../src/transfer/package/package-layout.ts';

const UUID = '01a2019d-c3df-741e-acea-cba782d12895';

describe('placeOf', () => {
  it('recognises the paths of the layout', () => {
    expect(placeOf(documentPath('node', UUID))).toEqual({ kind: 'node' });
    expect(placeOf(documentPath('media', UUID))).toEqual({ kind: 'media', uuid: UUID });
    expect(placeOf(documentPath('taxonomy_term', UUID))).toEqual({ kind: 'taxonomy_term', uuid: UUID });
    expect(placeOf(documentPath('file', UUID))).toEqual({ kind: 'file', uuid: UUID });
    expect(placeOf(documentPath('user', UUID))).toEqual({ kind: 'user', uuid: UUID });
    expect(placeOf(bytesPath(UUID, 'a b.png'))).toEqual({ kind: 'bytes', uuid: UUID });
  });

  it.each([
    'other.txt',
    `media/${UUID.toUpperCase()}.json`,
    `media/../media/${UUID}.json`,
    `files/${UUID}/folder/a.png`,
    `files/${UUID}/`,
    `nodes/${UUID}.json`,
    `${documentPath('media', UUID)}\n`,
  ])('does not recognise %s', (path) => {
    expect(placeOf(path)).toBeUndefined();
  });
});

describe('bytesPath', () => {
  it.each([
    ['page 1.png', 'page 1.png'],
    ['Ærø 頁.tif', 'Ærø 頁.tif'],
    ['..', '_'],
    ['~root', '_root'],
    ['a/b\\c:d.txt', 'a_b_c_d.txt'],
    ['line\nbreak\u202e.png', 'line_break_.png'],
    ['.htaccess', '_htaccess'],
    ['ends. ', 'ends_'],
    ['', 'file'],
    ['CON.txt', '_CON.txt'],
    ['lpt1', '_lpt1'],
    ['console.txt', 'console.txt'],
    ['K%C3%A4the%20M%C3%BCller.jpg', 'Käthe Müller.jpg'],
    ['Ka%CC%88the.jpg', 'Käthe.jpg'],
    ['100%.jpg', '100_.jpg'],
    ['100%25 %zz.jpg', '100_ _zz.jpg'],
    ['a%2Fb%0A%00c.jpg', 'a_b__c.jpg'],
    ['%2E%2E', '_'],
    ['%C3.jpg', '_C3.jpg'],
    ['a%20', 'a_'],
    ['blank at its end\u3000', 'blank at its end_'],
    [`${'a'.repeat(199)} b`, `${'a'.repeat(199)}_`],
  ])('stores %j under a portable name', (name, expected) => {
    const path = bytesPath(UUID, name);
    expect(path).toBe(`files/${UUID}/${expected}`);
    expect(pathProblem(path)).toBeUndefined();
  });

  it('shortens a long name between characters, and keeps the extension', () => {
    const path = bytesPath(UUID, `${'頁'.repeat(200)}.tiff`);
    const name = path.split('/').at(-1) as string;
    expect(Buffer.byteLength(name)).toBeWithin(190, 201);
    expect(name).toMatch(/^頁+\.tiff$/);
  });
});
