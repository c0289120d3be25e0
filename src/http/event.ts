import { TypeCompiler } from '@sinclair/typebox/compiler';
import { type Static, t } from 'elysia';
import { malformed } from '../base/errors.ts';

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

/** How much of an identifier is kept: enough for any URN, too little to flood a log. */
const MAX_IDENTIFIER_CHARS = 256;

const EVENT = TypeCompiler.Compile(EventSchema);

export interface EventHeader {
  /** What the log names the request by. */
  msgId: string | undefined;
  /** The event's own values, if the header carried a whole event. */
  event: RepositoryEvent;
}

/**
 * Reads an `X-Repo-Event` value: a plain identifier, or base64 of an event as JSON
 * (decisions: "Processor"). Throws `malformed`, naming the member, for an event of the wrong shape.
 */
export function parseEventHeader(value: string | undefined): EventHeader {
  if (value === undefined) return { msgId: undefined, event: {} };
  const decoded = decodeObject(value);
  if (decoded === undefined) return { msgId: value.slice(0, MAX_IDENTIFIER_CHARS), event: {} };
  // To look for problems takes several times as long as to find that there are none.
  const problem = EVENT.Check(decoded) ? undefined : EVENT.Errors(decoded).First();
  if (problem !== undefined) {
    const member = problem.path.slice(1).replaceAll('/', '.');
    throw malformed(`The X-Repo-Event header holds an event whose member ${member} is not of the expected form.`);
  }
  const event = decoded as RepositoryEvent;
  return { msgId: (event.id ?? event.object?.id)?.slice(0, MAX_IDENTIFIER_CHARS), event };
}

/** The JSON object that a base64 text holds, or undefined: a UUID is base64 too, and some begin with a brace. */
function decodeObject(value: string): object | undefined {
  if (!/^[A-Za-z0-9+/_-]{3,}={0,2}$/.test(value)) return undefined;
  const text = Buffer.from(value, 'base64').toString('utf8');
  if (!/^\s*\{\s*["}]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw malformed('The X-Repo-Event header is base64 of something that begins like JSON and is not.', cause);
  }
}
