import { siteRoot } from '../../field-types/display/addresses.ts';
import { etagOf } from '../../http/etag.ts';
import { paths } from '../../paths.ts';
import { changeSettings } from '../../repository/settings/change-settings.ts';
import { SETTING_NAMES, SETTINGS } from '../../repository/settings/settings.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { formAnswer, seeOther } from '../../web/form-answer.ts';
import { PAGE_FORMATS } from '../../web/formats.ts';
import { type HtmlPage, VARY_BY_ACCEPT } from '../../web/respond.ts';
import { settingsForms, settingsJson } from '../../web/settings-change.ts';
import type { Site } from '../../web/site.ts';
import { Checkbox } from '../forms/field.tsx';
import { ActionBar, FormToken, formPage } from '../forms/form-page.tsx';
import { AdminCrumbs } from './admin-crumbs.tsx';
import { defineAdminPage } from './define-admin-page.ts';

/** The page of the settings that change at run time. Its address also answers JSON: `api/settings` reads it. */
export const settingsAdminPage = defineAdminPage({
  path: paths.coreSettings,
  label: 'Settings',
  description: 'Settings that change while the repository runs.',
  permission: 'administer site configuration',
  routes: (api, access) =>
    resource(api).post(
      paths.coreSettings,
      async ({ call, body }) => {
        await changeSettings(api.services.database, body);
        return seeOther(call, paths.coreSettings, 'The settings are saved.');
      },
      { check: { form: 'signed', formats: PAGE_FORMATS, access }, body: settingsForms },
    ),
});

/** Answers the form of all settings. */
export async function answerSettings(call: Call): Promise<Response> {
  const { value } = await call.api.findSettings();
  const settings = SETTING_NAMES.map((name) => {
    const { label, description, default: standard } = SETTINGS[name];
    return { name, label, description, value: value[name], isDefault: value[name] === standard };
  });
  const headers = { ETag: etagOf(settingsJson(value)), ...(call.isNegotiated && { Vary: VARY_BY_ACCEPT }) };
  return formAnswer(settingsPage({ settings, formToken: call.formToken }, call.site), 200, headers);
}

/** A setting that administrators change at run time, for its form. */
interface SettingField {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly value: boolean;
  readonly isDefault: boolean;
}

/** The data of the page of settings. */
interface SettingsData {
  readonly settings: readonly SettingField[];
  readonly formToken: string;
}

function settingsPage({ settings, formToken }: SettingsData, site: Site): HtmlPage {
  const root = siteRoot(site.baseUrl);
  return formPage({
    site,
    heading: 'Settings',
    lead: (
      <p>
        A change takes effect with the next request, on all servers. All other settings are in the configuration file,
        and require a restart.
      </p>
    ),
    crumbs: <AdminCrumbs root={root} />,
    children: (
      <form method="post" action={root + paths.coreSettings} data-keep>
        <FormToken token={formToken} />
        {settings.map(({ name, label, description, value, isDefault }) => (
          <Checkbox
            key={name}
            name={name}
            label={label}
            checked={value}
            help={`${description} It is ${value ? 'on' : 'off'}${isDefault ? ', the default' : ''}.`}
          />
        ))}
        <ActionBar>
          <button type="submit" class="button">
            Save
          </button>
          <a href={root + paths.admin}>Cancel</a>
          <span class="state" role="status" />
        </ActionBar>
      </form>
    ),
  });
}
