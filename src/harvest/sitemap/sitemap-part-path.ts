import { paths } from '../../paths.ts';

/** Returns the path of a part of the sitemap. A sitemap may name addresses of its own folder and below only. `part` counts from 0. */
export function sitemapPartPath(part: number | 'site'): string {
  return `${paths.sitemap}?part=${part === 'site' ? part : part + 1}`;
}
