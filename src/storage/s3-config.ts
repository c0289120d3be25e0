/** A bucket of an S3 server, and how to speak to it. */
export interface S3Config {
  /** Such as `https://s3.eu-central-1.amazonaws.com`, without the bucket. */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  /** What stands before every key, as `repository/`; empty for nothing. */
  readonly prefix: string;
  /** Whether the bucket is in the path of an address (`https://host/bucket/key`) or in its host (`https://bucket.host/key`). */
  readonly pathStyle: boolean;
  readonly credentials: S3CredentialsConfig;
  /** As S3 calls them; sent with every upload. Undefined: what the bucket does by itself. */
  readonly encryption: { readonly algorithm: string; readonly keyId: string | undefined } | undefined;
  readonly storageClass: string | undefined;
}

/**
 * Where credentials come from: the configuration (with `${NAME}` from the environment), a file of `aws configure`, or
 * the variables AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, which a role of the machine is given as.
 */
export type S3CredentialsConfig =
  | { readonly from: 'configuration'; readonly keys: S3Credentials }
  | { readonly from: 'file'; readonly file: string; readonly profile: string }
  | { readonly from: 'environment' };

export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | undefined;
}
