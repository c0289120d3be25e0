import { paths } from '../../paths.ts';
import type { Site } from '../../representation/page-data.ts';

const TABS = [
  [paths.nodeOverview, 'Content'],
  [paths.mediaOverview, 'Media'],
  [paths.bulkRuns, 'Bulk changes'],
  [paths.accessibility, 'Accessibility'],
] as const;

interface Props {
  readonly site: Site;
  readonly root: string;
  readonly path?: (typeof TABS)[number][0];
}

/** Links between the pages for the management of content that the user may open. */
export function ManageTabs({ site, root, path }: Props) {
  const managed = site.user?.managed ?? [];
  const isOpen = (tab: string): boolean =>
    tab === paths.bulkRuns ? isOpen(paths.nodeOverview) || isOpen(paths.mediaOverview) : managed.includes(tab);
  const tabs = TABS.filter(([href]) => isOpen(href));
  if (tabs.length === 0) return null;
  return (
    <nav class="tabs" aria-label="Manage content">
      <ul>
        {tabs.map(([href, label]) => (
          <li key={href}>
            <a href={root + href} aria-current={href === path ? 'page' : undefined}>
              {label}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
