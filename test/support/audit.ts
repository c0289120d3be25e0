import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import Libsql from 'libsql';
import { DEFAULT_SERVER_CONFIG } from '../../src/config/server-config.ts';
import type { Services } from '../../src/repository/content/services.ts';
import { storeOf } from '../../src/repository/files/scheme.ts';
import { createLocalStorage } from '../../src/storage/local/local.ts';
import type { Storage } from '../../src/storage/storage.ts';

const TABLES = ['node', 'media', 'taxonomy_term', 'paragraph'] as const;
const INDEXED = new Set(['node', 'media', 'taxonomy_term', 'paragraph', 'file', 'user']);
/** Members of a document whose references are not kept in the index. */
const NOT_INDEXED = new Set(['uid', 'revision_uid', 'revision_user', 'content_translation_uid']);

const MAX_FAULTS = 20;

type Row = Record<string, unknown>;
type Item = { target_id?: unknown; target_type?: string };

/** A database and stores without writers. */
export interface AuditResult {
  all(sql: string): Promise<Row[]>;
  /** By the names of their schemes. */
  readonly stores: ReadonlyMap<string, Storage>;
}

/** `auditRepository` for a data folder with the usual stores, of which nothing may be under way either. */
export async function audit(dataFolder: string, isDeep: boolean): Promise<string[]> {
  const database = new Libsql(join(dataFolder, 'repository.db'), { readonly: true });
  const stores = new Map<string, Storage>();
  const staged: string[] = [];
  try {
    for (const scheme of DEFAULT_SERVER_CONFIG.schemes) {
      if (scheme.driver !== 'local') continue;
      const root = join(dataFolder, scheme.folder);
      stores.set(scheme.name, await createLocalStorage(root));
      for (const entry of await readdir(join(root, 'incoming'), { recursive: true, withFileTypes: true }))
        if (!entry.isDirectory()) staged.push(`${scheme.name}: ${entry.parentPath}/${entry.name} is left`);
    }
    const all = async (sql: string) => database.prepare(sql).all() as Row[];
    return [...(await auditRepository({ all, stores }, isDeep)), ...staged].slice(0, MAX_FAULTS);
  } finally {
    database.close();
  }
}

/** `auditRepository` for a repository that runs, wherever its database and files are. */
export function auditServices({ database, schemes }: Services, isDeep: boolean): Promise<string[]> {
  const stores = new Map([...schemes.values()].map(({ name, storage }) => [name, storage]));
  const all = async (sql: string) => {
    const { columns, rows } = await database.client.execute(sql);
    return rows.map((row) => Object.fromEntries(columns.map((column, index) => [column, row[index]])));
  };
  return auditRepository({ all, stores }, isDeep);
}

/**
 * Looks through a database and its stores, and answers everything that does not fit together, in words. `isDeep` reads
 * every document and every byte too.
 */
export async function auditRepository({ all, stores }: AuditResult, isDeep: boolean): Promise<string[]> {
  const faults: string[] = [];
  const none = async (what: string, sql: string) => {
    const rows = await all(`${sql} LIMIT 3`);
    if (rows.length > 0) faults.push(`${what}: ${JSON.stringify(rows)}`);
  };
  const integrity = String(Object.values((await all('PRAGMA integrity_check'))[0] ?? {})[0]);
  if (integrity !== 'ok') faults.push(`integrity_check says ${integrity}`);
  for (const table of TABLES) {
    const revisions = `${table}_revision`;
    await none(
      `${table} without its current revision`,
      `SELECT e.id FROM ${table} e LEFT JOIN ${revisions} r
        ON r.id = e.revision_id AND r.entity_id = e.id AND r.snapshot IS NULL WHERE r.id IS NULL`,
    );
    await none(
      `revision without ${table}`,
      `SELECT id FROM ${revisions} WHERE entity_id NOT IN (SELECT id FROM ${table})`,
    );
    await none(
      `${table} with two current revisions`,
      `SELECT entity_id FROM ${revisions} WHERE snapshot IS NULL GROUP BY entity_id HAVING count(*) > 1`,
    );
    await none(
      `reference from a ${table} that does not exist`,
      `SELECT * FROM reference WHERE source_type = '${table}' AND source_id NOT IN (SELECT id FROM ${table})`,
    );
    await none(
      `alias that ${table} does not know`,
      `SELECT e.id FROM ${table} e LEFT JOIN path_alias a ON a.id = e.alias_id AND a.alias = e.alias
        WHERE (e.alias IS NOT NULL OR e.alias_id IS NOT NULL) AND a.id IS NULL`,
    );
  }
  for (const target of INDEXED) {
    await none(
      `reference to a ${target} that does not exist`,
      `SELECT * FROM reference WHERE target_type = '${target}' AND target_id NOT IN (SELECT id FROM ${target})`,
    );
  }
  for (const host of TABLES) {
    const ofHost = `host_type = '${host}'`;
    await none(
      `paragraph of a ${host} that does not exist`,
      `SELECT id FROM paragraph WHERE ${ofHost} AND host_id NOT IN (SELECT id FROM ${host})`,
    );
    await none(
      `${host} that refers to a paragraph of something else`,
      `SELECT r.* FROM reference r JOIN paragraph p ON p.id = r.target_id WHERE r.target_type = 'paragraph'
        AND r.source_type = '${host}' AND (p.host_id IS NOT r.source_id OR p.host_type IS NOT '${host}')`,
    );
  }
  await none(
    'paragraph that says of itself that it belongs to something else',
    `SELECT id FROM paragraph WHERE document ->> '$.parent_id[0].value' IS NOT CAST(host_id AS TEXT)
      OR document ->> '$.parent_type[0].value' IS NOT host_type`,
  );
  await none('URI of no term', 'SELECT * FROM term_uri WHERE term_id NOT IN (SELECT id FROM taxonomy_term)');
  await none('object still to be removed', 'SELECT * FROM discarded_object');
  await none('row in guard', 'SELECT * FROM guard');
  await none(
    'temporary file that is referred to',
    "SELECT id FROM file WHERE status = 0 AND id IN (SELECT target_id FROM reference WHERE target_type = 'file')",
  );
  if (isDeep) for (const table of TABLES) faults.push(...(await checkDocuments(table, all)));
  const files = await all('SELECT uri, storage_key, filesize, sha256, stored_in FROM file');
  const parts = await all(`SELECT 'part ' || first || ' of upload ' || upload_id AS uri, storage_key, bytes AS filesize,
    NULL AS sha256, scheme AS stored_in FROM upload_part`);
  await none(
    'upload whose parts are not those that it counts',
    `SELECT id FROM upload u WHERE media_uuid IS NULL AND (parts, received) IS NOT
      (SELECT count(*), coalesce(sum(bytes), 0) FROM upload_part WHERE upload_id = u.id)`,
  );
  await none('part of no upload', 'SELECT * FROM upload_part WHERE upload_id NOT IN (SELECT id FROM upload)');
  faults.push(...(await checkStores(stores, [...files, ...parts], isDeep)));
  return faults.slice(0, MAX_FAULTS);
}

/** Compares the references of documents with the index, except those to deleted content, which are marked. */
async function checkDocuments(table: string, all: AuditResult['all']): Promise<string[]> {
  const faults: string[] = [];
  const index = new Map<number, string[]>();
  const references =
    await all(`SELECT source_id, field || '.' || delta || ' ' || target_type || ' ' || target_id AS reference
    FROM reference WHERE source_type = '${table}'`);
  for (const { source_id, reference } of references as { source_id: number; reference: string }[])
    index.set(source_id, [...(index.get(source_id) ?? []), reference]);
  const rows = await all(`SELECT id, is_dangling, document FROM ${table}`);
  for (const { id, is_dangling, document } of rows as { id: number; is_dangling: number; document: string }[]) {
    const said = referencesIn(document);
    const indexed = index.get(id) ?? [];
    const lost = said.filter((each) => !indexed.includes(each));
    const extra = indexed.filter((each) => !said.includes(each));
    if (extra.length > 0) faults.push(`${table} ${id}: only the index has ${extra.join(', ')}`);
    if (lost.length > 0 !== (is_dangling === 1))
      faults.push(`${table} ${id}: is_dangling is ${is_dangling}, not in the index: ${lost.join(', ') || 'nothing'}`);
  }
  return faults;
}

function referencesIn(document: string): string[] {
  return Object.entries(JSON.parse(document) as Record<string, Item[]>).flatMap(([name, items]) => {
    if (NOT_INDEXED.has(name)) return [];
    return items.flatMap(({ target_id, target_type = 'taxonomy_term' }, delta) =>
      typeof target_id === 'number' && INDEXED.has(target_type) ? [`${name}.${delta} ${target_type} ${target_id}`] : [],
    );
  });
}

/** Every row has its object, whole, and every object its row. */
async function checkStores(stores: AuditResult['stores'], rows: Row[], isDeep: boolean): Promise<string[]> {
  const faults: string[] = [];
  const files = rows as {
    uri: string;
    storage_key: string;
    filesize: number;
    sha256: string | null;
    stored_in: string | null;
  }[];
  for (const [name, storage] of stores) {
    const objects = new Set((await Array.fromAsync(storage.list())).map((object) => object.key));
    for (const { uri, storage_key: key, filesize, sha256, stored_in } of files) {
      if (storeOf({ uri, storedIn: stored_in }) !== name) continue;
      if (!objects.delete(key)) faults.push(`${uri} has no object`);
      else if (isDeep) {
        const bytes = await new Response(await storage.read(key)).bytes();
        if (bytes.byteLength !== filesize) faults.push(`${uri} has ${bytes.byteLength} of ${filesize} bytes`);
        if (sha256 !== null && Bun.SHA256.hash(bytes, 'hex') !== sha256)
          faults.push(`${uri} has other bytes than its checksum says`);
      }
    }
    for (const key of objects) faults.push(`${name}: no file has the object ${key}`);
  }
  return faults;
}
