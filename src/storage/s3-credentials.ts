import { storageFailed } from './errors.ts';
import type { S3Credentials, S3CredentialsConfig } from './s3-config.ts';
import { readCredentialsFile } from './s3-credentials-file.ts';
import { fetchRoleCredentials } from './s3-role-credentials.ts';

/** How long a file of credentials is trusted before it is looked at again. */
const FILE_TRUST_MS = 5_000;
/** So long before their end, credentials are asked for anew; S3 is still told the old ones if that fails. */
const RENEW_BEFORE_END_MS = 5 * 60_000;
/** A question that failed is not asked again for each request. */
const ASK_AGAIN_MS = 5_000;

export interface CredentialSource {
  /** Those of now. Throws `storage-failed` if there are none, `unavailable` if whoever knows them does not answer. */
  get(): Promise<S3Credentials>;
}

/** Credentials, and until when. Times are in milliseconds since 1970. */
interface Found {
  readonly keys: S3Credentials;
  readonly lookAgainMs: number;
  /** They are valid until then, though nobody should answer before. */
  readonly endsMs: number;
}

/** The credentials that a configuration names. `readEnv` answers the value of a variable, if it is set. */
export function createCredentials(
  config: S3CredentialsConfig,
  readEnv: (name: string) => string | undefined,
): CredentialSource {
  switch (config.from) {
    case 'configuration':
      return remembering(async () => lasting(config.keys));
    case 'file':
      return remembering(async () => {
        const keys = await readCredentialsFile(config.file, config.profile);
        const lookAgainMs = Date.now() + FILE_TRUST_MS;
        return { keys, lookAgainMs, endsMs: lookAgainMs };
      });
    case 'environment':
      return remembering(async () => fromEnvironment(readEnv));
  }
}

function lasting(keys: S3Credentials): Found {
  return { keys, lookAgainMs: Number.POSITIVE_INFINITY, endsMs: Number.POSITIVE_INFINITY };
}

async function fromEnvironment(readEnv: (name: string) => string | undefined): Promise<Found> {
  const accessKeyId = readEnv('AWS_ACCESS_KEY_ID');
  const secretAccessKey = readEnv('AWS_SECRET_ACCESS_KEY');
  if (accessKeyId !== undefined && secretAccessKey !== undefined) {
    return lasting({ accessKeyId, secretAccessKey, sessionToken: readEnv('AWS_SESSION_TOKEN') });
  }
  if (accessKeyId !== undefined || secretAccessKey !== undefined) {
    const missing = accessKeyId === undefined ? 'AWS_ACCESS_KEY_ID' : 'AWS_SECRET_ACCESS_KEY';
    throw storageFailed('The file store cannot be used.', new Error(`S3: ${missing} is not set, though the other is`));
  }
  const { keys, endsMs } = await fetchRoleCredentials(readEnv);
  return { keys, lookAgainMs: endsMs - RENEW_BEFORE_END_MS, endsMs };
}

/** Asks once at a time, and again when it is time; what is still valid serves while nobody answers. */
function remembering(ask: () => Promise<Found>): CredentialSource {
  let last: Found | undefined;
  let failure: { error: unknown; untilMs: number } | undefined;
  let asking: Promise<S3Credentials> | undefined;
  const known = () => (last !== undefined && Date.now() < last.endsMs ? last.keys : undefined);
  const knownOrThrow = (error: unknown) => {
    const keys = known();
    if (keys === undefined) throw error;
    return keys;
  };
  const renew = async () => {
    try {
      const found = await ask();
      // The same object for the same keys: what is made from them for signing is kept beside it.
      last = last !== undefined && isSame(last.keys, found.keys) ? { ...found, keys: last.keys } : found;
      failure = undefined;
      return last.keys;
    } catch (error) {
      failure = { error, untilMs: Date.now() + ASK_AGAIN_MS };
      return knownOrThrow(error);
    } finally {
      asking = undefined;
    }
  };
  return {
    async get() {
      const now = Date.now();
      if (last !== undefined && now < last.lookAgainMs) return last.keys;
      if (failure !== undefined && now < failure.untilMs) return knownOrThrow(failure.error);
      asking ??= renew();
      return asking;
    },
  };
}

function isSame(one: S3Credentials, other: S3Credentials): boolean {
  return (
    one.accessKeyId === other.accessKeyId &&
    one.secretAccessKey === other.secretAccessKey &&
    one.sessionToken === other.sessionToken
  );
}
