import { parseEntry } from '../config/parse-entry.ts';
import type { Setting } from '../config/setting.ts';
import { CHANGEABLE_SETTINGS, LOGO_SETTINGS, SITE_NAME, SITE_SETTINGS } from '../config/site-settings.ts';
import type { BaseServices } from '../repository/base-services.ts';
import type { Logo } from '../repository/settings/logo.ts';
import {
  findLogoBytes,
  findSiteOverrides,
  parseSiteOverrides,
  type SiteOverrides,
  type SiteSettings,
  type StoredLogo,
} from '../repository/settings/site-overrides.ts';
import type { ApiServices } from '../web/api-services.ts';
import { createSite, type LoadedSite, type SiteValues } from './load-site.ts';

/** The site as requests see it: the settings of the configuration with those that an administrator has changed. */
export type CurrentSite = Pick<ApiServices, 'refreshSite' | 'siteSettings'> & LoadedSite;

/** The settings of a site as one object by their keys. */
type Values = Readonly<Record<string, unknown>>;

/**
 * Creates the site of a process. `refreshSite` reads the settings again if the generation of the database has changed or is
 * unknown, so that a change holds with the next request of any process.
 */
export function createCurrentSite(services: Pick<BaseServices, 'database' | 'warn'>, file: SiteValues): CurrentSite {
  const { database } = services;
  const configured = valuesOf(file);
  const logos = new Map<string, Logo>();
  const first = createSite(file);
  let state = { generation: -1, text: '{}', site: first, settings: settingsOf(first, {}, configured) };
  let isFailing = false;

  async function read(): Promise<void> {
    const { generation, value: text } = await findSiteOverrides(database);
    const shown = text === state.text ? state : await build(text);
    // The older one of two reads at the same time may end last.
    if (generation >= state.generation) state = { ...shown, generation };
    isFailing = false;
  }

  /** Keeps the site as it was if it cannot be read: a request that needs the database meets the same failure. */
  function keep(error: unknown): void {
    if (!isFailing) services.warn('The settings of the site cannot be read; the last known ones apply.', error);
    isFailing = true;
  }

  async function build(text: string): Promise<typeof state> {
    const overrides = parseSiteOverrides(text);
    const images: Record<string, Logo> = {};
    for (const setting of LOGO_SETTINGS) {
      const stored = overrides[setting.key] as StoredLogo | null | undefined;
      if (stored) images[setting.key] = await imageOf(setting, stored);
    }
    const entries = Object.fromEntries(
      CHANGEABLE_SETTINGS.filter((each) => !LOGO_SETTINGS.includes(each)).flatMap((each) =>
        overridden(each, overrides),
      ),
    );
    const values: Values = { ...configured, ...entries };
    const logoOf = ({ key }: Setting, usual: Logo | undefined) => (key in overrides ? images[key] : usual);
    const site = createSite({
      siteName: values[SITE_NAME.key] as string,
      site: siteValuesOf(values),
      logo: logoOf(SITE_SETTINGS.logo, file.logo),
      logoDark: logoOf(SITE_SETTINGS.logoDark, file.logoDark),
    });
    return { generation: -1, text, site, settings: settingsOf(site, overrides, configured, values) };
  }

  async function imageOf(setting: Setting, { hash, ...facts }: StoredLogo): Promise<Logo> {
    const known = logos.get(hash);
    if (known !== undefined) return known;
    const bytes = (await findLogoBytes(database, setting.key)) ?? new Uint8Array();
    const image = { ...facts, bytes };
    logos.clear();
    logos.set(hash, image);
    return image;
  }

  /** Returns the value that replaces one of the configuration, if it is valid: rules may be stricter than when it was stored. */
  function overridden(setting: Setting, overrides: SiteOverrides): [string, unknown][] {
    const { key } = setting;
    if (!(key in overrides)) return [];
    if (overrides[key] === null) return [[key, setting.default]];
    try {
      return [[key, parseEntry(setting, overrides[key])]];
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      services.warn(`The stored setting ${key} is invalid, and that of the configuration applies.`, error);
      return [];
    }
  }

  return {
    get siteName() {
      return state.site.siteName;
    },
    get theme() {
      return state.site.theme;
    },
    get siteVersion() {
      return state.site.siteVersion;
    },
    get siteSettings() {
      return state.settings;
    },
    findAsset: (name) => state.site.findAsset(name),
    refreshSite: () => (database.knownGeneration() === state.generation ? undefined : read().catch(keep)),
  };
}

/** Adds the site to the services of requests, of which it stays the current one. */
export function withCurrentSite<Services extends object>(
  site: CurrentSite,
  services: Services,
): Services & CurrentSite {
  return Object.defineProperties(services, Object.getOwnPropertyDescriptors(site)) as Services & CurrentSite;
}

function settingsOf(
  { theme }: LoadedSite,
  overrides: SiteOverrides,
  configured: Values,
  values: Values = configured,
): SiteSettings {
  const paths = { [SITE_SETTINGS.logo.key]: theme.logo?.path, [SITE_SETTINGS.logoDark.key]: theme.logoDark?.path };
  return { overrides, configured, values: { ...values, ...paths } };
}

function valuesOf({ siteName, site }: SiteValues): Values {
  const members = Object.entries(site).map(([name, value]) => [`site.${name}`, value]);
  return { [SITE_NAME.key]: siteName, ...Object.fromEntries(members) };
}

function siteValuesOf(values: Values): SiteValues['site'] {
  const names = Object.keys(SITE_SETTINGS);
  return Object.fromEntries(names.map((name) => [name, values[`site.${name}`]])) as SiteValues['site'] & object;
}
