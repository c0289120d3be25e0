import { join } from 'node:path';
import Libsql from 'libsql';
import type { NodeState, TrackedNode } from './kill-load.ts';
import type { ServerProcess } from './server-process.ts';
import type { EntityJson } from './test-repository.ts';

/** Finds the id of something whose answer never came; undefined if it was not made. */
export function findId(dataFolder: string, { kind, uuid, filename }: TrackedNode): number | undefined {
  const database = new Libsql(join(dataFolder, 'repository.db'), { readonly: true });
  const first = (sql: string, value: string) => (database.prepare(sql).get(value) as { id: number } | undefined)?.id;
  try {
    if (filename === undefined) return first(`SELECT id FROM ${kind} WHERE uuid = ?`, uuid);
    const file = first('SELECT id FROM file WHERE filename = ?', filename);
    if (kind === 'file' || file === undefined) return file;
    const media = first(
      `SELECT source_id AS id FROM reference WHERE source_type = 'media' AND target_type = 'file'
        AND field = 'field_media_file' AND target_id = (SELECT id FROM file WHERE filename = ?)`,
      filename,
    );
    if (media === undefined) throw new Error(`${filename} is a file without the media that was to be made with it`);
    return media;
  } finally {
    database.close();
  }
}

const PATHS = { node: '/node/', media: '/media/', taxonomy_term: '/taxonomy/term/', file: '/entity/file/' };
const NOTHING = { note: '', revisions: 0, bytes: 0, sha256: '' };

/** Returns the state of an entity in the repository. Throws if only a part of it exists. */
export async function entityState(server: ServerProcess, { kind, id }: TrackedNode): Promise<NodeState> {
  const path = `${PATHS[kind]}${id}`;
  const entity = await read(server, `${path}?_format=json`);
  if (entity === undefined) return null;
  if (kind === 'taxonomy_term') return { ...NOTHING, label: entity.name[0].value };
  if (kind === 'file') return { ...NOTHING, label: entity.filename[0].value, ...(await bytesOf(server, entity)) };
  const { length: revisions } = (await read(server, `${path}/revisions?_format=json`)) ?? [];
  if (kind === 'node')
    return { ...NOTHING, label: entity.title[0].value, note: entity.field_extent[0].value, revisions };
  const file = await read(server, `/entity/file/${entity.field_media_file[0]?.target_id}?_format=json`);
  if (file === undefined) throw new Error(`${path} has no file`);
  const bytes = await bytesOf(server, file);
  if (entity.field_file_size[0].value !== bytes.bytes) throw new Error(`${path} gives another size than its file has`);
  return { ...NOTHING, label: entity.name[0].value, revisions, ...bytes };
}

async function bytesOf(server: ServerProcess, file: EntityJson): Promise<{ bytes: number; sha256: string }> {
  const { url } = file.uri[0] as { url: string };
  const response = await server.fetch(url);
  if (response.status !== 200) throw new Error(`${url}: ${response.status}`);
  const content = await response.bytes();
  const digest = new Bun.CryptoHasher('sha256').update(content).digest();
  const announced = response.headers.get('repr-digest');
  if (announced !== `sha-256=:${digest.toString('base64')}:`) throw new Error(`${url}: Repr-Digest ${announced}`);
  if (content.byteLength !== file.filesize[0].value) throw new Error(`${url}: ${content.byteLength} bytes`);
  return { bytes: content.byteLength, sha256: digest.toString('hex') };
}

async function read(server: ServerProcess, path: string): Promise<EntityJson | undefined> {
  const response = await server.fetch(path);
  if (response.status === 404) return undefined;
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as EntityJson;
}
