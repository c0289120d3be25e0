import { expect } from 'bun:test';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Upload } from './site-builder.ts';
import { basic, type EntityJson, type TestRepository } from './test-repository.ts';
import { until } from './until.ts';

export interface PutOptions {
  node: EntityJson;
  type?: string;
  /** URI of the media use. */
  use?: string;
  uri: string | undefined;
  body: Bun.BodyInit;
  contentType?: string;
  headers?: Record<string, string>;
  as?: string | undefined;
}

function uploadOf({ type = 'image', contentType = 'image/png', uri, body, ...others }: PutOptions): Upload {
  return { media: type, mimeType: contentType, bytes: body, ...(uri !== undefined && { uri }), ...others };
}

/** PUT of bytes to a node, as `admin` unless told otherwise. */
export function putToNode({ build }: TestRepository, options: PutOptions): Promise<Response> {
  return build.put(options.node.nid[0].value, uploadOf(options));
}

/** The same, and the media that came of it. */
export function createMedia({ build }: TestRepository, options: PutOptions): Promise<EntityJson> {
  return build.media(options.node.nid[0].value, uploadOf(options));
}

/** Uploads a file for a field of a media type and returns its record. */
export function uploadFile(
  { build }: TestRepository,
  name: string,
  body: Bun.BodyInit,
  { type = 'image', field = 'field_media_image', as = 'admin' } = {},
): Promise<EntityJson> {
  return build.file(`media/${type}/${field}`, name, body, as);
}

export function uploadResponse(
  { build }: TestRepository,
  body: Bun.BodyInit,
  headers: Record<string, string>,
  options: { type?: string; field?: string; as?: string | undefined } = {},
): Promise<Response> {
  const { type = 'image', field = 'field_media_image' } = options;
  return build.postFile(`media/${type}/${field}`, body, headers, 'as' in options ? options.as : 'admin');
}

/** An entity as JSON, by its path without query. */
export function readJson({ build }: TestRepository, path: string, as?: string): Promise<EntityJson> {
  return build.read(path, as);
}

/** The record of the file that a media's field refers to. */
export async function fileOf(
  repository: TestRepository,
  media: EntityJson,
  field = 'field_media_image',
): Promise<EntityJson> {
  return readJson(repository, `/entity/file/${media[field][0].target_id}`);
}

/** Every file below the folder of the stores, staged ones too, in order; not those that are noted to go. */
export async function storedFiles(repository: TestRepository): Promise<string[]> {
  const folder = join(repository.dataFolder, 'files');
  const { client } = repository.running.services.database;
  const going = async () => {
    const { rows } = await client.execute('SELECT storage_key FROM discarded_object');
    return rows.map((row) => String(row[0]).slice(3));
  };
  // Before as well: of one that goes while the folder is read nothing is noted any more afterwards.
  const before = await going();
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const isGoing = new Set([...before, ...(await going())]);
  const files = entries.filter((entry) => !entry.isDirectory() && !isGoing.has(entry.name));
  return files.map((entry) => join(entry.parentPath, entry.name)).sort();
}

/** Every file below the folder of the stores, once none is noted to go. */
export async function settledFiles(repository: TestRepository): Promise<string[]> {
  await until(async () => (await countRows(repository, 'discarded_object')) === 0);
  return storedFiles(repository);
}

/** The number of rows of a table. */
export async function countRows(repository: TestRepository, table: string): Promise<number> {
  const { rows } = await repository.running.services.database.client.execute(`SELECT count(*) FROM ${table}`);
  return Number(rows[0]?.[0]);
}

/** Returns the files and row counts that a refused write must not change. */
export async function stock(repository: TestRepository) {
  const tables = ['file', 'media', 'media_revision', 'reference'];
  const files = await storedFiles(repository);
  return { files, rows: await Promise.all(tables.map((table) => countRows(repository, table))) };
}

/** Sends a request and expects that it is refused with this status and message, and that nothing is stored. */
export async function expectRefusal(
  repository: TestRepository,
  send: () => Promise<Response>,
  status: number,
  message: string | RegExp,
): Promise<void> {
  const before = await stock(repository);
  const response = await send();
  const body = (await response.json()) as { message: string };
  expect(body.message).toMatch(typeof message === 'string' ? new RegExp(`^${RegExp.escape(message)}$`) : message);
  expect([response.status, response.headers.get('content-type')]).toEqual([status, 'application/json']);
  expect(await stock(repository)).toEqual(before);
}

/** The head of a request, for a connection that speaks bytes. */
export function rawHead(method: string, path: string, headers: Record<string, string>, as = 'admin'): string {
  const all = { Host: 'localhost', Authorization: basic(as), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

/** A picture of any size as far as its head tells: what reads only headers takes it for a PNG. */
export function pngHead(width: number, height: number, filling = ''): Buffer<ArrayBuffer> {
  const head = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\0\0\0\0\0\x08\x02\0\0\0\0\0\0\0', 'latin1');
  head.writeUInt32BE(width, 16);
  head.writeUInt32BE(height, 20);
  return Buffer.concat([head, Buffer.from(filling)]);
}
