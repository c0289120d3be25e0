import { expect, it } from 'bun:test';
import { sitemapPartPath } from '../../../../src/harvest/sitemap/sitemap-part-path.ts';

it('the path of a part of the sitemap counts from 1', () => {
  expect([sitemapPartPath('site'), sitemapPartPath(0)]).toEqual(['/sitemap.xml?part=site', '/sitemap.xml?part=1']);
});
