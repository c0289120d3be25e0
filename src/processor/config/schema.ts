import { t } from 'elysia';
import { flag, text } from '../../base/schema-parts.ts';
import { FORM_NAMES } from './allowed-options.ts';

/**
 * The schema of a processor configuration file. Each `description` completes the sentence "x must be …" of an error
 * message.
 */

const seconds = () =>
  t.Number({
    exclusiveMinimum: 0,
    maximum: 86_400,
    description: 'a number of seconds, more than 0 and at most 86400',
  });
const count = (minimum: number) =>
  t.Integer({ minimum, maximum: 100_000, description: `a whole number from ${minimum} to 100000` });
const bytes = () => t.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'a whole number of bytes' });
const texts = (description: string, minItems = 1) =>
  t.Array(t.String({ minLength: 1, description: 'text' }), { minItems, description });

const closed = { additionalProperties: false };

export const CommandSchema = t.Object(
  {
    cmd: text('the name or path of a program'),
    args: t.Optional(texts('a list of arguments', 0)),
    requires: t.Optional(texts('a list of programs', 0)),
    optional: t.Optional(flag()),
    env: t.Optional(
      t.Record(t.String(), t.String({ description: 'text' }), { description: 'a map of variable names to text' }),
    ),
    allowInsecureArgs: t.Optional(flag()),
    allowedOptions: t.Optional(
      t.Record(t.String(), t.Union([t.String(), t.Array(t.String(), { minItems: 1 })], { description: FORM_NAMES }), {
        description: 'a map of options to the forms of their values',
      }),
    ),
    timeout: t.Optional(seconds()),
    maxOutputBytes: t.Optional(bytes()),
    maxMemoryBytes: t.Optional(bytes()),
    contentType: t.Optional(text('a MIME type')),
    maxConcurrent: t.Optional(count(1)),
  },
  { ...closed, description: 'a command definition: a map with at least cmd' },
);

export const CommandsByDestinationSchema = t.Object(
  {
    cmdByDestination: t.Record(t.String(), t.Unknown(), {
      minProperties: 1,
      description: 'a map of MIME types to commands',
    }),
  },
  { ...closed, description: 'a map with cmdByDestination alone' },
);

export const ProcessorFileSchema = t.Object(
  {
    // An empty value counts as missing.
    jwksUri: t.Optional(t.Union([t.String(), t.Null()], { description: 'an http or https address' })),
    jwtIssuer: t.Optional(texts('a list of issuers')),
    jwtAudience: t.Optional(texts('a list of audiences')),
    forwardAuth: t.Optional(flag()),
    allowedMimeTypes: texts('a list of MIME types, families such as image/*, or "*"'),
    allowedSources: t.Optional(texts('a list of address prefixes')),
    cmdByMimeType: t.Record(t.String(), t.Unknown(), {
      minProperties: 1,
      description: 'a map of MIME types to commands',
    }),
    mimeTypeFromDestination: t.Optional(flag()),
    maxConcurrent: t.Optional(count(1)),
    maxQueued: t.Optional(count(0)),
    maxBodyBytes: t.Optional(bytes()),
    minUploadRate: t.Optional(
      t.Integer({ minimum: 0, maximum: 2 ** 30, description: 'a whole number of bytes a second, or 0' }),
    ),
    minUploadPeriod: t.Optional(seconds()),
    workFolder: t.Optional(text('the path of a folder')),
    sourceTimeout: t.Optional(seconds()),
  },
  { ...closed, description: 'a map of configuration keys' },
);
