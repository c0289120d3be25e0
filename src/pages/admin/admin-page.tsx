import { siteRoot } from '../../field-types/display/addresses.ts';
import { paths } from '../../paths.ts';
import { denied } from '../../repository/access-rule.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { formAnswer } from '../../web/form-answer.ts';
import { PAGE_FORMATS } from '../../web/formats.ts';
import { adminPagesFor } from '../../web/page-user.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { ManagedPage, Site } from '../../web/site.ts';
import { formPage } from '../forms/form-page.tsx';

/** The route of the page that leads to the pages for the management of the repository. */
export const adminRoutes = (api: ApiServices) =>
  resource(api).get(paths.admin, ({ call }) => answer(call), { check: { formats: PAGE_FORMATS } });

function answer(call: Call): Response {
  const pages = adminPagesFor(call.api, call.actor);
  call.allow(pages.length > 0 ? { isAllowed: true } : denied('None of your roles manages this repository.'));
  return formAnswer(adminPage(pages, call.site));
}

function adminPage(pages: readonly ManagedPage[], site: Site): HtmlPage {
  const root = siteRoot(site.baseUrl);
  return formPage({
    site,
    heading: 'Manage',
    children: (
      <dl class="page-list">
        {pages
          .filter(({ description }) => description !== undefined)
          .map(({ path, label, description }) => (
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
