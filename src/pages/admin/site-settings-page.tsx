import type { Setting } from '../../config/setting.ts';
import { CHANGEABLE_SETTINGS, LOGO_SETTINGS, SITE_NAME, SITE_SETTINGS } from '../../config/site-settings.ts';
import { siteRoot } from '../../field-types/display/addresses.ts';
import { paths } from '../../paths.ts';
import type { SiteSettings } from '../../repository/settings/site-overrides.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { Site } from '../../web/site.ts';
import { DataTable } from '../data-table.tsx';
import { errorOf, type FormProblem } from '../forms/error-summary.tsx';
import { Checkbox, FieldNotes, TextArea, TextInput } from '../forms/field.tsx';
import { ActionBar, FormToken, formPage } from '../forms/form-page.tsx';
import { FileInput } from '../imports/file-input.tsx';
import { AdminCrumbs } from './admin-crumbs.tsx';
import {
  addressesOf,
  LINK_SETTINGS,
  labelsOf,
  linksOf,
  MENU_PAGE,
  pagePath,
  REMOVE,
  RESTORE,
  type SiteFields,
} from './read-site-form.ts';

/** The rows for new links. */
const EMPTY_LINKS = 2;

/** The data of the page. */
export interface SiteSettingsData {
  readonly settings: SiteSettings;
  readonly restartSettings: readonly Readonly<Record<'key' | 'value' | 'origin', string>>[];
  /** The published pages that are no items. */
  readonly pages: readonly { readonly id: number; readonly label: string }[];
  /** The sent form, if it is invalid. */
  readonly fields: SiteFields | undefined;
  readonly errors: readonly FormProblem[];
  readonly formToken: string;
}

interface SettingProps {
  readonly setting: Setting;
  readonly data: SiteSettingsData;
  readonly root: string;
}

/** Returns the form of the settings of the site. */
export function siteSettingsPage(data: SiteSettingsData, site: Site): HtmlPage {
  const root = siteRoot(site.baseUrl);
  return formPage({
    site,
    heading: 'Site',
    errors: data.errors,
    styles: ['fields.css', 'report.css', 'table.css'],
    crumbs: <AdminCrumbs root={root} current="Site" />,
    lead: (
      <p>
        Name, look and links of the site. A change takes effect with the next request, on all servers, and replaces the
        value of the configuration file.
      </p>
    ),
    children: (
      <>
        <form method="post" action={root + paths.siteSettings} encType="multipart/form-data" data-keep>
          <FormToken token={data.formToken} />
          {CHANGEABLE_SETTINGS.map((setting) => (
            <SettingField key={setting.key} setting={setting} data={data} root={root} />
          ))}
          <ActionBar>
            <button type="submit" class="button">
              Save
            </button>
            <a href={root + paths.admin}>Cancel</a>
            <span class="state" role="status" />
          </ActionBar>
        </form>
        <RestartSettings settings={data.restartSettings} />
      </>
    ),
  });
}

/** The settings of the configuration, which this page does not change. */
function RestartSettings({ settings }: { readonly settings: SiteSettingsData['restartSettings'] }) {
  return (
    <section>
      <h2>Settings that need a restart</h2>
      <p class="help">They are in the configuration of the server: its file, options of the command, or variables.</p>
      <DataTable label="Settings that need a restart" class="rows" heads={['Setting', 'Value', 'From']}>
        {settings.map(({ key, value, origin }) => (
          <tr key={key}>
            <th scope="row">{key}</th>
            <td class="lines">{value}</td>
            <td class="origin">{origin}</td>
          </tr>
        ))}
      </DataTable>
    </section>
  );
}

function SettingField(props: SettingProps) {
  return (
    <>
      <Control {...props} />
      <RestoreBox {...props} />
    </>
  );
}

function Control(props: SettingProps) {
  const { setting, data } = props;
  const { key, changeable } = setting;
  const { settings, fields, errors } = data;
  if (LOGO_SETTINGS.includes(setting)) return <LogoField {...props} />;
  if (LINK_SETTINGS.includes(setting)) return <LinkRows {...props} />;
  const present = settings.values[key];
  const value = fields?.get(key)?.[0] ?? (typeof present === 'string' ? shownText(present) : '');
  const common = { name: key, label: changeable?.label, help: changeable?.help, error: errorOf(errors, key), value };
  if (setting === SITE_SETTINGS.introduction) return <TextArea {...common} />;
  return <TextInput {...common} required={setting === SITE_NAME} isFocused={setting === SITE_NAME} />;
}

/** Returns a value as it is typed: a mail address without its scheme. */
function shownText(value: string): string {
  return value.replace(/^mailto:/, '').trim();
}

function LogoField({ setting: { key, changeable }, data: { settings, errors }, root }: SettingProps) {
  const present = settings.values[key] as string | undefined;
  return (
    <>
      <FileInput
        name={key}
        label={changeable?.label}
        accept=".svg,.png,.webp,.jpg,.jpeg,image/svg+xml,image/png,image/webp,image/jpeg"
        help={`${changeable?.help} At most 512 KiB.`}
        error={errorOf(errors, key)}
      />
      {present !== undefined && (
        <div class={key === SITE_SETTINGS.logoDark.key ? 'logo-sample dark' : 'logo-sample'}>
          <img src={root + present} alt={`The present ${changeable?.label.toLowerCase()}`} />
          <Checkbox
            name={REMOVE}
            id={`${key}-remove`}
            value={key}
            label={`Remove the ${changeable?.label.toLowerCase()}`}
            checked={false}
          />
        </div>
      )}
    </>
  );
}

function LinkRows({ setting, data }: SettingProps) {
  const { key, changeable } = setting;
  const { settings, fields, pages, errors } = data;
  const isMenu = setting === SITE_SETTINGS.menu;
  const links = linksOf(setting, settings, fields);
  const inMenu = new Set([
    ...(fields?.get(MENU_PAGE) ?? []).map((id) => `/node/${id}`),
    ...links.map(({ href }) => href),
  ]);
  const rows = isMenu ? links.filter(({ href }) => !pages.some(({ id }) => pagePath(id) === href)) : links;
  const all = [...rows, ...Array.from({ length: EMPTY_LINKS }, () => ({ label: '', href: '' }))];
  return (
    <fieldset class="field" id={key}>
      <legend>{changeable?.label}</legend>
      <FieldNotes name={key} help={changeable?.help} error={errorOf(errors, key)} />
      {isMenu &&
        pages.map(({ id, label }) => (
          <Checkbox
            key={id}
            name={MENU_PAGE}
            id={`menu-page-${id}`}
            value={String(id)}
            label={<bdi>{label}</bdi>}
            checked={inMenu.has(pagePath(id))}
          />
        ))}
      {all.map(({ label, href }, at) => (
        <div class="link-row" key={at}>
          <TextInput name={labelsOf(setting)} id={`${key}-label-${at}`} label={`Text ${at + 1}`} value={label} />
          <TextInput name={addressesOf(setting)} id={`${key}-address-${at}`} label={`Address ${at + 1}`} value={href} />
        </div>
      ))}
    </fieldset>
  );
}

/** The box that gives a changed setting the value of the configuration again. */
function RestoreBox({ setting, data: { settings } }: SettingProps) {
  const { key, changeable } = setting;
  if (!(key in settings.overrides)) return null;
  return (
    <Checkbox
      name={RESTORE}
      id={`${key}-restore`}
      value={key}
      checked={false}
      label={`Restore the file’s value: ${changeable?.label}`}
      help={`Changed here. ${configuredInWords(settings.configured[key])}`}
    />
  );
}

function configuredInWords(value: unknown): string {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return 'The configuration has none.';
  const text = typeof value === 'string' ? value : (value as { label: string }[]).map(({ label }) => label).join(', ');
  return `The configuration has “${text.trim()}”.`;
}
