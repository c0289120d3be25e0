import { paths } from '../../paths.ts';
import { findPlainPages } from '../../repository/content/lists/find-plain-pages.ts';
import { changeSite } from '../../repository/settings/site-overrides.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { formAnswer, seeOther } from '../../web/form-answer.ts';
import { PAGE_FORMATS } from '../../web/formats.ts';
import type { FormProblem } from '../forms/error-summary.tsx';
import { defineAdminPage } from './define-admin-page.ts';
import { readSiteForm, type SiteFields } from './read-site-form.ts';
import { siteSettingsPage } from './site-settings-page.tsx';

/** The page of name, look and links of the site. */
export const siteSettingsAdminPage = defineAdminPage({
  path: paths.siteSettings,
  label: 'Site',
  description: 'Name, logo, colours, first page, header menu and footer.',
  permission: 'administer site configuration',
  routes: (api, access) =>
    resource(api)
      .get(paths.siteSettings, ({ call }) => answer(call), { check: { formats: PAGE_FORMATS, access } })
      .post(paths.siteSettings, ({ call }) => change(call), {
        parse: 'none',
        check: { form: 'files', formats: PAGE_FORMATS, access },
      }),
});

async function change(call: Call): Promise<Response> {
  const { services } = call.api;
  const { fields, changes, errors } = await readSiteForm(call, await findPlainPages(services));
  if (errors.length > 0) return answer(call, fields, errors);
  await changeSite(services.database, changes);
  return seeOther(call, paths.siteSettings, changes.size === 0 ? 'Nothing has changed.' : 'The site is saved.');
}

async function answer(call: Call, fields?: SiteFields, errors: readonly FormProblem[] = []): Promise<Response> {
  const { siteSettings: settings, restartSettings, services } = call.api;
  const pages = await findPlainPages(services);
  const data = { settings, restartSettings, pages, fields, errors, formToken: call.formToken };
  return formAnswer(siteSettingsPage(data, call.site), errors.length > 0 ? 422 : 200);
}
