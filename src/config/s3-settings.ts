import { Type as t } from '@sinclair/typebox';
import { nameOf } from '../base/check-shape.ts';
import type { ConfigReader, Path } from '../base/config-reader.ts';
import type { S3Config, S3CredentialsConfig } from '../storage/s3/config.ts';
import { mapSchema, secret, text, textOrNothing, yesOrNo } from './entry-types.ts';
import { readSettings } from './read-settings.ts';
import { type EntryType, fillIn, setting } from './setting.ts';

/** The region of servers that have no regions. */
const ANY_REGION = 'us-east-1';

export const S3_DESCRIPTION = 'a map with endpoint, region and bucket';

const credentials: EntryType<S3CredentialsConfig> = {
  schema: t.Union([t.Literal('environment'), mapSchema('')], {
    description: 'environment, a map with file and profile, or one with accessKeyId and secretAccessKey',
    writeOnly: true,
  }),
  read: readCredentials,
};

/** The settings of a bucket. */
const BUCKET = {
  endpoint: setting('endpoint', text('the URL of an S3 server, without the bucket', parseEndpoint), {
    isRequired: true,
  }),
  region: setting('region', text('a region such as eu-central-1'), { default: ANY_REGION }),
  bucket: setting('bucket', text('the name of a bucket'), { isRequired: true }),
  prefix: setting('prefix', textOrNothing('text that keys begin with'), { default: '' }),
  pathStyle: setting('pathStyle', yesOrNo, { default: true }),
  credentials: setting('credentials', credentials, { default: { from: 'environment' } as const }),
  encryption: setting('encryption', text('AES256, aws:kms or another algorithm of the server')),
  encryptionKey: setting('encryptionKey', text('the id of a key')),
  storageClass: setting('storageClass', text('a class such as STANDARD_IA')),
};

const CREDENTIAL_FILE = {
  file: setting('file', text('the path of a file'), { isRequired: true }),
  profile: setting('profile', text('the name of a section'), { default: 'default' }),
};

const CREDENTIAL_KEYS = {
  accessKeyId: setting('accessKeyId', secret('a key id'), { isRequired: true }),
  secretAccessKey: setting('secretAccessKey', secret('a secret key'), { isRequired: true }),
  sessionToken: setting('sessionToken', secret('a token')),
};

/** Reads the settings of a bucket. */
export function readS3(
  entry: Readonly<Record<string, unknown>>,
  reader: ConfigReader,
  path: Path,
): S3Config | undefined {
  const values = readSettings(reader, BUCKET, { entry, path, description: S3_DESCRIPTION });
  const { endpoint, bucket, encryption, encryptionKey, ...given } = fillIn(BUCKET, values);
  if (encryptionKey !== undefined && encryption === undefined)
    reader.report([...path, 'encryptionKey'], `${nameOf(path)}.encryptionKey has no effect without encryption`);
  if (endpoint === undefined || bucket === undefined || given.credentials === undefined) return undefined;
  return {
    ...given,
    endpoint,
    bucket,
    encryption: encryption === undefined ? undefined : { algorithm: encryption, keyId: encryptionKey },
  };
}

function readCredentials(
  entry: 'environment' | Readonly<Record<string, unknown>>,
  reader: ConfigReader,
  path: Path,
): S3CredentialsConfig | undefined {
  if (entry === 'environment') return { from: 'environment' };
  if ('file' in entry || 'profile' in entry) {
    const values = readSettings(reader, CREDENTIAL_FILE, { entry, path, description: 'a map with file and profile' });
    const { file, profile } = fillIn(CREDENTIAL_FILE, values);
    return file === undefined ? undefined : { from: 'file', file, profile };
  }
  const description = 'a map with accessKeyId and secretAccessKey';
  const values = readSettings(reader, CREDENTIAL_KEYS, { entry, path, description });
  const { accessKeyId, secretAccessKey, sessionToken } = fillIn(CREDENTIAL_KEYS, values);
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  return { from: 'configuration', keys: { accessKeyId, secretAccessKey, sessionToken } };
}

/** Returns the origin of an S3 server. Throws RangeError. */
function parseEndpoint(text: string): string {
  const url = URL.parse(text);
  const isServer =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.username === '' &&
    url.password === '' &&
    url.pathname === '/';
  if (isServer && url.search === '' && url.hash === '') return url.origin;
  const ending = text.includes('@') ? '' : `, found "${text}"`;
  throw new RangeError(`must be the URL of an S3 server such as https://s3.eu-central-1.amazonaws.com${ending}`);
}
