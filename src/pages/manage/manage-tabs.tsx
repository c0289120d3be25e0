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

/** The ways between the pages for the management of content. */
export function ManageTabs({ site, root, path }: Props) {
  if (!site.user?.mayManage) return null;
  return (
    <nav class="tabs" aria-label="Manage content">
      <ul>
        {TABS.map(([href, label]) => (
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
