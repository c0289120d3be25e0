/** The access to a bucket of an S3 server. */
export interface S3Config {
  /** Such as `https://s3.eu-central-1.amazonaws.com`, without the bucket. */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  /** The beginning of every name, as `repository/`; may be empty. */
  readonly prefix: string;
  /** True for the bucket in the path (`https://host/bucket/key`), false for the host (`https://bucket.host/key`). */
  readonly pathStyle: boolean;
  readonly credentials: S3CredentialsConfig;
  /** By the names of S3; sent with every upload. Undefined: the default of the bucket. */
  readonly encryption: { readonly algorithm: string; readonly keyId: string | undefined } | undefined;
  readonly storageClass: string | undefined;
}

/**
 * The origin of credentials: the configuration (with `${NAME}` from the environment), a file of `aws configure`, or the
 * environment: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, else the role of the container or machine.
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
