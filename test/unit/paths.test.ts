import { describe, expect, it } from 'bun:test';
import { entityPath, filePath, pathOf, paths, revisionsPath } from '../../src/paths.ts';

describe('a path', () => {
  it('is its template with the parameters', () => {
    expect(pathOf('nodeCite', { node: 12 })).toBe('/node/12/cite');
    expect(pathOf('nodeMediaSource', { node: 1, media_type: 'image', taxonomy_term: 14 })).toBe(
      '/node/1/media/image/14',
    );
    expect(pathOf('passwordReset', { token: '$&' })).toBe('/user/reset/$&');
    expect(pathOf('home', {})).toBe('/');
  });

  it('ends with the rest of an open template', () => {
    expect(pathOf('asset', { hash: 'a1', '*': 'page.css' })).toBe('/assets/a1/page.css');
    expect(pathOf('imageRequest', { media_uuid: 'u', '*': 'full/max/0/default.jpg' })).toBe(
      '/iiif/3/u/full/max/0/default.jpg',
    );
  });

  it('has parameters and a name that the compiler checks', () => {
    // @ts-expect-error An unknown name.
    expect(() => pathOf('nodeSite', { node: 1 })).toThrow();
    // @ts-expect-error A missing parameter.
    pathOf('nodeRevision', { node: 1 });
    // @ts-expect-error An unknown parameter.
    pathOf('nodeCite', { media: 1 });
  });

  it('of an entity is canonical', () => {
    expect([entityPath.node(1), entityPath.media(2), entityPath.taxonomy_term(3)]).toEqual([
      ...['/node/1', '/media/2', '/taxonomy/term/3'],
    ]);
    expect([entityPath.paragraph(4), entityPath.user(5)]).toEqual(['/entity/paragraph/4', '/user/5']);
  });

  it('of a history names a revision', () => {
    expect(revisionsPath('node', 1)).toBe('/node/1/revisions');
    expect(revisionsPath('media', 2, 7)).toBe('/media/2/revisions/7/view');
  });

  it('of a file is encoded', () => {
    expect(filePath('public://a b/ü.png')).toBe('/sites/default/files/a%20b/%C3%BC.png');
    expect(filePath('private://a.png')).toBe('/system/files/a.png');
    expect(filePath('fedora://a.png')).toBe('/_flysystem/fedora/a.png');
  });

  it('has one template', () => {
    expect(new Set(Object.values(paths).filter((path) => path !== '/')).size).toBe(Object.keys(paths).length - 2);
  });
});
