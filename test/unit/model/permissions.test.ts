import { describe, expect, it } from 'bun:test';
import { knownPermissions, type Permission, permissionOf } from '../../../src/model/permissions.ts';
import type { Actor } from '../../../src/repository/actor.ts';

const NOTHING = { nodeTypes: [], mediaTypes: [], vocabularies: [], paragraphTypes: [], textFormats: [] };

describe('permissions', () => {
  it('have names that the compiler checks', () => {
    const asked: Permission[] = [];
    const may: Actor['may'] = (permission) => asked.push(permission) > 0;
    may('access content');
    may(permissionOf('create NAME content', 'page'));
    // @ts-expect-error A misspelled permission.
    may('acess content');
    // @ts-expect-error A permission of a bundle that `permissionOf` has not made.
    may('create page content');
    // @ts-expect-error A misspelled pattern.
    may(permissionOf('create NAME contents', 'page'));
    expect(asked.slice(0, 2)).toEqual(['access content', permissionOf('create NAME content', 'page')]);
  });

  it('of a bundle contain its name as it is', () => {
    expect(String(permissionOf('edit own NAME media', '$&'))).toBe('edit own $& media');
  });

  it('are known for each configured bundle and text format', () => {
    const fixed = knownPermissions(NOTHING);
    const known = knownPermissions({ ...NOTHING, nodeTypes: ['page'], textFormats: ['plain'] });
    expect(fixed.has('access content')).toBeTrue();
    expect([...known].filter((each) => !fixed.has(each)).map(String)).toEqual([
      ...['create page content', 'edit own page content', 'edit any page content'],
      ...['delete own page content', 'delete any page content'],
      ...['view page revisions', 'revert page revisions', 'delete page revisions'],
      'use text format plain',
    ]);
  });
});
