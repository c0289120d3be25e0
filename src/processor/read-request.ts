import type { Static } from '@sinclair/typebox';
import { t } from 'elysia';
import { split } from 'shlex';
import { isHttp } from '../base/allowed-sources.ts';
import { malformed } from '../base/errors.ts';
import { parseMediaType } from '../base/media-type.ts';
import { bestConcreteType } from '../http/accept.ts';
import { canonicalAddress, parseEventHeader, type RepositoryEvent } from '../http/event.ts';
import { decodeHeaderText } from '../http/header-text.ts';

const MAX_ADDRESS_CHARS = 8192;

/** The headers of GET and POST. An `authorization` is checked before them (`authenticate.ts`). */
const sharedHeaders = {
  authorization: t.Optional(t.String()),
  accept: t.Optional(t.String()),
  'x-repo-args': t.Optional(t.String()),
  'x-repo-event': t.Optional(t.String()),
  'x-islandora-args': t.Optional(t.String()),
  'x-islandora-event': t.Optional(t.String()),
  'apix-ldp-resource': t.Optional(
    t.String({
      maxLength: MAX_ADDRESS_CHARS,
      error: `The Apix-Ldp-Resource header is longer than ${MAX_ADDRESS_CHARS} characters.`,
    }),
  ),
};

export const GetHeaders = t.Object({ ...sharedHeaders, 'content-type': t.Optional(t.String()) });

export const PostHeaders = t.Object({
  ...sharedHeaders,
  'content-type': t.String({ error: 'The Content-Type header is missing: it must name the MIME type of the file.' }),
});

/** A request for a file to be processed, without the file. */
export interface ProcessRequest {
  args: string[];
  destinationType: string | undefined;
  msgId: string | undefined;
  destinationUri: string | undefined;
  fileUploadUri: string | undefined;
  target: string | undefined;
  canonical: string | undefined;
}

export interface GetRequest extends ProcessRequest {
  /** Undefined for an event without a source: the command fetches its input or needs none. */
  sourceUrl: URL | undefined;
  /** The declared type of a source that is not fetched here. */
  sourceType?: string | undefined;
}

export interface PostRequest extends ProcessRequest {
  sourceType: string;
  /** The origin of the uploaded file, from a header or from the event. */
  sourceUri: string | undefined;
}

/** Parses the headers of a GET. The header takes precedence over the event. Throws `malformed`. */
export function readGet(headers: Static<typeof GetHeaders>): GetRequest {
  const { event, sourceUri: address, ...shared } = readShared(headers);
  if (address === undefined) {
    if (eventHeader(headers) === undefined)
      throw malformed('The Apix-Ldp-Resource header is missing: it must hold the URL of the source file.');
    return { ...shared, sourceUrl: undefined, sourceType: statedType(headers, event) };
  }
  const sourceUrl = URL.parse(address);
  if (sourceUrl === null || !isHttp(sourceUrl)) {
    throw malformed('The Apix-Ldp-Resource header must hold an http or https URL.');
  }
  if (sourceUrl.username || sourceUrl.password) {
    throw malformed('The Apix-Ldp-Resource header must not hold a user name or password: send them as Authorization.');
  }
  sourceUrl.hash = '';
  return { ...shared, sourceUrl };
}

/** Parses the headers of a POST. Throws `malformed`. */
export function readPost(headers: Static<typeof PostHeaders>): PostRequest {
  const { event: _, ...shared } = readShared(headers);
  const sourceType = parseMediaType(headers['content-type']);
  if (sourceType === undefined) throw malformed('The Content-Type header is not a MIME type.');
  return { ...shared, sourceType };
}

type SharedHeaders = Static<typeof GetHeaders>;

const eventHeader = (headers: SharedHeaders) => headers['x-repo-event'] || headers['x-islandora-event'] || undefined;

/** Returns the type of a source that is not fetched, as the event or its sender states it. Throws `malformed`. */
function statedType(headers: SharedHeaders, event: RepositoryEvent): string | undefined {
  const stated = event.attachment?.content?.source_mimetype || headers['content-type'];
  if (!stated) return undefined;
  return parseMediaType(stated) ?? notAType();
}

function notAType(): never {
  throw malformed('The MIME type of the source that the event or the Content-Type header names is none.');
}

function readShared(
  headers: SharedHeaders,
): ProcessRequest & { event: RepositoryEvent; sourceUri: string | undefined } {
  const { msgId, event } = parseEventHeader(eventHeader(headers));
  const content = event.attachment?.content;
  const args = headers['x-repo-args'] ?? headers['x-islandora-args'];
  const source = headers['apix-ldp-resource'];
  return {
    event,
    msgId,
    sourceUri: (source ? decodeHeaderText(source) : content?.source_uri) || undefined,
    args: splitArguments(args === undefined ? (content?.args ?? '') : decodeHeaderText(args)),
    destinationType:
      bestConcreteType(headers.accept) ?? bestConcreteType(content?.mimetype ?? undefined, 'The mimetype of the event'),
    destinationUri: content?.destination_uri ?? undefined,
    fileUploadUri: content?.file_upload_uri ?? undefined,
    target: event.target ?? undefined,
    canonical: canonicalAddress(event),
  };
}

/** Half the maximum length of an argument on Linux (MAX_ARG_STRLEN, 128 KiB). */
export const MAX_ARGS_BYTES = 64 * 1024;

const SAFE_WORD = /^[a-zA-Z0-9._\-:/@ =]+$/;

/**
 * Splits an `X-Repo-Args` value into words as a shell would, quotes included. Throws `malformed` for an unbalanced quote,
 * and for a value that is too long.
 */
export function splitArguments(text: string): string[] {
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_ARGS_BYTES) {
    throw malformed(`The X-Repo-Args header is ${bytes} bytes long; at most ${MAX_ARGS_BYTES} are accepted.`);
  }
  let words: string[];
  try {
    words = split(text);
  } catch (cause) {
    throw malformed('The X-Repo-Args header has an unbalanced quote or ends in a backslash.', cause);
  }
  if (words.some((word) => word.includes('\0'))) {
    throw malformed('The X-Repo-Args header must not hold a NUL character.');
  }
  return words;
}

/** Throws `malformed` for a word with characters that only `allowInsecureArgs` accepts. */
export function requireSafeWords(words: readonly string[]): void {
  if (words.every((word) => SAFE_WORD.test(word))) return;
  throw malformed('The X-Repo-Args header may hold only letters, digits, blanks and . _ - : / @ = in each argument.');
}
