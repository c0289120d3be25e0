import { Type as t } from '@sinclair/typebox';

/** The shapes of storage schemes in a server configuration (see `repository-config-schema.ts`). */

const text = (description: string) => t.String({ minLength: 1, pattern: '^[^\\u0000-\\u001f]*$', description });
/** Not repeated in any message. */
const secret = (description: string) => ({ ...text(description), writeOnly: true });
const closed = { additionalProperties: false };

export const SCHEME_SHAPE = 'a map with folder or s3';

export const SchemeSchema = t.Object(
  {
    folder: t.Optional(text('the path of a folder; a relative one is within the data folder')),
    s3: t.Optional(t.Record(t.String(), t.Unknown(), { description: 'a map with endpoint, region and bucket' })),
    /** Obsolete: access to a file follows the content that refers to it. */
    access: t.Optional(t.Union([t.Literal('public'), t.Literal('private')], { description: 'public or private' })),
    delivery: t.Optional(t.Union([t.Literal('stream'), t.Literal('redirect')], { description: 'stream or redirect' })),
    storeIn: t.Optional(text('the name of a scheme')),
  },
  { ...closed, description: SCHEME_SHAPE },
);

export const S3Schema = t.Object(
  {
    endpoint: text('the URL of an S3 server, without the bucket'),
    region: t.Optional(text('a region such as eu-central-1')),
    bucket: text('the name of a bucket'),
    prefix: t.Optional(t.String({ pattern: '^[^\\u0000-\\u001f]*$', description: 'text that keys begin with' })),
    pathStyle: t.Optional(t.Boolean({ description: 'true or false' })),
    credentials: t.Optional(
      t.Union([t.Literal('environment'), t.Record(t.String(), t.Unknown())], {
        description: 'environment, a map with file and profile, or one with accessKeyId and secretAccessKey',
        writeOnly: true,
      }),
    ),
    encryption: t.Optional(text('AES256, aws:kms or what else the server knows')),
    encryptionKey: t.Optional(text('the id of a key')),
    storageClass: t.Optional(text('a class such as STANDARD_IA')),
  },
  { ...closed, description: 'a map with endpoint, region and bucket' },
);

export const CredentialFileSchema = t.Object(
  { file: text('the path of a file'), profile: t.Optional(text('the name of a section')) },
  { ...closed, description: 'a map with file and profile' },
);

export const CredentialKeysSchema = t.Object(
  {
    accessKeyId: secret('a key id'),
    secretAccessKey: secret('a secret key'),
    sessionToken: t.Optional(secret('a token')),
  },
  { ...closed, description: 'a map with accessKeyId and secretAccessKey' },
);
