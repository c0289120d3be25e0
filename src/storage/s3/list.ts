import {
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandInput,
  paginateListObjectsV2,
  type S3Client,
} from '@aws-sdk/client-s3';
import { S3Failure } from './failure.ts';

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

/** Yields every object whose name begins with `prefix`, page by page. Throws S3Failure. */
export async function* listObjects(
  client: S3Client,
  bucket: string,
  prefix: string,
): AsyncGenerator<S3Listed, void, void> {
  for await (const page of paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: prefix, EncodingType: 'url' })) {
    requireList(page, page.Contents, 'ListBucketResult');
    const decode = decoderOf(page);
    for (const { Key = '', Size = 0, LastModified } of page.Contents ?? [])
      yield { name: decode(Key), bytes: Size, modified: LastModified ?? new Date(Number.NaN) };
  }
}

/** Yields every unfinished upload in parts whose name begins with `prefix`. Throws S3Failure. */
export async function* listUploads(
  client: S3Client,
  bucket: string,
  prefix: string,
): AsyncGenerator<S3ListedUpload, void, void> {
  const asked: ListMultipartUploadsCommandInput = { Bucket: bucket, Prefix: prefix, EncodingType: 'url' };
  for (let isLast = false; !isLast; ) {
    const page = await client.send(new ListMultipartUploadsCommand(asked));
    requireList(page, page.Uploads, 'ListMultipartUploadsResult');
    const decode = decoderOf(page);
    for (const { Key = '', UploadId = '', Initiated } of page.Uploads ?? [])
      yield { name: decode(Key), uploadId: UploadId, begun: Initiated ?? new Date(Number.NaN) };
    isLast = !page.IsTruncated || page.NextKeyMarker === undefined;
    asked.KeyMarker = page.NextKeyMarker && decode(page.NextKeyMarker);
    asked.UploadIdMarker = page.NextUploadIdMarker;
  }
}

/** The SDK reads any other XML, such as a page of a proxy, as an empty list. */
function requireList({ IsTruncated }: { IsTruncated?: boolean | undefined }, entries: unknown, root: string): void {
  if (IsTruncated === undefined && entries === undefined)
    throw new S3Failure('GET of a list', `the answer is no ${root}`, { status: 200 });
}

/** Names are encoded if the server reports that it did so: not all of them can. */
function decoderOf({ EncodingType }: { EncodingType?: string | undefined }): (name: string) => string {
  if (EncodingType !== 'url') return (name) => name;
  return (name) => decodeURIComponent(name.replaceAll('+', ' '));
}
