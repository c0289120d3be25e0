import { readFile } from 'node:fs/promises';
import { fromHttp } from '@aws-sdk/credential-provider-http';
import { fromInstanceMetadata } from '@smithy/credential-provider-imds';
import type { AwsCredentialIdentity } from '@smithy/types';
import { storageFailed, storageUnavailable } from '../errors.ts';
import type { S3Credentials, S3CredentialsConfig } from './config.ts';

/** The time after which a credentials file is read again. */
const FILE_TRUST_MS = 5_000;
/** Credentials are renewed this long before they expire. If that fails, the old ones remain in use. */
const RENEW_BEFORE_END_MS = 5 * 60_000;
/** The time for which a failure is cached, so that not every request asks the service again. */
const ASK_AGAIN_MS = 5_000;

type ReadEnv = (name: string) => string | undefined;

/**
 * Returns the current credentials. Throws `storage-failed` if there are none, `unavailable` if the service that has
 * them does not answer.
 */
export type CredentialSource = () => Promise<AwsCredentialIdentity>;

/** Credentials with times in milliseconds since 1970. */
interface TimedCredentials {
  readonly keys: AwsCredentialIdentity;
  readonly renewMs: number;
  /** Expiry time. */
  readonly endsMs: number;
}

/** Creates the source of the credentials that a configuration names. `readEnv` returns the value of a variable. */
export function createCredentials(config: S3CredentialsConfig, readEnv: ReadEnv): CredentialSource {
  switch (config.from) {
    case 'configuration':
      return remember(async () => lasting(config.keys));
    case 'file':
      return remember(async () => {
        const renewMs = Date.now() + FILE_TRUST_MS;
        return { keys: toIdentity(await readCredentialsFile(config.file, config.profile)), renewMs, endsMs: renewMs };
      });
    case 'environment':
      return remember(() => fromEnvironment(readEnv));
  }
}

function lasting(keys: S3Credentials): TimedCredentials {
  return { keys: toIdentity(keys), renewMs: Number.POSITIVE_INFINITY, endsMs: Number.POSITIVE_INFINITY };
}

function toIdentity({ sessionToken, ...keys }: S3Credentials): AwsCredentialIdentity {
  return sessionToken === undefined ? keys : { ...keys, sessionToken };
}

async function fromEnvironment(readEnv: ReadEnv): Promise<TimedCredentials> {
  const accessKeyId = readEnv('AWS_ACCESS_KEY_ID');
  const secretAccessKey = readEnv('AWS_SECRET_ACCESS_KEY');
  if (accessKeyId !== undefined && secretAccessKey !== undefined) {
    return lasting({ accessKeyId, secretAccessKey, sessionToken: readEnv('AWS_SESSION_TOKEN') });
  }
  if (accessKeyId !== undefined || secretAccessKey !== undefined) {
    const missing = accessKeyId === undefined ? 'AWS_ACCESS_KEY_ID' : 'AWS_SECRET_ACCESS_KEY';
    throw storageFailed('The file store cannot be used.', new Error(`S3: ${missing} is not set, though the other is`));
  }
  const keys = await fetchRoleCredentials(readEnv);
  const endsMs = keys.expiration?.getTime() ?? Number.POSITIVE_INFINITY;
  return { keys, renewMs: endsMs - RENEW_BEFORE_END_MS, endsMs };
}

/** Fetches credentials one at a time, and renews them in time. Uses valid ones while the service does not answer. */
function remember(ask: () => Promise<TimedCredentials>): CredentialSource {
  let last: TimedCredentials | undefined;
  let failure: { error: unknown; untilMs: number } | undefined;
  let asking: Promise<AwsCredentialIdentity> | undefined;
  const validOrThrow = (error: unknown) => {
    if (last !== undefined && Date.now() < last.endsMs) return last.keys;
    throw error;
  };
  const renew = async () => {
    try {
      last = await ask();
      failure = undefined;
      return last.keys;
    } catch (error) {
      failure = { error, untilMs: Date.now() + ASK_AGAIN_MS };
      return validOrThrow(error);
    } finally {
      asking = undefined;
    }
  };
  return async () => {
    const now = Date.now();
    if (last !== undefined && now < last.renewMs) return last.keys;
    if (failure !== undefined && now < failure.untilMs) return validOrThrow(failure.error);
    asking ??= renew();
    return asking;
  };
}

/**
 * Returns the keys of a profile in a file like `~/.aws/credentials`. Throws `storage-failed`, whose cause names the file
 * and the missing key, never a value.
 */
async function readCredentialsFile(file: string, profile: string): Promise<S3Credentials> {
  const fail = (what: string, cause?: unknown) =>
    storageFailed('The file store cannot be used.', new Error(`S3: the credentials file ${file} ${what}`, { cause }));
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw fail(`cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)})`, error);
  }
  const keys = parseProfiles(text).get(profile);
  if (keys === undefined) throw fail(`has no profile [${profile}]`);
  const accessKeyId = keys.get('aws_access_key_id');
  const secretAccessKey = keys.get('aws_secret_access_key');
  if (!accessKeyId) throw fail(`has no aws_access_key_id in its profile [${profile}]`);
  if (!secretAccessKey) throw fail(`has no aws_secret_access_key in its profile [${profile}]`);
  return { accessKeyId, secretAccessKey, sessionToken: keys.get('aws_session_token') || undefined };
}

/** Parses profiles: `[name]` or `[profile name]` begins one, `name = value` belongs to it, `#` and `;` begin comments. */
export function parseProfiles(text: string): Map<string, Map<string, string>> {
  const profiles = new Map<string, Map<string, string>>();
  let current: Map<string, string> | undefined;
  for (const line of text.replace(/^\uFEFF/, '').split(/\r?\n/)) {
    if (/^\s*[#;]/.test(line)) continue;
    const name = /^\s*\[\s*(?:profile\s+)?(.+?)\s*\]/.exec(line)?.[1];
    if (name !== undefined) {
      current = profiles.get(name) ?? new Map();
      profiles.set(name, current);
      continue;
    }
    const [, key, value] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (key !== undefined && value !== undefined) current?.set(key.toLowerCase(), value);
  }
  return profiles;
}

const CONTAINER_HOST = 'http://169.254.170.2';
const MACHINE_HOST = 'http://169.254.169.254';

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
/** A missing service does not answer at all. By default the SDK retries, and warns on the console. */
const OPTIONS = { timeout: 2_000, maxRetries: 0, logger: silent };

/**
 * Returns the credentials of the role of a container or machine at AWS: from the address that
 * AWS_CONTAINER_CREDENTIALS_RELATIVE_URI or _FULL_URI names, else from the metadata service of EC2, version 2.
 * Throws `storage-failed` if there are none, `unavailable` if the service of a container does not answer.
 */
async function fetchRoleCredentials(readEnv: (name: string) => string | undefined): Promise<AwsCredentialIdentity> {
  const relative = readEnv('AWS_CONTAINER_CREDENTIALS_RELATIVE_URI');
  const address = relative === undefined ? readEnv('AWS_CONTAINER_CREDENTIALS_FULL_URI') : CONTAINER_HOST + relative;
  if (address !== undefined) {
    const token = readEnv('AWS_CONTAINER_AUTHORIZATION_TOKEN');
    const tokenFile = readEnv('AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE');
    const provide = () =>
      fromHttp({
        ...OPTIONS,
        awsContainerCredentialsFullUri: address,
        ...(token !== undefined && { awsContainerAuthorizationToken: token }),
        ...(tokenFile !== undefined && { awsContainerAuthorizationTokenFile: tokenFile }),
      })();
    return ask(address, provide);
  }
  if (readEnv('AWS_EC2_METADATA_DISABLED')?.toLowerCase() === 'true') throw noCredentials();
  // Created for each request: a reused provider returns expired credentials while the service is down.
  const provide = fromInstanceMetadata({ ...OPTIONS, ec2MetadataV1Disabled: true });
  return ask(readEnv('AWS_EC2_METADATA_SERVICE_ENDPOINT') ?? MACHINE_HOST, provide);
}

async function ask(address: string, provide: () => Promise<AwsCredentialIdentity>): Promise<AwsCredentialIdentity> {
  try {
    const credentials = await provide();
    if (!Number.isNaN(credentials.expiration?.getTime())) return credentials;
  } catch (error) {
    const { name, message, statusCode } = error as Error & { statusCode?: number };
    // Without a token the SDK would fall back to version 1 of the metadata service.
    if (name === 'InstanceMetadataV1FallbackError') throw noCredentials(error);
    // For a container, the SDK reports the status in the message alone.
    const status = statusCode ?? Number(/status: (\d{3})$/.exec(message)?.[1]);
    if (status < 500) {
      const refusal = new Error(`S3: ${address} answered ${status} instead of credentials`);
      throw storageFailed('The file store cannot be used.', refusal);
    }
  }
  // The error of the SDK is left out: it may quote the answer, which may hold the secret.
  throw storageUnavailable(new Error(`S3: no credentials from ${address}`));
}

function noCredentials(cause?: unknown) {
  const what =
    'S3: there are no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, name a credentials file, ' +
    'or give this machine or container a role';
  return storageFailed('The file store cannot be used.', new Error(what, { cause }));
}
