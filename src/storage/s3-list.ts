import { XMLParser } from 'fast-xml-parser';
import { S3Failure } from './s3-failure.ts';
import type { S3Requests } from './s3-request.ts';
import { PATIENCE_TO_WRITE, type Patience } from './s3-retry.ts';

export interface S3Listed {
  /** The whole name, with the prefix. */
  readonly name: string;
  readonly bytes: number;
  readonly modified: Date;
}

export interface S3ListedUpload {
  readonly name: string;
  readonly uploadId: string;
  readonly begun: Date;
}

interface Page {
  EncodingType?: string;
  IsTruncated?: string;
  NextContinuationToken?: string;
  NextKeyMarker?: string;
  NextUploadIdMarker?: string;
  Contents?: { Key: string; Size: string; LastModified: string }[];
  Upload?: { Key: string; UploadId: string; Initiated: string }[];
}

/** Names may begin or end with blanks, and hold what looks like a number. */
const parser = new XMLParser({
  parseTagValue: false,
  trimValues: false,
  isArray: (tag) => tag === 'Contents' || tag === 'Upload',
});

/** Every object whose name begins with `prefix`, page by page. Throws S3Failure. */
export async function* listObjects(
  requests: S3Requests,
  prefix: string,
  patience: Patience = PATIENCE_TO_WRITE,
): AsyncGenerator<S3Listed, void, void> {
  for (let token: string | undefined; ; ) {
    const page = await ask(requests, patience, 'ListBucketResult', {
      'list-type': '2',
      'encoding-type': 'url',
      prefix,
      ...(token !== undefined && { 'continuation-token': token }),
    });
    const decode = decoderOf(page);
    for (const { Key, Size, LastModified } of page.Contents ?? []) {
      yield { name: decode(Key), bytes: Number(Size), modified: new Date(LastModified) };
    }
    token = page.NextContinuationToken;
    if (page.IsTruncated !== 'true' || token === undefined) return;
  }
}

/** Every unfinished upload in parts whose name begins with `prefix`. Throws S3Failure. */
export async function* listUploads(
  requests: S3Requests,
  prefix: string,
  patience: Patience = PATIENCE_TO_WRITE,
): AsyncGenerator<S3ListedUpload, void, void> {
  for (let marker: Record<string, string> = {}; ; ) {
    const query = { uploads: '', 'encoding-type': 'url', prefix, ...marker };
    const page = await ask(requests, patience, 'ListMultipartUploadsResult', query);
    const decode = decoderOf(page);
    for (const { Key, UploadId, Initiated } of page.Upload ?? []) {
      yield { name: decode(Key), uploadId: UploadId, begun: new Date(Initiated) };
    }
    const { IsTruncated, NextKeyMarker, NextUploadIdMarker } = page;
    if (IsTruncated !== 'true' || NextKeyMarker === undefined) return;
    marker = {
      'key-marker': decode(NextKeyMarker),
      ...(NextUploadIdMarker !== undefined && { 'upload-id-marker': NextUploadIdMarker }),
    };
  }
}

async function ask(
  requests: S3Requests,
  patience: Patience,
  root: string,
  query: Record<string, string>,
): Promise<Page> {
  const { text } = await requests.send({ method: 'GET', name: '', query, patience });
  let told: Record<string, Page | '' | undefined>;
  try {
    told = parser.parse(text);
  } catch (error) {
    throw new S3Failure('GET of a list', 'the answer is no XML', { status: 200, cause: error });
  }
  const page = told[root];
  if (page === undefined) throw new S3Failure('GET of a list', `the answer is no ${root}`, { status: 200 });
  return page === '' ? {} : page;
}

/** Names are encoded if the server says that it did so: not all of them know how. */
function decoderOf({ EncodingType }: Page): (name: string) => string {
  if (EncodingType !== 'url') return (name) => name;
  return (name) => decodeURIComponent(name.replaceAll('+', ' '));
}
