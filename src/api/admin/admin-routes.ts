import { paths } from '../../paths.ts';
import { denied } from '../../repository/access-rule.ts';
import { adminPagesFor } from '../../representation/admin-pages.ts';
import type { ApiServices } from '../api-services.ts';
import type { Call } from '../call.ts';
import { resource } from '../check.ts';
import { PAGE_FORMATS } from '../formats.ts';
import { FORM_HEADERS, formPage } from '../forms/form-answer.ts';
import { describe, PAGE_CONTENT } from '../openapi/describe.ts';

/** The route of the page that leads to the pages for the management of the repository. */
export const adminRoutes = (api: ApiServices) =>
  resource(api).get(paths.admin, ({ call }) => answer(call), {
    check: { formats: PAGE_FORMATS },
    detail: describe({
      operationId: 'getAdminPage',
      tag: 'pages',
      summary: 'Show the pages for the management of the repository',
      isForAnyone: false,
      responses: { 200: { description: 'The page.', headers: FORM_HEADERS, content: PAGE_CONTENT } },
      failures: [403],
    }),
  });

function answer(call: Call): Response {
  const { api, actor, site } = call;
  const pages = adminPagesFor(actor, api.kinds);
  call.allow(pages.length > 0 ? { isAllowed: true } : denied('None of your roles manages this repository.'));
  return formPage(api.pages.admin({ pages }, site));
}
