import { type Static, t } from 'elysia';

/** An absolute address or stream address, such as `http://…` or `public://2018-08/2-Service File.jpg`. */
const Address = t.String({ pattern: '^[A-Za-z][A-Za-z0-9+.\\-]*:[^\\u0000-\\u001f\\u007f]+$', maxLength: 8192 });
/** Events represent a missing value as empty text or as null. */
const OptionalAddress = t.Optional(t.Union([Address, t.Literal(''), t.Null()]));
/** Any text that can be an argument of a command: no NUL, and less than 128 KiB of UTF-8. */
const ArgumentText = t.String({ pattern: '^[^\\u0000]*$', maxLength: 32_768 });

/**
 * The members of an ActivityStreams event that processing uses (spec: rest-behaviour, section 9.1).
 * Everything else that an event carries passes unread.
 */
export const EventSchema = t.Object({
  id: t.Optional(t.String({ maxLength: 1024 })),
  object: t.Optional(
    t.Object({
      id: t.Optional(t.String({ maxLength: 1024 })),
      url: t.Optional(t.Array(t.Object({ rel: t.Optional(t.String()), href: t.Optional(Address) }))),
    }),
  ),
  target: t.Optional(t.Union([ArgumentText, t.Null()])),
  attachment: t.Optional(
    t.Object({
      content: t.Optional(
        t.Object({
          source_uri: OptionalAddress,
          source_mimetype: t.Optional(t.Union([t.String({ maxLength: 255 }), t.Null()])),
          destination_uri: OptionalAddress,
          file_upload_uri: OptionalAddress,
          args: t.Optional(t.Union([t.String(), t.Null()])),
          mimetype: t.Optional(t.Union([t.String({ maxLength: 255 }), t.Null()])),
        }),
      ),
    }),
  ),
});

export type RepositoryEvent = Static<typeof EventSchema>;

/** The address that the event's object goes by in public. */
export function canonicalAddress(event: RepositoryEvent): string | undefined {
  return event.object?.url?.find((link) => link.rel === 'canonical')?.href;
}
