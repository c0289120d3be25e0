import { type Static, Type as t } from '@sinclair/typebox';
import { unprocessable } from '../base/errors.ts';
import { closed, oneOf } from '../field-types/schemas.ts';
import { onlyMembers } from './lenient-body.ts';
import { namedSchema } from './openapi/components.ts';

const id = (description: string) =>
  t.Optional(t.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description }));

/** The required type of each member, for errors. */
const MUST_BE = {
  node: 'the id of a node',
  member_of: 'the id of a node',
  media: 'the id of a media',
  track_of: 'the id of an audio or video media',
  filename: 'a text of 1 to 255 characters',
  media_type: 'the name of a media type',
  media_use: 'the id of a term',
  title: 'a text of 1 to 255 characters',
  model: 'the id of a term',
  weight: 'a number',
  published: 'true or false',
  rights: 'a text of 1 to 10000 characters',
  kind: 'subtitles, captions, descriptions, chapters or metadata',
  label: 'a text of at most 128 characters',
  language: 'a language code such as en',
  sha256: '64 hexadecimal digits',
  if_duplicate: 'add or ask',
} as const;

const TRACK_KINDS = ['subtitles', 'captions', 'descriptions', 'chapters', 'metadata'] as const;

/** The use of a complete upload: exactly one of `node`, `member_of`, `media` and `track_of`. */
export const attachBody = t.Object(
  {
    node: id('Add the file to this node, as a new media.'),
    member_of: id(
      'Create an item with the file, as a member of this node: of a collection, a book, a compound object.',
    ),
    media: id('Replace the file of this media.'),
    track_of: id('Add the file (WebVTT) to the tracks of this audio or video media.'),
    filename: t.Optional(
      t.String({
        minLength: 1,
        maxLength: 255,
        description:
          'The name of the file. Default: that in `Upload-Metadata`, or else `upload`, which has no extension.',
      }),
    ),
    media_type: t.Optional(t.String({ description: 'Default: the type for the extension of the file.' })),
    media_use: id('The term of the media use. Default: Original File.'),
    title: t.Optional(
      t.String({
        minLength: 1,
        maxLength: 255,
        description: 'The title of the item. Default: the name of the file in words.',
      }),
    ),
    model: id('The model of the item. Default: that of the type of the file, or Page in a book.'),
    weight: t.Optional(t.Integer({ description: 'The position of the item among the members.' })),
    published: t.Optional(
      t.Boolean({ description: 'False for a draft: an item that only its editors see. Default: as its type says.' }),
    ),
    rights: t.Optional(t.String({ minLength: 1, maxLength: 10_000, description: 'The rights of the item.' })),
    kind: t.Optional(
      t.Union(
        TRACK_KINDS.map((kind) => t.Literal(kind)),
        { description: 'Default: subtitles.' },
      ),
    ),
    label: t.Optional(t.String({ maxLength: 128, description: 'The name of the track.' })),
    language: t.Optional(t.String({ maxLength: 20, description: 'The language of the track, such as `en`.' })),
    sha256: t.Optional(
      t.String({ pattern: '^[0-9a-fA-F]{64}$', description: 'The SHA-256 of the file. Another file returns 400.' }),
    ),
    if_duplicate: t.Optional(
      t.Union([t.Literal('add'), t.Literal('ask')], {
        description: 'ask: save nothing if a file with the same bytes exists, and return it. Default: add.',
      }),
    ),
  },
  onlyMembers(MUST_BE),
);

export type AttachBody = Static<typeof attachBody>;

const TARGETS = ['node', 'member_of', 'media', 'track_of'] as const;

/** Throws `unprocessable` unless a body has exactly one target. */
export function requireOneTarget(body: AttachBody): void {
  if (TARGETS.filter((name) => body[name] !== undefined).length !== 1)
    throw unprocessable('The body must have exactly one of node, member_of, media and track_of.');
}

const reference = (description: string) =>
  closed({ id: t.Integer(), url: t.String({ format: 'uri' }) }, { description });

export const attachedSchema = namedSchema(
  'AttachedUpload',
  closed({
    state: oneOf(['attached', 'duplicate']),
    sha256: t.String({ description: 'Lower-case hexadecimal.' }),
    bytes: t.Integer({ minimum: 0 }),
    media: t.Optional(reference('The media with the file.')),
    node: t.Optional(reference('The item that was created.')),
    notices: t.Optional(t.Array(t.String(), { description: 'Texts and files of the replaced file that stay.' })),
    duplicates: t.Array(
      closed({
        name: t.String(),
        file: reference('The file; its address is that of the bytes.'),
        media: t.Optional(reference('Its media.')),
        node: t.Optional(closed({ id: t.Integer(), url: t.String({ format: 'uri' }), title: t.String() })),
      }),
      { description: 'Files with the same bytes that the caller may read, at most five.' },
    ),
  }),
);
