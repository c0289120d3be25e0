declare module 's3rver' {
  import type { ServerResponse } from 'node:http';
  import type { Readable } from 'node:stream';

  interface StoredMetadata {
    'content-length': number;
    'last-modified': string;
    etag: string;
  }
  interface ObjectToPut {
    bucket: string;
    key: string;
    content: Buffer | Readable;
    metadata: unknown;
  }
  export interface FilesystemStore {
    getResourcePath(bucket: string, key: string | undefined, resource: string): string;
    putMetadata(bucket: string, key: string, metadata: unknown, md5: string): Promise<void>;
    getBucket(bucket: string): Promise<object | null>;
    listObjects(
      bucket: string,
      options: { prefix: string },
    ): Promise<{ objects: { key: string; size: number; lastModifiedDate: Date; metadata: StoredMetadata }[] }>;
    getObject(
      bucket: string,
      key: string,
      options: { start?: number; end?: number | string } | undefined,
    ): Promise<object | null>;
    putPart(bucket: string, uploadId: string, part: number, content: Readable): Promise<{ size: number; md5: string }>;
    putObjectMultipart(
      bucket: string,
      uploadId: string,
      parts: { number: number }[],
    ): Promise<{ size: number; md5: string }>;
    putObject(object: ObjectToPut): Promise<{ size: number; md5: string }>;
    deleteObject(bucket: string, key: string): Promise<void>;
  }
  export default class S3rver {
    constructor(options: {
      address: string;
      port: number;
      silent: boolean;
      directory: string;
      configureBuckets: { name: string; configs?: string[] }[];
    });
    readonly store: FilesystemStore;
    readonly logger: { close(): void };
    run(): Promise<{ port: number }>;
    configureBuckets(): Promise<unknown>;
    callback(): (request: Readable, response: ServerResponse) => Promise<void>;
  }
}
