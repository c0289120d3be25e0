import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import S3rver, { type FilesystemStore } from 's3rver';

/** A request whose body has been read, and whose signature was found right. */
export interface ReadRequest {
  path: string;
  query: URLSearchParams;
  body: Buffer;
}

export interface StartedStore {
  store: FilesystemStore;
  /** Lets s3rver answer a request. */
  answer(request: IncomingMessage, response: ServerResponse, read: ReadRequest): Promise<void>;
  close(): Promise<void>;
}

/** s3rver knows signatures of version 2 only: of version 4 it looks at the key alone. */
const SIGNED = 'AWS4-HMAC-SHA256 Credential=S3RVER/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0';

/**
 * Makes s3rver serve a folder. Its store answers before what it was given is on the disk, shows an object while it is
 * being written, copies parts slowly, and removes folders under the hands of other writers; S3 does none of this, so neither does this one.
 */
export async function startStore(directory: string, bucket: string): Promise<StartedStore> {
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: bucket }],
  });
  const { store } = server;
  store.putPart = async (name, uploadId, part, content) => {
    const path = join(store.getResourcePath(name, undefined, 'uploads'), uploadId, String(part));
    const saved = await save(content, path);
    await writeFile(`${path}.md5`, saved.md5);
    return saved;
  };
  store.putObject = async ({ bucket: name, key, content, metadata }) => {
    const path = store.getResourcePath(name, key, 'object');
    const saved = await save(content, `${path}.new-${Bun.randomUUIDv7()}`);
    await store.putMetadata(name, key, metadata, saved.md5);
    await rename(saved.path, path);
    return saved;
  };
  store.putObjectMultipart = async (name, uploadId, parts) => {
    const folder = join(store.getResourcePath(name, undefined, 'uploads'), uploadId);
    const key = await readFile(join(folder, 'key'), 'utf8');
    const metadata = JSON.parse(await readFile(join(folder, 'metadata'), 'utf8'));
    const paths = parts
      .toSorted((one, other) => one.number - other.number)
      .map(({ number }) => join(folder, String(number)));
    const path = store.getResourcePath(name, key, 'object');
    await mkdir(dirname(path), { recursive: true });
    const size = await concatenate(paths, join(folder, 'whole'));
    const sums = await Promise.all(
      paths.map(async (part) => Buffer.from(await readFile(`${part}.md5`, 'utf8'), 'hex')),
    );
    const md5 = `${createHash('md5').update(Buffer.concat(sums)).digest('hex')}-${parts.length}`;
    await store.putMetadata(name, key, metadata, md5);
    await rename(join(folder, 'whole'), path);
    await rm(folder, { recursive: true });
    return { size, md5 };
  };
  store.deleteObject = async (name, key) => {
    for (const resource of ['object', 'object.md5', 'metadata.json'])
      await rm(store.getResourcePath(name, key, resource), { force: true });
  };
  // It would read an end of 0 as none.
  const getObject = store.getObject.bind(store);
  store.getObject = (name, key, options) =>
    getObject(name, key, options?.end === 0 ? { ...options, end: '0' } : options);
  await server.configureBuckets();
  const callback = server.callback();
  return {
    store,
    answer(request, response, { path, query, body }) {
      const asked = new URLSearchParams([...query].filter(([name]) => !name.startsWith('X-Amz-')));
      const headers = { ...request.headers, host: '127.0.0.1', authorization: SIGNED };
      const passed = Object.assign(Readable.from(body.byteLength > 0 ? [body] : []), {
        method: request.method,
        url: `${path}${asked.size > 0 ? `?${asked}` : ''}`,
        headers: { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD', 'x-amz-date': now(), ...headers },
        socket: request.socket,
      });
      return callback(passed, response);
    },
    close: async () => server.logger.close(),
  };
}

function now(): string {
  return new Date().toISOString().replace(/[:-]|\.\d+/g, '');
}

async function save(content: Buffer | Readable, path: string): Promise<{ size: number; md5: string; path: string }> {
  await mkdir(dirname(path), { recursive: true });
  const hash = createHash('md5');
  let size = 0;
  await pipeline(
    Buffer.isBuffer(content) ? Readable.from([content]) : content,
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        hash.update(chunk);
        size += chunk.byteLength;
        yield chunk;
      }
    },
    createWriteStream(path),
  );
  return { size, md5: hash.digest('hex'), path };
}

/** Appends files to the first of them, and removes each then: large ones are on the disk once. */
async function concatenate([first = '', ...others]: string[], path: string): Promise<number> {
  await rename(first, path);
  const whole = await open(path, 'a');
  try {
    for (const other of others) {
      await whole.write(await readFile(other));
      await rm(other);
    }
    return (await whole.stat()).size;
  } finally {
    await whole.close();
  }
}

export interface UploadUnderWay {
  key: string;
  uploadId: string;
  begun: Date;
}

/** Lists unfinished multipart uploads, which s3rver cannot. */
export async function uploadsIn(store: FilesystemStore, bucket: string): Promise<UploadUnderWay[]> {
  const folder = store.getResourcePath(bucket, undefined, 'uploads');
  const ids = await readdir(folder).catch(() => []);
  const found = ids.map(async (uploadId) => {
    const path = join(folder, uploadId, 'key');
    return { key: await readFile(path, 'utf8'), uploadId, begun: (await stat(path)).mtime };
  });
  // An upload that ends meanwhile is missing.
  const settled = await Promise.allSettled(found);
  return settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
}

/** Aborts a multipart upload, which s3rver cannot. Returns false if it does not exist. */
export async function endUpload(store: FilesystemStore, bucket: string, uploadId: string): Promise<boolean> {
  const all = await uploadsIn(store, bucket);
  if (!all.some((each) => each.uploadId === uploadId)) return false;
  await rm(join(store.getResourcePath(bucket, undefined, 'uploads'), uploadId), { recursive: true });
  return true;
}
