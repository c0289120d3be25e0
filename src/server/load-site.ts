import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { imageSize } from 'image-size';
import { contrastOf, nearestWithContrast } from '../base/contrast.ts';
import { ConfigError } from '../base/yaml-file.ts';
import type { RepositoryConfig } from '../config/server-config.ts';
import { DARK_PAPERS } from '../config/site-settings.ts';
import { type Asset, createAsset, findAsset } from '../pages/assets/assets.ts';
import { pathOf } from '../paths.ts';
import type { ApiServices } from '../web/api-services.ts';

const MAX_LOGO_BYTES = 512 * 1024;
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

/** The theme of a site with the files that pages load. */
export interface LoadedSite {
  readonly theme: ApiServices['theme'];
  readonly findAsset: (name: string) => Asset | undefined;
}

/** Reads the files that the settings of the pages name. Throws ConfigError. */
export async function loadSite({ site }: Pick<RepositoryConfig, 'site'>): Promise<LoadedSite> {
  const { introduction, footerLinks, accent, accentDark } = site;
  const assets = new Map<string, Asset>();
  const add = (name: string, asset: Asset) => {
    assets.set(name, asset);
    return pathOf('asset', { hash: asset.hash, '*': name });
  };
  const style = accentStyle(accent, accentDark);
  const stylePath =
    style === undefined
      ? undefined
      : add('accent.css', createAsset(new TextEncoder().encode(style), 'text/css; charset=utf-8'));
  const logo = site.logo === undefined ? undefined : await loadLogo(site.logo, add);
  return {
    theme: { introduction, footerLinks, stylePath, logo },
    findAsset: (name) => assets.get(name) ?? findAsset(name),
  };
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

async function loadLogo(
  file: string,
  add: (name: string, asset: Asset) => string,
): Promise<ApiServices['theme']['logo']> {
  const extension = extname(file).toLowerCase();
  const type = LOGO_TYPES[extension];
  if (type === undefined) throw invalidLogo(file, 'a logo must be an SVG, PNG, WebP or JPEG file');
  const bytes = new Uint8Array(await readLogo(file));
  if (bytes.byteLength > MAX_LOGO_BYTES)
    throw invalidLogo(file, `a logo must have at most ${MAX_LOGO_BYTES} bytes, found ${bytes.byteLength}`);
  const { width, height } = sizeOf(file, bytes);
  return { path: add(`logo${extension}`, createAsset(bytes, type)), width, height };
}

async function readLogo(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw invalidLogo(file, code === 'ENOENT' ? 'no such file' : `the file cannot be read (${code})`);
  }
}

function sizeOf(file: string, bytes: Uint8Array) {
  try {
    return imageSize(bytes);
  } catch {
    // The library throws for every file that it cannot read.
    throw invalidLogo(file, 'this is no image with a size; an SVG needs width and height, or a viewBox');
  }
}

function invalidLogo(file: string, message: string): ConfigError {
  return new ConfigError(file, [{ message: `site.logo: ${message}` }]);
}
