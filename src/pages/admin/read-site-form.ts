import { ServiceError } from '../../base/errors.ts';
import { parseEntry } from '../../config/parse-entry.ts';
import type { Setting } from '../../config/setting.ts';
import {
  CHANGEABLE_SETTINGS,
  LOGO_SETTINGS,
  SITE_NAME,
  SITE_SETTINGS,
  type SiteLink,
} from '../../config/site-settings.ts';
import { type FilePart, isFile } from '../../http/read-multipart.ts';
import { MAX_LOGO_BYTES, parseLogo } from '../../repository/settings/logo.ts';
import type { SiteChange, SiteSettings } from '../../repository/settings/site-overrides.ts';
import type { Call } from '../../web/call.ts';
import { formParts } from '../../web/form-parts.ts';
import type { FormProblem } from '../forms/error-summary.tsx';

/** The settings whose values are lists of links. */
export const LINK_SETTINGS: readonly Setting[] = [SITE_SETTINGS.menu, SITE_SETTINGS.footerLinks];
/** The bytes of a file beyond which the rest of the form is not read. */
const MAX_READ_BYTES = 128 * 1024 * 1024;

/** The names of controls. */
export const RESTORE = 'restore';
export const REMOVE = 'remove';
export const MENU_PAGE = 'menu_page';
export const labelsOf = ({ key }: Setting) => `${key}.label`;
export const addressesOf = ({ key }: Setting) => `${key}.address`;

/** The fields of a form as they were sent, without its files. */
export type SiteFields = ReadonlyMap<string, readonly string[]>;

/** A form of the settings of the site. */
interface SiteForm {
  readonly fields: SiteFields;
  readonly changes: ReadonlyMap<string, SiteChange>;
  readonly errors: readonly FormProblem[];
}

/** A page of the site that may be in the menu. */
interface MenuPage {
  readonly id: number;
  readonly label: string;
}

/**
 * Reads the form of the settings of the site, and compares it with the present ones: only what differs is a change. A value
 * that is that of the configuration again follows the configuration. Throws as `formParts`.
 */
export async function readSiteForm(call: Call, pages: readonly MenuPage[]): Promise<SiteForm> {
  const fields = new Map<string, string[]>();
  const changes = new Map<string, SiteChange>();
  const errors: FormProblem[] = [];
  for await (const part of formParts(call)) {
    if (!isFile(part)) {
      fields.set(part.name, [...(fields.get(part.name) ?? []), part.value.replaceAll('\r\n', '\n')]);
      continue;
    }
    const setting = LOGO_SETTINGS.find(({ key }) => key === part.name);
    // A file field in which nothing was chosen.
    if (setting === undefined || part.fileName === '') continue;
    attempt(setting, errors, await readPart(part), (bytes) => changes.set(setting.key, { logo: parseLogo(bytes) }));
  }
  const { siteSettings } = call.api;
  for (const setting of CHANGEABLE_SETTINGS) {
    const { key } = setting;
    if (fields.get(RESTORE)?.includes(key)) {
      if (key in siteSettings.overrides) changes.set(key, 'restore');
    } else if (LOGO_SETTINGS.includes(setting)) {
      if (fields.get(REMOVE)?.includes(key) && !changes.has(key)) changes.set(key, noValue(key, siteSettings));
    } else if (fields.has(key) || LINK_SETTINGS.includes(setting)) {
      const entry = LINK_SETTINGS.includes(setting) ? linksIn(fields, setting, pages) : fields.get(key)?.[0]?.trim();
      attempt(setting, errors, entry, () => {
        const change = changeTo(setting, entry, siteSettings);
        if (change !== undefined) changes.set(key, change);
      });
    }
  }
  return { fields, changes, errors };
}

function attempt<Value>(
  { key, changeable }: Setting,
  errors: FormProblem[],
  value: Value,
  use: (value: Value) => void,
) {
  try {
    use(value);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const message = error.message.replaceAll(key, changeable?.label ?? key);
    errors.push({ field: key, message: message.charAt(0).toUpperCase() + message.slice(1) });
  }
}

/** Returns the change of a setting to an entry. Undefined if the entry is the present one. Throws RangeError. */
function changeTo(setting: Setting, entry: unknown, settings: SiteSettings): SiteChange | undefined {
  const { key } = setting;
  const { values, configured } = settings;
  if (entry === '' && setting === SITE_NAME) throw new RangeError(`${key} must not be empty`);
  const value = entry === '' ? setting.default : parseEntry(setting, entry);
  if (isSame(value, values[key])) return undefined;
  if (isSame(value, configured[key])) return 'restore';
  return { entry: entry === '' ? null : entry };
}

function noValue(key: string, { configured }: SiteSettings): SiteChange {
  return configured[key] === undefined ? 'restore' : { entry: null };
}

/** Compares values of texts and links. White space at the end, as YAML adds it, does not count. */
function isSame(one: unknown, other: unknown): boolean {
  const text = (value: unknown) => JSON.stringify(typeof value === 'string' ? value.trim() : (value ?? null));
  return text(one) === text(other);
}

/** Returns the links of a form as a map, as in the configuration; a row without texts counts as removed. Throws RangeError later. */
function linksIn(fields: SiteFields, setting: Setting, pages: readonly MenuPage[]): Record<string, string> {
  const labels = fields.get(labelsOf(setting)) ?? [];
  const addresses = fields.get(addressesOf(setting)) ?? [];
  const rows = labels.map((label, at) => [label.trim(), addresses[at]?.trim() ?? ''] as const);
  const ticked = setting === SITE_SETTINGS.menu ? (fields.get(MENU_PAGE) ?? []) : [];
  const ofPages = pages.filter(({ id }) => ticked.includes(String(id))).map(({ id, label }) => [label, pagePath(id)]);
  return Object.fromEntries([...ofPages, ...rows.filter(([label, address]) => label !== '' || address !== '')]);
}

/** Returns the path of a page in the menu. */
export function pagePath(id: number): string {
  return `/node/${id}`;
}

/** Returns the links of a setting, as it was sent or as it is. */
export function linksOf(setting: Setting, { values }: SiteSettings, fields: SiteFields | undefined): SiteLink[] {
  if (fields === undefined) return [...(values[setting.key] as readonly SiteLink[])];
  const addresses = fields.get(addressesOf(setting)) ?? [];
  const links = (fields.get(labelsOf(setting)) ?? []).map((label, at) => ({ label, href: addresses[at] ?? '' }));
  return links.filter(({ label, href }) => label !== '' || href !== '');
}

/** Reads a file up to one byte beyond the limit of a logo, and skips the rest. Throws `too-large` for an endless one. */
async function readPart({ bytes }: FilePart): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    if (size <= MAX_LOGO_BYTES) chunks.push(chunk);
    size += chunk.byteLength;
    if (size > MAX_READ_BYTES) throw new ServiceError('too-large', `A logo has at most ${MAX_LOGO_BYTES} bytes.`);
  }
  return new Uint8Array(Buffer.concat(chunks));
}
