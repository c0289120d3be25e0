import { fromHttp } from '@aws-sdk/credential-provider-http';
import { fromInstanceMetadata } from '@smithy/credential-provider-imds';
import type { AwsCredentialIdentity } from '@smithy/types';
import { storageFailed, storageUnavailable } from '../errors.ts';

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
export async function fetchRoleCredentials(
  readEnv: (name: string) => string | undefined,
): Promise<AwsCredentialIdentity> {
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
