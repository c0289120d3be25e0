import { describe, expect, it } from 'bun:test';
import { jsx } from '../../../../src/base/markup/jsx-runtime.ts';
import { ADMIN_PAGES } from '../../../../src/pages/admin/admin-pages.ts';
import { ManageTabs } from '../../../../src/pages/manage/manage-tabs.tsx';
import { paths } from '../../../../src/paths.ts';
import type { Actor } from '../../../../src/repository/actor.ts';
import type { ContentKinds } from '../../../../src/repository/content/kinds.ts';
import type { ManagedPage, Site } from '../../../../src/web/site.ts';
import { elementsOf, PLAIN_THEME } from '../../../support/page.ts';
import { UNRESTRICTED } from '../../../support/unrestricted.ts';

/** The tabs for a user who may open some pages. */
function tabsOf(...managed: readonly ManagedPage[]): string {
  const user = { id: 1, name: 'editor', mayAdd: true, mayManage: true, managed };
  const site: Site = { siteName: 'Town Archive', baseUrl: 'https://repo.example', theme: PLAIN_THEME, user };
  return jsx(ManageTabs, { site, root: '' }).html;
}

/** The pages of content that a user with a permission may open. */
function pagesFor(permission: string): ManagedPage[] {
  const actor = {
    ...UNRESTRICTED,
    isAuthenticated: true,
    may: (name: string) => name === permission,
  } as unknown as Actor;
  return ADMIN_PAGES.filter(({ group, access }) => group === 'content' && access(actor, {} as ContentKinds).isAllowed);
}
const tabsFor = (permission: string) =>
  elementsOf(tabsOf(...pagesFor(permission)), 'a').map(({ attributes }) => attributes.href);

describe('the tabs for the management of content', () => {
  it('has the bulk changes and the report beside the list of nodes', () => {
    expect(tabsFor('administer nodes')).toEqual([
      ...[paths.nodeOverview, paths.accessRequests, paths.bulkRuns, paths.accessibility],
    ]);
  });

  it('has the bulk changes beside the list of media', () => {
    expect(tabsFor('administer media')).toEqual([paths.mediaOverview, paths.bulkRuns]);
  });

  it('has no pages of other groups', () => {
    expect(tabsOf({ path: paths.fixity, label: 'Checks of stored files' })).toBe('');
  });

  it('is left out for users who manage none', () => {
    expect(tabsOf()).toBe('');
  });
});
