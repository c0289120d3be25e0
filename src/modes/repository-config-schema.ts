import { Type as t } from '@sinclair/typebox';
import { CORS_METHODS } from '../http/cors.ts';

/**
 * The shape of a server configuration file (`config/repository.yaml` shows it). Each `description`
 * completes the sentence "x must be …" of an error message.
 */

const text = (description: string) => t.String({ minLength: 1, pattern: '^[^\\u0000-\\u001f]*$', description });
const port = () => t.Integer({ minimum: 0, maximum: 65_535, description: 'a port: a number from 0 to 65535' });
const bytes = () => t.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'a whole number of bytes' });
const count = (maximum: number) =>
  t.Integer({ minimum: 1, maximum, description: `a whole number from 1 to ${maximum}` });
const time = () =>
  t.Union([t.Integer(), t.String()], { description: 'a time such as 30m, 2h or 7d, or a number of seconds' });

const closed = { additionalProperties: false };

export const DatabaseSchema = t.Object(
  {
    url: t.Optional(text('an address such as libsql://db.example.org')),
    // Not repeated in any message.
    authToken: t.Optional({ ...text('a token'), writeOnly: true }),
    syncUrl: t.Optional(text('an address such as libsql://db.example.org')),
  },
  { ...closed, description: 'a map with url, authToken and syncUrl' },
);

export const DerivativesSchema = t.Object(
  {
    rules: t.Optional(text('the path of a file')),
    processors: t.Optional(t.Array(text('a URL'), { description: 'a list of URLs' })),
    maxConcurrent: t.Optional(count(1_000)),
    maxAttempts: t.Optional(count(100)),
  },
  { ...closed, description: 'a map with rules, processors, maxConcurrent and maxAttempts' },
);

export const CorsSchema = t.Object(
  {
    origins: t.Optional(
      t.Array(text('an origin such as https://viewer.example.org'), { description: 'a list of origins' }),
    ),
    methods: t.Optional(
      t.Array(
        t.Union(
          CORS_METHODS.map((method) => t.Literal(method)),
          { description: `one of ${CORS_METHODS.join(', ')}` },
        ),
        { minItems: 1, description: 'a list of methods' },
      ),
    ),
    credentials: t.Optional(t.Boolean({ description: 'true or false' })),
  },
  { ...closed, description: 'a map with origins, methods and credentials' },
);

export const TlsSchema = t.Object(
  {
    cert: text('the path of a file'),
    key: text('the path of a file'),
    redirectPort: t.Optional(port()),
  },
  { ...closed, description: 'a map with cert, key and redirectPort' },
);

export const RepositoryFileSchema = t.Object(
  {
    data: t.Optional(text('the path of a folder')),
    host: t.Optional(text('an address to listen on')),
    port: t.Optional(port()),
    workers: t.Optional(
      t.Union([t.Integer({ minimum: 1, maximum: 256 }), t.Literal('auto')], {
        description: 'a whole number from 1 to 256, or auto',
      }),
    ),
    tls: t.Optional(t.Record(t.String(), t.Unknown(), { description: 'a map with cert, key and redirectPort' })),
    database: t.Optional(t.Record(t.String(), t.Unknown(), { description: 'a map with url, authToken and syncUrl' })),
    baseUrl: t.Optional(text('a URL such as https://repository.example.org')),
    trustedProxies: t.Optional(
      t.Array(t.String({ description: 'an address, or a range such as 10.0.0.0/8' }), {
        description: 'a list of addresses and ranges',
      }),
    ),
    cors: t.Optional(t.Record(t.String(), t.Unknown(), { description: 'a map with origins, methods and credentials' })),
    siteName: t.Optional(text('text for people to read, in one line')),
    model: t.Optional(text('the path of a file')),
    schemes: t.Optional(t.Record(t.String(), t.Unknown(), { description: 'a map of names to folder or s3' })),
    maxJsonBytes: t.Optional(bytes()),
    maxUploadBytes: t.Optional(bytes()),
    minUploadRate: t.Optional(
      t.Integer({ minimum: 0, maximum: 2 ** 30, description: 'a whole number of bytes a second, or 0' }),
    ),
    minUploadPeriod: t.Optional(time()),
    tokenExpiry: t.Optional(time()),
    derivatives: t.Optional(
      t.Record(t.String(), t.Unknown(), { description: 'a map with rules, processors, maxConcurrent and maxAttempts' }),
    ),
    processor: t.Optional(text('the path of a file')),
    processorPort: t.Optional(port()),
  },
  { ...closed, description: 'a map of configuration keys' },
);
