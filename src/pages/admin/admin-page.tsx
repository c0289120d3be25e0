import { siteRoot } from '../../field-types/display/addresses.ts';
import type { AdminData } from '../../representation/account-data.ts';
import type { Site } from '../../representation/page-data.ts';
import { formPage } from '../forms/form-page.tsx';
import type { HtmlPage } from '../layout.tsx';

/** Returns the page that leads to all pages for the management of the repository. */
export function adminPage({ pages }: AdminData, site: Site): HtmlPage {
  const root = siteRoot(site.baseUrl);
  return formPage({
    site,
    heading: 'Manage',
    children: (
      <dl class="page-list">
        {pages.map(({ path, label, description }) => (
          <div key={path}>
            <dt>
              <a href={root + path}>{label}</a>
            </dt>
            <dd>{description}</dd>
          </div>
        ))}
      </dl>
    ),
  });
}
