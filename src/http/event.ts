import { TypeCompiler } from '@sinclair/typebox/compiler';
import { type Static, t } from 'elysia';
import { malformed } from '../base/errors.ts';

/** An absolute address or stream address, such as `http://…` or `public://2018-08/2-Service File.jpg`. */
const Address = t.String({ pattern: '^[A-Za-z][A-Za-z0-9+.\\-]*:[^\\u0000-\\u001f\\u007f]+$', maxLength: 8192 });
/** Events represent a missing value as empty text or as null. */
const OptionalAddress = t.Optional(t.Union([Address, t.Literal(''), t.Null()]));
/** Text that can be an argument of a command: without NUL, and less than 128 KiB of UTF-8. */
const ArgumentText = t.String({ pattern: '^[^\\u0000]*$', maxLength: 32_768 });

/**
 * The members of an ActivityStreams event that the processor uses (spec: rest-behaviour, 9.1). Other members are ignored.
 */
const EventSchema = t.Object({
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

/** Returns the public address of the event's object. */
export function canonicalAddress(event: RepositoryEvent): string | undefined {
  return event.object?.url?.find((link) => link.rel === 'canonical')?.href;
}

/** Maximum number of characters of an identifier in the log. */
const MAX_IDENTIFIER_CHARS = 256;

const EVENT = TypeCompiler.Compile(EventSchema);

interface EventHeader {
  /** The identifier of the request in the log. */
  msgId: string | undefined;
  /** The values of the event. Empty if the header is a plain identifier. */
  event: RepositoryEvent;
}

/**
 * Parses an `X-Repo-Event` value: a plain identifier, or base64 of an event as JSON (decision 90). Throws
 * `malformed` with the name of the invalid member.
 */
export function parseEventHeader(value: string | undefined): EventHeader {
  if (value === undefined) return { msgId: undefined, event: {} };
  const decoded = decodeObject(value);
  if (decoded === undefined) return { msgId: value.slice(0, MAX_IDENTIFIER_CHARS), event: {} };
  // `Errors` takes several times as long as `Check`.
  const problem = EVENT.Check(decoded) ? undefined : EVENT.Errors(decoded).First();
  if (problem !== undefined) {
    const member = problem.path.slice(1).replaceAll('/', '.');
    throw malformed(`The event in the X-Repo-Event header has an invalid member ${member}.`);
  }
  const event = decoded as RepositoryEvent;
  return { msgId: (event.id ?? event.object?.id)?.slice(0, MAX_IDENTIFIER_CHARS), event };
}

/** Returns the JSON object in a base64 text. Undefined for other text: a UUID is valid base64, too, and may decode to a brace. */
function decodeObject(value: string): object | undefined {
  if (!/^[A-Za-z0-9+/_-]{3,}={0,2}$/.test(value)) return undefined;
  const text = Buffer.from(value, 'base64').toString('utf8');
  if (!/^\s*\{\s*["}]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw malformed('The X-Repo-Event header is base64 of invalid JSON.', cause);
  }
}
