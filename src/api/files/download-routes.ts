import { Type as t } from '@sinclair/typebox';
import { ServiceError } from '../../base/errors.ts';
import { madeOnce } from '../../base/made-once.ts';
import { fileHeaders } from '../../http/active-content.ts';
import { selectRange } from '../../http/byte-range.ts';
import { hasControls } from '../../http/content-disposition.ts';
import { formatDigest } from '../../http/digest-fields.ts';
import { strongEtag } from '../../http/etag.ts';
import { checkPreconditions, formatHttpDate } from '../../http/preconditions.ts';
import { recordOf } from '../../http/request-log.ts';
import { paths } from '../../paths.ts';
import { fileReadAccess } from '../../repository/access.ts';
import type { ReadableFile } from '../../repository/content/read/readable-files.ts';
import { stale } from '../../repository/errors.ts';
import { typeOfFile } from '../../repository/files/file-type.ts';
import { storageOf } from '../../repository/files/scheme.ts';
import { findStoredFile } from '../../repository/files/stored-files.ts';
import {
  type ByteRange,
  type DownloadHeaders,
  PRESIGNED_SECONDS,
  PRIVATE_PRESIGNED_SECONDS,
} from '../../storage/storage.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { noteUse } from '../../web/count-use.ts';
import { describe } from '../../web/openapi/describe.ts';
import { VARY_BY_CALLER } from '../../web/respond.ts';
import * as described from './describe-files.ts';
import { sentBody } from './file-body.ts';

const check = { resource: 'file.download', formats: 'single' } as const;
const path = t.String({ description: 'The path of the file within its scheme.' });
const params = t.Object({ '*': path });

/** Routes of the bytes of files (spec: rest-behaviour, 5.5; decision 90). */
export const downloadRoutes = (api: ApiServices) =>
  resource(api)
    .get(paths.publicFiles, async ({ call }) => await download(call, 'public'), {
      check,
      params,
      detail: describe(described.publicBytes),
    })
    .get(paths.privateFiles, async ({ call }) => await download(call, 'private'), {
      check,
      params,
      detail: describe(described.privateBytes),
    })
    .get(paths.schemeFiles, async ({ call, params: { scheme } }) => await download(call, scheme), {
      check,
      params: t.Object({ scheme: t.String({ description: 'Such as fedora.' }), '*': path }),
      detail: describe(described.schemeBytes),
    });

async function download(call: Call, scheme: string): Promise<Response> {
  const file = await findReadable(call, scheme);
  const { row } = file;
  try {
    return await send(call, file);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.kind !== 'storage-failed') throw error;
    // The file may have been replaced between reading the row and the object: the row then has another key. Asking the
    // database server brings a stale replica up to date.
    const current = await findStoredFile(call.api.services.database, row.id);
    if (current?.storageKey === row.storageKey) throw error;
    return send(call, await findReadable(call, scheme));
  }
}

/** Throws 404 if no file has the address, and 401 or 403 if the caller may not read it. */
async function findReadable(call: Call, scheme: string): Promise<ReadableFile> {
  const { api, actor, request } = call;
  const path = pathOf(request);
  const file = path === undefined ? undefined : await api.findReadableFile(actor, `${scheme}://${path}`);
  if (file === undefined) throw new ServiceError('not-found', `${request.url.split('?', 1)[0]} does not exist.`);
  call.allow(fileReadAccess(file.mayRead));
  return file;
}

/** `/sites/default/files/…`, `/system/files/…` and `/_flysystem/fedora/…`. */
const FILE_PATH = /^\/(?:sites\/default|system|_flysystem)\/[^/]+\/(.*)$/s;

/** Returns the decoded path after the prefix of the address. Undefined for an invalid file name. */
function pathOf(request: Request): string | undefined {
  const [, encoded] = FILE_PATH.exec(recordOf(request).path) ?? [];
  if (encoded === undefined) return undefined;
  try {
    const path = (encoded.includes('%') ? decodeURIComponent(encoded) : encoded).normalize('NFC');
    return hasControls(path) ? undefined : path;
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

/** Returns the headers of a response with the whole file. Those of anonymous callers share one cached `ReadableFile`. */
const headersOf = madeOnce(({ row, isOpen }: ReadableFile) => {
  const lastModified = new Date(row.changed * 1000);
  const values = {
    ...fileHeaders(typeOfFile(row), row.filename),
    ETag: strongEtag(row.sha256),
    'Last-Modified': formatHttpDate(lastModified),
    'Repr-Digest': formatDigest(row.sha256),
    'Accept-Ranges': 'bytes',
    'Cache-Control': isOpen ? 'public, no-cache' : 'private, no-cache',
    Vary: VARY_BY_CALLER,
    'Content-Length': String(row.filesize),
  };
  return { etag: values.ETag, lastModified, headers: new Headers(values) };
});

async function send(call: Call, file: ReadableFile): Promise<Response> {
  const { row } = file;
  const { request, api } = call;
  const { storage } = storageOf(api.services, row);
  if (isFromBeginning(request)) noteUse(call, 'file', row.id);
  const { etag, lastModified, headers } = headersOf(file);
  const outcome = checkPreconditions(request.method, request.headers, { etag, lastModified });
  if (outcome === 'failed') throw stale();
  if (outcome === 'not-modified') return notModified(headers);
  const range = selectRange(request.headers, row.filesize, { etag, lastModified });
  if (range.kind === 'unsatisfiable')
    throw new ServiceError('range-not-satisfiable', 'The range lies outside the file.', {
      headers: { 'Content-Range': range.contentRange, 'Accept-Ranges': 'bytes' },
    });
  if (storage.presign !== undefined && mayRedirect(request) && row.filesize > 0)
    return redirectTo(await storage.presign(row.storageKey, downloadHeaders(headers), presignedSeconds(call, file)));
  const isPart = range.kind === 'part';
  const bytes = isPart ? range.last - range.first + 1 : row.filesize;
  const respond = (body: BodyInit | null): Response => {
    if (!isPart) return new Response(body, { headers });
    const response = new Response(body, { status: 206, headers });
    response.headers.set('Content-Length', String(bytes));
    response.headers.set('Content-Range', range.contentRange);
    return response;
  };
  if (request.method === 'HEAD' || bytes === 0) {
    const stored = await storage.stat(row.storageKey);
    if (stored?.bytes === row.filesize) return respond(null);
    throw unreadable(row, stored === undefined ? 'the object is missing' : `${stored.bytes} of ${row.filesize} bytes`);
  }
  const part: ByteRange | undefined = isPart ? { first: range.first, last: range.last } : undefined;
  try {
    const answer = await api.readForResponse(storage, { key: row.storageKey, range: part, bytes: row.filesize });
    recordOf(request).bytesOut = bytes;
    return respond(sentBody(api.services, request, answer, { uri: row.uri, isRange: isPart }));
  } catch (error) {
    throw error instanceof ServiceError && error.kind === 'storage-failed' ? unreadable(row, error.cause) : error;
  }
}

/** Returns the lifetime of an address in the bucket: it ends before a rule may close the file, and is at least a second. */
function presignedSeconds({ api }: Call, { isOpen }: ReadableFile): number {
  const usual = isOpen ? PRESIGNED_SECONDS : PRIVATE_PRESIGNED_SECONDS;
  return Math.max(1, api.services.access.cacheSeconds(usual));
}

/** Returns false for a part of a file that follows another one, as players and viewers ask for them. */
function isFromBeginning({ headers }: Request): boolean {
  const range = headers.get('range');
  return range === null || /^bytes=0+-/.test(range);
}

/** Returns a 304, which has no length: clients that do not know the status would wait for the bytes. */
function notModified(headers: Headers): Response {
  const response = new Response(null, { status: 304, headers });
  response.headers.delete('Content-Length');
  return response;
}

function unreadable({ uri }: ReadableFile['row'], cause: unknown): ServiceError {
  const reason = new Error(uri, { cause });
  return new ServiceError('storage-failed', 'The content of this file is temporarily unavailable.', { cause: reason });
}

/** Returns false for a request with conditions that the client would repeat: the bucket has other ETags and would reject them. */
function mayRedirect({ method, headers }: Request): boolean {
  return method === 'GET' && !headers.has('if-match') && !headers.has('if-unmodified-since');
}

/** Redirects to the bucket, which also answers ranges. The address grants access for a short time: caches must not store it. */
function redirectTo(location: string): Response {
  const headers = { Location: location, 'Cache-Control': 'private, no-store', Vary: VARY_BY_CALLER };
  return new Response(null, { status: 307, headers });
}

function downloadHeaders(headers: Headers): DownloadHeaders {
  return {
    contentType: headers.get('Content-Type') ?? '',
    contentDisposition: headers.get('Content-Disposition') ?? '',
  };
}
