import { siteRoot } from '../../field-types/display/addresses.ts';
import { paths } from '../../paths.ts';
import type { Site } from '../../representation/page-data.ts';
import type { SettingsData } from '../../representation/settings-data.ts';
import { Checkbox } from '../forms/field.tsx';
import { ActionBar, FormToken, formPage } from '../forms/form-page.tsx';
import type { HtmlPage } from '../layout.tsx';
import { AdminCrumbs } from './admin-crumbs.tsx';

/** Returns the form of the settings that change at run time. */
export function settingsPage({ settings, formToken }: SettingsData, site: Site): HtmlPage {
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
