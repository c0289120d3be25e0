import { describe, expect, it } from 'bun:test';
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { ManageTabs } from '../../../../src/pages/manage/manage-tabs.tsx';
import { paths } from '../../../../src/paths.ts';
import type { Site } from '../../../../src/representation/page-data.ts';
import { elementsOf, PLAIN_THEME } from '../../../support/page.ts';

/** The tabs for a user who manages some lists. */
function tabsOf(...managed: readonly string[]): string {
  const user = { managed } as Partial<NonNullable<Site['user']>> as NonNullable<Site['user']>;
  const site: Site = { siteName: 'Town Archive', baseUrl: 'https://repo.example', theme: PLAIN_THEME, user };
  return renderToString(h(ManageTabs, { site, root: '' }));
}
const tabsFor = (...managed: readonly string[]) =>
  elementsOf(tabsOf(...managed), 'a').map(({ attributes }) => attributes.href);

describe('the tabs for the management of content', () => {
  it.each([paths.nodeOverview, paths.mediaOverview])('has the bulk changes for users who manage %s', (list) => {
    expect(tabsFor(list)).toEqual([list, paths.bulkRuns]);
  });

  it('has other lists without the bulk changes', () => {
    expect(tabsFor(paths.accessibility)).toEqual([paths.accessibility]);
  });

  it('is left out for users who manage none', () => {
    expect(tabsOf()).toBe('');
  });
});
