import { TypeCompiler } from '@sinclair/typebox/compiler';
import { malformed } from '../base/errors.ts';
import { EventSchema, type RepositoryEvent } from './event.ts';

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
