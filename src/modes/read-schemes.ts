import type { Static } from '@sinclair/typebox';
import { nameOf } from '../base/check-shape.ts';
import { nearest } from '../base/nearest.ts';
import type { S3Config, S3CredentialsConfig } from '../storage/s3-config.ts';
import type { ConfigReader } from './config-reader.ts';
import { DEFAULT_REPOSITORY_CONFIG, type SchemeConfig } from './repository-config.ts';
import { CredentialFileSchema, CredentialKeysSchema, S3Schema, SCHEME_SHAPE, SchemeSchema } from './scheme-schema.ts';

/** As in `public://a.png`, and in an address. Those that browsers and programs know as schemes of the web are not ours. */
const SCHEME_NAME = /^(?!(?:https?|file|data|javascript|blob|ftp|temporary)$)[a-z][a-z0-9_-]{0,31}$/;
/** What servers that know no regions take for one. */
const ANY_REGION = 'us-east-1';

type Path = readonly string[];

/** The schemes that a file sets. The default ones stay, unless the file says something else of them. */
export function readSchemes(reader: ConfigReader, map: Record<string, unknown>): readonly SchemeConfig[] {
  const schemes = new Map(DEFAULT_REPOSITORY_CONFIG.schemes.map((scheme) => [scheme.name, scheme]));
  for (const [name, value] of Object.entries(map)) {
    const path = ['schemes', name];
    if (!SCHEME_NAME.test(name)) {
      reader.report(
        path,
        `${nameOf(path)}: a scheme is called by lower-case letters, digits, - and _, and not as one of the web`,
      );
      continue;
    }
    const scheme = readScheme(reader, name, value, schemes.get(name));
    if (scheme !== undefined) schemes.set(name, scheme);
  }
  for (const { name, storeIn } of schemes.values()) requireStore(reader, schemes, name, storeIn);
  requireOwnPlaces(reader, schemes);
  return [...schemes.values()];
}

/** Returns a warning for each scheme with `access`, which no longer decides who may read a file. */
export function obsoleteAccess(map: Record<string, unknown>): string[] {
  const named = Object.entries(map).filter(
    ([, value]) => typeof value === 'object' && value !== null && 'access' in value,
  );
  return named.map(
    ([name]) => `schemes.${name}.access has no effect: a file is read by those who may view what refers to it`,
  );
}

function readScheme(
  reader: ConfigReader,
  name: string,
  value: unknown,
  before: SchemeConfig | undefined,
): SchemeConfig | undefined {
  const path = ['schemes', name];
  const { folder, s3, delivery, storeIn } = reader.map<Static<typeof SchemeSchema>>(SchemeSchema, value, path);
  const common = { name, storeIn };
  if (s3 !== undefined) {
    if (folder !== undefined) reader.report([...path, 'folder'], `${nameOf(path)} must have a folder or s3, not both`);
    const found = readS3(reader, s3, [...path, 's3']);
    return found && { ...common, driver: 's3', s3: found, delivery: delivery ?? 'stream' };
  }
  if (delivery !== undefined)
    reader.report(
      [...path, 'delivery'],
      `${nameOf(path)}.delivery is for schemes in an S3 bucket; files in a folder are streamed`,
    );
  const kept = folder ?? (before?.driver === 'local' ? before.folder : undefined);
  if (kept !== undefined) return { ...common, driver: 'local', folder: kept };
  const isMap = typeof value === 'object' && value !== null;
  if (isMap && !('folder' in value) && !('s3' in value))
    reader.report(path, `${nameOf(path)} must say where its files are kept: it is ${SCHEME_SHAPE}`);
  return undefined;
}

function readS3(reader: ConfigReader, value: Record<string, unknown>, path: Path): S3Config | undefined {
  const given = reader.map<Static<typeof S3Schema>>(S3Schema, value, path);
  const endpoint =
    given.endpoint === undefined ? undefined : reader.parsed([...path, 'endpoint'], given.endpoint, parseEndpoint);
  const credentials = readCredentials(reader, given.credentials, [...path, 'credentials']);
  if (given.encryptionKey !== undefined && given.encryption === undefined)
    reader.report([...path, 'encryptionKey'], `${nameOf(path)}.encryptionKey has no effect without encryption`);
  if (endpoint === undefined || given.bucket === undefined || credentials === undefined) return undefined;
  return {
    endpoint,
    region: given.region ?? ANY_REGION,
    bucket: given.bucket,
    prefix: given.prefix ?? '',
    pathStyle: given.pathStyle ?? true,
    credentials,
    encryption:
      given.encryption === undefined ? undefined : { algorithm: given.encryption, keyId: given.encryptionKey },
    storageClass: given.storageClass,
  };
}

function readCredentials(
  reader: ConfigReader,
  value: Static<typeof S3Schema>['credentials'],
  path: Path,
): S3CredentialsConfig | undefined {
  if (value === undefined || value === 'environment') return { from: 'environment' };
  if ('file' in value || 'profile' in value) {
    const { file, profile } = reader.map<Static<typeof CredentialFileSchema>>(CredentialFileSchema, value, path);
    return file === undefined ? undefined : { from: 'file', file, profile: profile ?? 'default' };
  }
  const keys = reader.map<Static<typeof CredentialKeysSchema>>(CredentialKeysSchema, value, path);
  const { accessKeyId, secretAccessKey, sessionToken } = keys;
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  return { from: 'configuration', keys: { accessKeyId, secretAccessKey, sessionToken } };
}

/** Throws RangeError for anything but the address of a server. */
function parseEndpoint(text: string): string {
  const url = URL.parse(text);
  const isServer =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.username === '' &&
    url.password === '' &&
    url.pathname === '/';
  if (isServer && url.search === '' && url.hash === '') return url.origin;
  const found = text.includes('@') ? '' : `, found "${text}"`;
  throw new RangeError(`must be the URL of an S3 server such as https://s3.eu-central-1.amazonaws.com${found}`);
}

/** A store that only leads on to another one would have to be followed, and could lead back. */
function requireStore(
  reader: ConfigReader,
  schemes: ReadonlyMap<string, SchemeConfig>,
  name: string,
  storeIn: string | undefined,
): void {
  if (storeIn === undefined) return;
  const path = ['schemes', name, 'storeIn'];
  const store = schemes.get(storeIn);
  if (store === undefined) {
    const guess = nearest(storeIn, [...schemes.keys()]);
    const hint = guess === undefined ? `there are ${[...schemes.keys()].join(', ')}` : `did you mean ${guess}?`;
    reader.report(path, `${nameOf(path)} must be the name of a scheme, found "${storeIn}"; ${hint}`);
  } else if (store.storeIn !== undefined && store.storeIn !== storeIn)
    reader.report(
      path,
      `${nameOf(path)} must be a scheme that keeps its own files; those of ${storeIn} are kept in ${store.storeIn}`,
    );
}

/** Two schemes in one place would take each other's files for leftovers. */
function requireOwnPlaces(reader: ConfigReader, schemes: ReadonlyMap<string, SchemeConfig>): void {
  const places: { name: string; place: string }[] = [];
  for (const scheme of schemes.values()) {
    const place = placeOf(scheme);
    const other = places.find((each) => (scheme.driver === 's3' ? overlap(each.place, place) : each.place === place));
    if (other !== undefined) {
      const what = scheme.driver === 's3' ? 'a bucket or prefix' : 'a folder';
      const path = ['schemes', scheme.name];
      reader.report(path, `${nameOf(path)} must have ${what} of its own, not that of ${other.name}`);
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
