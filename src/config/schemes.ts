import { nameOf } from '../base/check-shape.ts';
import type { ConfigReader, Path } from '../base/config-reader.ts';
import { nearest } from '../base/nearest.ts';
import type { S3Config } from '../storage/s3/config.ts';
import { choice, mapSchema, text, yesOrNo } from './entry-types.ts';
import { readSettings } from './read-settings.ts';
import { readS3, S3_DESCRIPTION } from './s3-settings.ts';
import { fillIn, setting } from './setting.ts';

/** A storage scheme and the place of its files. */
export type SchemeConfig = LocalSchemeConfig | S3SchemeConfig;

interface CommonSchemeConfig {
  readonly name: string;
  /** The scheme whose storage gets the new files of this one; undefined: its own. */
  readonly storeIn: string | undefined;
  /** True if files that have lost all references are kept (default: false). */
  readonly isArchive?: boolean;
}

/** Files in a folder; a relative one is within the data folder. */
interface LocalSchemeConfig extends CommonSchemeConfig {
  readonly driver: 'local';
  readonly folder: string;
}

/** Files in a bucket of an S3 server. */
export interface S3SchemeConfig extends CommonSchemeConfig {
  readonly driver: 's3';
  readonly s3: S3Config;
  /** The way of downloads: through this program, or by a redirect to a signed address of the store. */
  readonly delivery: 'stream' | 'redirect';
}

const DESCRIPTION = 'a map with folder or s3';

/** The settings of a scheme. */
const SCHEME = {
  folder: setting('folder', text('the path of a folder; a relative one is within the data folder')),
  s3: setting<Readonly<Record<string, unknown>>>('s3', { schema: mapSchema(S3_DESCRIPTION) }),
  /** Obsolete: access to a file follows the content that refers to it. */
  access: setting('access', choice(['public', 'private'], 'public or private')),
  delivery: setting('delivery', choice(['stream', 'redirect'], 'stream or redirect')),
  storeIn: setting('storeIn', text('the name of a scheme')),
  archive: setting('archive', yesOrNo),
};

/** The schemes of a repository without a configuration. */
export const DEFAULT_SCHEMES: readonly SchemeConfig[] = ['public', 'private', 'fedora'].map((name) => ({
  name,
  storeIn: undefined,
  driver: 'local',
  folder: `files/${name}`,
}));

/** As in `public://a.png` and in addresses. Schemes of the web are reserved. */
const SCHEME_NAME = /^(?!(?:https?|file|data|javascript|blob|ftp|temporary)$)[a-z][a-z0-9_-]{0,31}$/;

/** Reads the schemes of a file, which are added to the default ones or replace them. */
export function readSchemes(entries: Readonly<Record<string, unknown>>, reader: ConfigReader, path: Path) {
  const schemes = new Map(DEFAULT_SCHEMES.map((scheme) => [scheme.name, scheme]));
  for (const [name, entry] of Object.entries(entries)) {
    const at = [...path, name];
    if (!SCHEME_NAME.test(name)) {
      const rule = 'a scheme is called by lower-case letters, digits, - and _, and not as one of the web';
      reader.report(at, `${nameOf(at)}: ${rule}`);
      continue;
    }
    const scheme = readScheme(reader, entry, at, schemes.get(name) ?? { name });
    if (scheme !== undefined) schemes.set(name, scheme);
  }
  for (const scheme of schemes.values()) requireStore(reader, schemes, scheme);
  requireOwnPlaces(reader, schemes);
  return [...schemes.values()];
}

function readScheme(
  reader: ConfigReader,
  entry: unknown,
  path: Path,
  before: SchemeConfig | Pick<SchemeConfig, 'name'>,
): SchemeConfig | undefined {
  const values = readSettings(reader, SCHEME, { entry, path, description: DESCRIPTION });
  const { folder, s3, delivery, storeIn, archive } = fillIn(SCHEME, values);
  const common = { name: before.name, storeIn, ...(archive === true && { isArchive: true }) };
  if (values.has(SCHEME.access))
    reader.warn(`${nameOf(path)}.access has no effect: a file is read by those who may view what refers to it`);
  if (s3 !== undefined) {
    if (folder !== undefined) reader.report([...path, 'folder'], `${nameOf(path)} must have a folder or s3, not both`);
    const bucket = readS3(s3, reader, [...path, 's3']);
    return bucket && { ...common, driver: 's3', s3: bucket, delivery: delivery ?? 'stream' };
  }
  if (delivery !== undefined) {
    const rule = 'is for schemes in an S3 bucket; files in a folder are streamed';
    reader.report([...path, 'delivery'], `${nameOf(path)}.delivery ${rule}`);
  }
  const kept = folder ?? ('driver' in before && before.driver === 'local' ? before.folder : undefined);
  if (kept !== undefined) return { ...common, driver: 'local', folder: kept };
  if (typeof entry === 'object' && entry !== null && !('folder' in entry) && !('s3' in entry))
    reader.report(path, `${nameOf(path)} must say where its files are kept: it is ${DESCRIPTION}`);
  return undefined;
}

type Schemes = ReadonlyMap<string, SchemeConfig>;

/** Requires a store that keeps its own files: a chain of stores could lead back to the first. */
function requireStore(reader: ConfigReader, schemes: Schemes, { name, storeIn }: SchemeConfig): void {
  if (storeIn === undefined) return;
  const path = ['schemes', name, 'storeIn'];
  const store = schemes.get(storeIn);
  if (store === undefined) {
    const names = [...schemes.keys()];
    const guess = nearest(storeIn, names);
    const hint = guess === undefined ? `there are ${names.join(', ')}` : `did you mean ${guess}?`;
    reader.report(path, `${nameOf(path)} must be the name of a scheme, found "${storeIn}"; ${hint}`);
  } else if (store.storeIn !== undefined && store.storeIn !== storeIn) {
    const why = `those of ${storeIn} are kept in ${store.storeIn}`;
    reader.report(path, `${nameOf(path)} must be a scheme that keeps its own files; ${why}`);
  }
}

/** Requires separate places: two schemes in one place would delete each other's files as unused. */
function requireOwnPlaces(reader: ConfigReader, schemes: Schemes): void {
  const places: { name: string; place: string }[] = [];
  for (const scheme of schemes.values()) {
    const place = placeOf(scheme);
    const other = places.find((each) => (scheme.driver === 's3' ? overlap(each.place, place) : each.place === place));
    if (other !== undefined) {
      const kind = scheme.driver === 's3' ? 'a bucket or prefix' : 'a folder';
      const path = ['schemes', scheme.name];
      reader.report(path, `${nameOf(path)} must have ${kind} of its own, not that of ${other.name}`);
    }
    places.push({ name: scheme.name, place });
  }
}

function placeOf(scheme: SchemeConfig): string {
  if (scheme.driver === 'local') return `folder ${scheme.folder}`;
  return `s3 ${scheme.s3.endpoint} ${scheme.s3.bucket} ${scheme.s3.prefix}`;
}

function overlap(one: string, other: string): boolean {
  return one.startsWith(other) || other.startsWith(one);
}
