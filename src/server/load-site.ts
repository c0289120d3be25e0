import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { contrastOf, nearestWithContrast } from '../base/contrast.ts';
import { ConfigError } from '../base/yaml-file.ts';
import type { RepositoryConfig } from '../config/server-config.ts';
import type { Setting } from '../config/setting.ts';
import { DARK_PAPERS, SITE_SETTINGS } from '../config/site-settings.ts';
import { type Asset, createAsset, findAsset } from '../pages/assets/assets.ts';
import { pathOf } from '../paths.ts';
import { type Logo, logoSize } from '../repository/settings/logo.ts';
import type { SiteTheme } from '../web/site.ts';

const LOGO_TYPES: Readonly<Record<string, string>> = {
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
};
/** The contrast of a dark accent that is derived from the light one. */
const DERIVED_CONTRAST = 7;
/** The text on the accent colour: the one with more contrast. */
const ACCENT_INKS = ['#ffffff', '#0d1a20'] as const;

/** The values of the settings of a site: of the configuration, or with those that replace them. */
export interface SiteValues extends Pick<RepositoryConfig, 'siteName'> {
  readonly site: Omit<RepositoryConfig['site'], 'logo' | 'logoDark' | 'robots'>;
  readonly logo: Logo | undefined;
  readonly logoDark: Logo | undefined;
}

/** The theme of a site with the files that pages load. */
export interface LoadedSite {
  readonly siteName: string;
  readonly theme: SiteTheme;
  /** Changes with name and theme. */
  readonly siteVersion: string;
  readonly findAsset: (name: string) => Asset | undefined;
}

/** Reads the files that the settings of the pages name. Throws ConfigError. */
export async function loadSite({ siteName, site }: Pick<RepositoryConfig, 'site' | 'siteName'>): Promise<SiteValues> {
  const load = async (setting: Setting, file: string | undefined) =>
    file === undefined ? undefined : loadLogo(setting.key, file);
  return {
    siteName,
    site,
    logo: await load(SITE_SETTINGS.logo, site.logo),
    logoDark: await load(SITE_SETTINGS.logoDark, site.logoDark),
  };
}

/** Creates what pages need of a site. */
export function createSite({ siteName, site, logo, logoDark }: SiteValues): LoadedSite {
  const { introduction, footerLinks, menu, contact, accent, accentDark } = site;
  const assets = new Map<string, Asset>();
  const add = (name: string, asset: Asset) => {
    assets.set(name, asset);
    return pathOf('asset', { hash: asset.hash, '*': name });
  };
  const addLogo = (name: string, image: Logo | undefined) =>
    image && {
      path: add(name + extensionOf(image), createAsset(image.bytes, image.type)),
      width: image.width,
      height: image.height,
    };
  const style = accentStyle(accent, accentDark);
  const stylePath =
    style === undefined
      ? undefined
      : add('accent.css', createAsset(new TextEncoder().encode(style), 'text/css; charset=utf-8'));
  const theme: SiteTheme = {
    ...{ introduction, footerLinks, menu, contact, stylePath },
    // Without a light one, the name is the logo of a site in light mode.
    logo: addLogo('logo', logo),
    logoDark: logo && addLogo('logo-dark', logoDark),
  };
  return {
    siteName,
    theme,
    siteVersion: new Bun.CryptoHasher('sha256').update(JSON.stringify([siteName, theme])).digest('base64url'),
    findAsset: (name) => assets.get(name) ?? findAsset(name),
  };
}

function extensionOf({ type }: Logo): string {
  return Object.entries(LOGO_TYPES).find(([, each]) => each === type)?.[0] ?? '';
}

function accentStyle(light: string | undefined, dark: string | undefined): string | undefined {
  const darker = dark ?? (light && nearestWithContrast(light, DARK_PAPERS, DERIVED_CONTRAST));
  const rule = (accent: string) => `:root{--accent:${accent};--accent-ink:${inkOn(accent)}}`;
  const rules = [
    ...(light === undefined ? [] : [`@media screen{${rule(light)}}`]),
    ...(darker === undefined ? [] : [`@media screen and (prefers-color-scheme:dark){${rule(darker)}}`]),
  ];
  return rules.length === 0 ? undefined : rules.join('\n');
}

function inkOn(accent: string): string {
  const [light, dark] = ACCENT_INKS;
  return contrastOf(accent, light) >= contrastOf(accent, dark) ? light : dark;
}

async function loadLogo(key: string, file: string): Promise<Logo> {
  const invalid = (message: string) => new ConfigError(file, [{ message: `${key}: ${message}` }]);
  const type = LOGO_TYPES[extname(file).toLowerCase()];
  if (type === undefined) throw invalid('a logo must be an SVG, PNG, WebP or JPEG file');
  const bytes = await readLogo(file, invalid);
  try {
    const { width, height } = logoSize(bytes);
    return { bytes, type, width, height };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw invalid(error.message);
  }
}

async function readLogo(file: string, invalid: (message: string) => ConfigError): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return new Uint8Array(await readFile(file));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw invalid(code === 'ENOENT' ? 'no such file' : `the file cannot be read (${code})`);
  }
}
