import type { Static } from '@sinclair/typebox';
import { t } from 'elysia';
import { malformed } from '../base/errors.ts';
import { parseMediaType } from '../base/media-type.ts';
import { canonicalAddress, type RepositoryEvent } from '../events/event.ts';
import { parseEventHeader } from '../events/event-header.ts';
import { bestConcreteType } from '../http/accept.ts';
import { decodeHeaderText } from '../http/header-text.ts';
import { splitArguments } from './check-arguments.ts';

const MAX_ADDRESS_CHARS = 8192;

/** The headers that both forms of a request share (spec: processor, "Endpoints"). */
const sharedHeaders = {
  accept: t.Optional(t.String()),
  'x-repo-args': t.Optional(t.String()),
  'x-repo-event': t.Optional(t.String()),
  'x-islandora-args': t.Optional(t.String()),
  'x-islandora-event': t.Optional(t.String()),
};

export const GetHeaders = t.Object({
  ...sharedHeaders,
  'apix-ldp-resource': t.Optional(
    t.String({
      maxLength: MAX_ADDRESS_CHARS,
      error: `The Apix-Ldp-Resource header is longer than ${MAX_ADDRESS_CHARS} characters.`,
    }),
  ),
});

export const PostHeaders = t.Object({
  ...sharedHeaders,
  'content-type': t.String({ error: 'The Content-Type header is missing: it must name the MIME type of the file.' }),
});

/** What a request asks for, apart from the file itself. */
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
  sourceUrl: URL;
}

export interface PostRequest extends ProcessRequest {
  sourceType: string;
  /** The event of a POST may name where the uploaded file came from. */
  sourceUri: string | undefined;
}

/** Reads a GET. The header wins over the event; throws `malformed` for whatever cannot be read. */
export function readGet(headers: Static<typeof GetHeaders>): GetRequest {
  const { event, ...shared } = readShared(headers);
  const address = headers['apix-ldp-resource'] ?? event.attachment?.content?.source_uri;
  if (!address) throw malformed('The Apix-Ldp-Resource header is missing: it must hold the URL of the source file.');
  const sourceUrl = URL.parse(decodeHeaderText(address));
  if (sourceUrl === null || !/^https?:$/.test(sourceUrl.protocol)) {
    throw malformed('The Apix-Ldp-Resource header must hold an http or https URL.');
  }
  if (sourceUrl.username || sourceUrl.password) {
    throw malformed('The Apix-Ldp-Resource header must not hold a user name or password: send them as Authorization.');
  }
  sourceUrl.hash = '';
  return { ...shared, sourceUrl };
}

/** Reads a POST, apart from its body. Throws `malformed` for whatever cannot be read. */
export function readPost(headers: Static<typeof PostHeaders>): PostRequest {
  const { event, ...shared } = readShared(headers);
  const sourceType = parseMediaType(headers['content-type']);
  if (sourceType === undefined) throw malformed('The Content-Type header is not a MIME type.');
  return { ...shared, sourceType, sourceUri: event.attachment?.content?.source_uri };
}

function readShared(headers: Static<typeof GetHeaders>): ProcessRequest & { event: RepositoryEvent } {
  const { msgId, event } = parseEventHeader(headers['x-repo-event'] ?? headers['x-islandora-event']);
  const content = event.attachment?.content;
  const args = headers['x-repo-args'] ?? headers['x-islandora-args'];
  return {
    event,
    msgId,
    args: splitArguments(args === undefined ? (content?.args ?? '') : decodeHeaderText(args)),
    destinationType:
      bestConcreteType(headers.accept) ?? bestConcreteType(content?.mimetype, 'The mimetype of the event'),
    destinationUri: content?.destination_uri,
    fileUploadUri: content?.file_upload_uri,
    target: event.target ?? undefined,
    canonical: canonicalAddress(event),
  };
}
