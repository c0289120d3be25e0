import type { FilesystemStore } from 's3rver';
import type { SeenRequest } from './s3-fault.ts';
import { endUpload, uploadsIn } from './s3-server-store.ts';

interface FrontRequest {
  bucket: string;
  seen: SeenRequest;
  pageSize: number;
  knowsUploads: boolean;
}

/** An error as S3 tells it. */
export function errorAnswer(status: number, code: string): Response {
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${code} by the test server</Message></Error>`;
  return new Response(text, { status, headers: { 'content-type': 'application/xml' } });
}

/** The answers to requests that s3rver does not know, or answers in another way than S3; undefined for all others. */
export async function answerByFront(
  store: FilesystemStore,
  { bucket, seen, pageSize, knowsUploads }: FrontRequest,
): Promise<Response | undefined> {
  const { method, key, query, headers } = seen;
  if ((await store.getBucket(bucket)) === null) return errorAnswer(404, 'NoSuchBucket');
  if (method === 'GET' && key === '' && query.get('list-type') === '2')
    return listObjects(store, { bucket, query, pageSize });
  if (method === 'GET' && key === '' && query.has('uploads')) {
    return knowsUploads ? listUploads(store, { bucket, query, pageSize }) : errorAnswer(405, 'MethodNotAllowed');
  }
  const uploadId = query.get('uploadId');
  if (uploadId !== null) {
    if (method === 'DELETE' && !knowsUploads) return errorAnswer(405, 'MethodNotAllowed');
    if (method === 'DELETE') return ended(await endUpload(store, bucket, uploadId));
    const isThere = (await uploadsIn(store, bucket)).some((each) => each.uploadId === uploadId && each.key === key);
    if (!isThere) return errorAnswer(404, 'NoSuchUpload');
  }
  const tag = headers['if-match'];
  if (method === 'GET' && key !== '' && tag !== undefined) {
    const found = (await store.listObjects(bucket, { prefix: key })).objects.find((each) => each.key === key);
    if (found !== undefined && found.metadata.etag !== tag) return errorAnswer(412, 'PreconditionFailed');
  }
  return undefined;
}

interface Listing {
  bucket: string;
  query: URLSearchParams;
  pageSize: number;
}

function ended(wasThere: boolean): Response {
  return wasThere ? new Response(null, { status: 204 }) : errorAnswer(404, 'NoSuchUpload');
}

async function listObjects(store: FilesystemStore, { bucket, query, pageSize }: Listing) {
  const { objects } = await store.listObjects(bucket, { prefix: query.get('prefix') ?? '' });
  const token = query.get('continuation-token');
  const after = token === null ? '' : Buffer.from(token, 'base64').toString();
  const all = objects.filter(({ key }) => key > after).toSorted((one, other) => (one.key < other.key ? -1 : 1));
  const page = all.slice(0, Math.min(pageSize, Number(query.get('max-keys') ?? pageSize)));
  const isCut = page.length < all.length;
  const next = isCut ? Buffer.from(page.at(-1)?.key ?? '').toString('base64') : undefined;
  return xml('ListBucketResult', [
    ...encodingOf(query),
    `<IsTruncated>${isCut}</IsTruncated>`,
    ...(next === undefined ? [] : [`<NextContinuationToken>${next}</NextContinuationToken>`]),
    ...page.map(
      ({ key, size, lastModifiedDate, metadata }) =>
        `<Contents><Key>${written(key, query)}</Key><LastModified>${lastModifiedDate.toISOString()}</LastModified>` +
        `<ETag>${inXml(metadata.etag)}</ETag><Size>${size}</Size></Contents>`,
    ),
  ]);
}

async function listUploads(store: FilesystemStore, { bucket, query, pageSize }: Listing) {
  const prefix = query.get('prefix') ?? '';
  const placeOf = ({ key, uploadId }: { key: string; uploadId: string }) => `${key}\n${uploadId}`;
  const after = placeOf({ key: query.get('key-marker') ?? '', uploadId: query.get('upload-id-marker') ?? '' });
  const all = (await uploadsIn(store, bucket))
    .filter((each) => each.key.startsWith(prefix) && placeOf(each) > after)
    .toSorted((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1));
  const page = all.slice(0, pageSize);
  const last = page.length < all.length ? page.at(-1) : undefined;
  return xml('ListMultipartUploadsResult', [
    ...encodingOf(query),
    `<IsTruncated>${last !== undefined}</IsTruncated>`,
    ...(last === undefined
      ? []
      : [
          `<NextKeyMarker>${written(last.key, query)}</NextKeyMarker>`,
          `<NextUploadIdMarker>${last.uploadId}</NextUploadIdMarker>`,
        ]),
    ...page.map(
      ({ key, uploadId, begun }) =>
        `<Upload><Key>${written(key, query)}</Key><UploadId>${uploadId}</UploadId><Initiated>${begun.toISOString()}</Initiated></Upload>`,
    ),
  ]);
}

function encodingOf(query: URLSearchParams): string[] {
  return query.get('encoding-type') === 'url' ? ['<EncodingType>url</EncodingType>'] : [];
}

function written(key: string, query: URLSearchParams): string {
  if (query.get('encoding-type') !== 'url') return inXml(key);
  return encodeURIComponent(key).replaceAll('%2F', '/').replaceAll('%20', '+');
}

function inXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

function xml(root: string, parts: string[]): Response {
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts.join('')}</${root}>`;
  return new Response(text, { headers: { 'content-type': 'application/xml' } });
}
