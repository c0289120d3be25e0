import { readFile } from 'node:fs/promises';
import { storageFailed, storageUnavailable } from './errors.ts';
import type { S3Credentials } from './s3-config.ts';

/** Credentials that end. */
export interface RoleCredentials {
  readonly keys: S3Credentials;
  /** In milliseconds since 1970. */
  readonly endsMs: number;
}

type ReadEnv = (name: string) => string | undefined;

const CONTAINER_HOST = 'http://169.254.170.2';
const MACHINE_HOST = 'http://169.254.169.254';
/** Where there is no such service, nobody answers at all. */
const ANSWER_MS = 2_000;
const TOKEN_SECONDS = 21_600;

/**
 * The credentials of the role that a container or a machine at AWS was given: from the address that
 * AWS_CONTAINER_CREDENTIALS_RELATIVE_URI or _FULL_URI names, or else from the metadata service of EC2, version 2.
 * Throws `storage-failed` where there are none, `unavailable` where nobody answers for a container.
 */
export async function fetchRoleCredentials(readEnv: ReadEnv): Promise<RoleCredentials> {
  const relative = readEnv('AWS_CONTAINER_CREDENTIALS_RELATIVE_URI');
  const full = readEnv('AWS_CONTAINER_CREDENTIALS_FULL_URI');
  const address = relative === undefined ? full : `${CONTAINER_HOST}${relative}`;
  if (address !== undefined) {
    const token = await containerToken(readEnv);
    return parseRole(address, await ask(address, 'GET', token === undefined ? {} : { Authorization: token }));
  }
  if (readEnv('AWS_EC2_METADATA_DISABLED')?.toLowerCase() === 'true') throw noCredentials();
  const host = readEnv('AWS_EC2_METADATA_SERVICE_ENDPOINT')?.replace(/\/$/, '') ?? MACHINE_HOST;
  return fromMachine(host);
}

async function containerToken(readEnv: ReadEnv): Promise<string | undefined> {
  const file = readEnv('AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE');
  if (file === undefined) return readEnv('AWS_CONTAINER_AUTHORIZATION_TOKEN');
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    throw storageFailed('The file store cannot be used.', error);
  }
}

async function fromMachine(host: string): Promise<RoleCredentials> {
  let token: string;
  try {
    const wanted = { 'X-aws-ec2-metadata-token-ttl-seconds': String(TOKEN_SECONDS) };
    token = await ask(`${host}/latest/api/token`, 'PUT', wanted);
  } catch (error) {
    throw noCredentials(error);
  }
  const headers = { 'X-aws-ec2-metadata-token': token };
  const roles = `${host}/latest/meta-data/iam/security-credentials/`;
  const role = (await ask(roles, 'GET', headers)).split('\n', 1)[0]?.trim();
  if (!role) throw noCredentials();
  return parseRole(roles, await ask(`${roles}${encodeURIComponent(role)}`, 'GET', headers));
}

async function ask(address: string, method: string, headers: Record<string, string>): Promise<string> {
  let answer: Response;
  let text: string;
  try {
    answer = await fetch(address, { method, headers, redirect: 'error', signal: AbortSignal.timeout(ANSWER_MS) });
    text = await answer.text();
  } catch (error) {
    throw storageUnavailable(new Error(`S3: no credentials from ${address}`, { cause: error }));
  }
  if (answer.ok) return text;
  const refusal = new Error(`S3: ${address} answered ${answer.status} instead of credentials`);
  throw answer.status >= 500 ? storageUnavailable(refusal) : storageFailed('The file store cannot be used.', refusal);
}

function parseRole(address: string, text: string): RoleCredentials {
  // An answer that cannot be read must not be told: it may hold the secret.
  const unreadable = storageFailed('The file store cannot be used.', new Error(`S3: no credentials from ${address}`));
  let told: Partial<Record<'AccessKeyId' | 'SecretAccessKey' | 'Token' | 'Expiration', string>>;
  try {
    told = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw unreadable;
    throw error;
  }
  const { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, Token: sessionToken, Expiration } = told;
  const endsMs = Expiration === undefined ? Number.POSITIVE_INFINITY : Date.parse(Expiration);
  if (!accessKeyId || !secretAccessKey || Number.isNaN(endsMs)) throw unreadable;
  return { keys: { accessKeyId, secretAccessKey, sessionToken }, endsMs };
}

function noCredentials(cause?: unknown) {
  const what =
    'S3: there are no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, name a credentials file, ' +
    'or give this machine or container a role';
  return storageFailed('The file store cannot be used.', new Error(what, { cause }));
}
