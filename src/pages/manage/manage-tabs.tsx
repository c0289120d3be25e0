import type { Site } from '../../web/site.ts';

interface Props {
  readonly site: Site;
  readonly root: string;
  /** The path of this page, if it is one of the tabs. */
  readonly path?: string;
}

/** Links between the pages for the management of content that the user may open. */
export function ManageTabs({ site, root, path }: Props) {
  const tabs = site.user?.managed?.filter(({ group }) => group === 'content') ?? [];
  if (tabs.length === 0) return null;
  return (
    <nav class="tabs" aria-label="Manage content">
      <ul>
        {tabs.map((tab) => (
          <li key={tab.path}>
            <a href={root + tab.path} aria-current={tab.path === path ? 'page' : undefined}>
              {tab.label}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
