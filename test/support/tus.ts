import type { EntityJson, TestRepository } from './test-repository.ts';

/** A server that takes uploads. */
type Server = Pick<TestRepository, 'fetch'>;

/** The caller of a request; null for an anonymous one. */
type Caller = string | null;

const TUS = { 'Tus-Resumable': '1.0.0' };
const PART = { ...TUS, 'Content-Type': 'application/offset+octet-stream' };

/** Returns `Upload-Metadata` with the name of a file. */
export function metadataOf(filename: string, filetype = ''): string {
  const encoded = (text: string) => Buffer.from(text).toString('base64');
  return `filename ${encoded(filename)}${filetype === '' ? '' : `,filetype ${encoded(filetype)}`}`;
}

/** Begins an upload. */
export function begin(
  server: Server,
  filename: string,
  bytes: number,
  as: Caller = 'admin',
  headers: Record<string, string> = {},
): Promise<Response> {
  const own = { ...TUS, 'Upload-Length': String(bytes), 'Upload-Metadata': metadataOf(filename), ...headers };
  return server.fetch('/uploads', { method: 'POST', as: as ?? undefined, headers: own });
}

/** Begins an upload, and returns its path. */
export async function beginUpload(
  server: Server,
  filename: string,
  bytes: number,
  as: Caller = 'admin',
): Promise<string> {
  const response = await begin(server, filename, bytes, as);
  if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
  return new URL(response.headers.get('location') as string).pathname;
}

/** Appends bytes at an offset. */
export function append(
  server: Server,
  path: string,
  offset: number,
  body: NonNullable<RequestInit['body']>,
  as: Caller = 'admin',
  headers: Record<string, string> = {},
): Promise<Response> {
  return server.fetch(path, {
    method: 'PATCH',
    as: as ?? undefined,
    headers: { ...PART, 'Upload-Offset': String(offset), ...headers },
    body,
  });
}

/** Returns the number of bytes that an upload has received; undefined if it does not exist for the caller. */
export async function offsetOf(server: Server, path: string, as: Caller = 'admin'): Promise<number | undefined> {
  const response = await server.fetch(path, { method: 'HEAD', as: as ?? undefined, headers: TUS });
  return response.status === 200 ? Number(response.headers.get('upload-offset')) : undefined;
}

/** Uploads a whole file, and returns the path of the upload. */
export async function uploadWhole(
  server: Server,
  filename: string,
  body: Uint8Array<ArrayBuffer>,
  as: Caller = 'admin',
): Promise<string> {
  const path = await beginUpload(server, filename, body.byteLength, as);
  const response = await append(server, path, 0, body, as);
  if (response.status !== 204) throw new Error(`${response.status} ${await response.text()}`);
  return path;
}

/** Asks for a file to be made of an upload. */
export function attach(server: Server, path: string, body: unknown, as: Caller = 'admin'): Promise<Response> {
  return server.fetch(`${path}/attach`, {
    method: 'POST',
    as: as ?? undefined,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
}

/** Makes a file of an upload, and returns the answer. */
export async function attached(server: Server, path: string, body: unknown, as: Caller = 'admin'): Promise<EntityJson> {
  const response = await attach(server, path, body, as);
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as EntityJson;
}
