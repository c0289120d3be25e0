import { Type as t } from '@sinclair/typebox';
import { closed, flag, mapOf, text } from '../base/schema-parts.ts';
import { CONDITION_NAMES } from './rules.ts';

/**
 * The schemas of the parts of a file of derivative rules (such as `config/derivatives.yaml`). Each is one level deep, so
 * that an error message can list the known keys. Each `description` completes the sentence "x must be …" of a message.
 */

const MAX_SECONDS = 86_400;
/** Leaves room within the 255 characters of a file's URI for the scheme and the values of tokens. */
const MAX_PATH_CHARS = 128;

const line = (description: string) => t.String({ pattern: '^[^\\u0000-\\u001f\\u007f]*$', description });
const listOf = (item: string, description: string) => t.Array(text(item), { minItems: 1, description });

const uri = () =>
  t.String({
    pattern: '^[A-Za-z][A-Za-z0-9+.-]*:[^\\s]+$',
    description: 'a URI, such as http://pcdm.org/use#OriginalFile',
  });

export const RulesFileSchema = closed(
  { actions: mapOf('a map of actions'), contexts: mapOf('a map of contexts') },
  'a map with actions and contexts',
);

export const ActionSchema = t.Object(
  {
    label: text('text for people to read'),
    source_term: uri(),
    derivative_term: uri(),
    source_mimetypes: listOf('a MIME type', 'a list of MIME types, families such as image/*, or "*"'),
    mimetype: text('a MIME type'),
    args: t.Optional(line('options in one line')),
    destination_media_type: text('the name of a media type'),
    scheme: t.Optional(text('the name of a scheme')),
    path: t.String({
      minLength: 1,
      maxLength: MAX_PATH_CHARS,
      description: `a path below the scheme, with an extension and at most ${MAX_PATH_CHARS} characters`,
    }),
    processor: t.Optional(
      t.Union([text('embedded or a URL'), listOf('a URL', 'a list of URLs')], {
        description: 'embedded, a URL or a list of URLs',
      }),
    ),
    timeout: t.Optional(
      t.Number({
        exclusiveMinimum: 0,
        maximum: MAX_SECONDS,
        description: `a number of seconds, more than 0 and at most ${MAX_SECONDS}`,
      }),
    ),
    maxBytes: t.Optional(
      t.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'a whole number of bytes' }),
    ),
    of_members: t.Optional(t.Unknown()),
  },
  { additionalProperties: false, description: 'an action: a map of settings' },
);

export const MembersSchema = t.Object(
  {
    parent_has_term: t.Array(uri(), { minItems: 1, description: 'a list of URIs' }),
    settle: t.Optional(
      t.Number({ minimum: 0, maximum: MAX_SECONDS, description: `a number of seconds from 0 to ${MAX_SECONDS}` }),
    ),
  },
  { additionalProperties: false, description: 'a map with at least parent_has_term' },
);

export const ContextSchema = t.Object(
  {
    label: text('text for people to read'),
    enabled: t.Optional(flag()),
    require_all: t.Optional(flag()),
    conditions: t.Array(t.Unknown(), { minItems: 1, description: 'a list of at least one condition' }),
    actions: listOf('the name of an action', 'a list of the names of actions'),
  },
  { additionalProperties: false, description: 'a context: a map of settings' },
);

/** The part that all conditions share. */
export const ConditionNameSchema = t.Object(
  { condition: t.String({ description: 'the name of a condition' }) },
  { description: `a map with condition: ${CONDITION_NAMES.join(', ')}` },
);

const logic = t.Optional(t.Union([t.Literal('and'), t.Literal('or')], { description: '"and" or "or"' }));
const condition = t.String();

/** Single values are turned into lists before the check, so that a message names the line of each value. */
const termCondition = closed(
  { condition, uri: t.Array(uri(), { minItems: 1, description: 'a URI or a list of URIs' }), logic },
  'a map with condition and uri',
);

/** The schema of each condition whose values are a list. */
export const CONDITION_SCHEMAS = {
  media_has_term: termCondition,
  parent_node_has_term: termCondition,
  media_has_type: closed(
    { condition, types: listOf('the name of a media type', 'a media type or a list of media types'), logic },
    'a map with condition and types',
  ),
  media_has_mimetype: closed(
    { condition, mimetypes: listOf('a MIME type', 'a MIME type or a list of MIME types'), logic },
    'a map with condition and mimetypes',
  ),
} as const;
