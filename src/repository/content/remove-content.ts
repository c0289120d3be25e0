import type { InStatement } from '@libsql/client';
import type { Services } from '../services.ts';
import { removeParagraphsOf } from './adopt-paragraphs.ts';
import type { Content } from './content.ts';
import type { ContentType } from './kinds.ts';
import { retrying } from './save-content.ts';
import { pathPrefix, tableNames } from './write-content.ts';

/** More descendants than this are no hierarchy of terms but a cycle or an attack. */
const MAX_DESCENDANTS = 100_000;

/**
 * Removes a node, media, term or paragraph with its revisions, and with the paragraphs that belong to it. Media of a node
 * stay, files of a media stay; whatever referred to it loses that reference. Of terms, those that had no other parent go too (spec: rest-behaviour, 4).
 * `check` throws if the content must not be removed; `uris` are those of the terms to remove.
 */
export function removeContent(
  { database }: Services,
  read: () => Promise<Content>,
  check: (content: Content, uris: readonly string[]) => void,
): Promise<void> {
  return retrying(undefined, async () => {
    const content = await read();
    const { kind, head } = content;
    const [table, revisions] = tableNames(kind);
    const one = JSON.stringify([head.id]);
    const ids = kind.type === 'taxonomy_term' ? JSON.stringify(await withDescendants(database.client, head.id)) : one;
    check(content, kind.type === 'taxonomy_term' ? await urisOfTerms(database.client, ids) : []);
    await database.write([
      { sql: `DELETE FROM ${table} WHERE id = ? AND version = ?`, args: [head.id, head.version] },
      { sql: 'INSERT INTO guard (stale) SELECT 1 WHERE changes() <> 1', args: [] },
      ...(kind.type === 'taxonomy_term' ? [refuseMoved(head.id, ids)] : []),
      ...(ids === one ? [] : [{ sql: `DELETE FROM ${table} WHERE ${isIn('id')}`, args: [ids] }]),
      { sql: `DELETE FROM ${revisions} WHERE ${isIn('entity_id')}`, args: [ids] },
      ...forgetJobs(kind.type, ids),
      { sql: `DELETE FROM reference WHERE source_type = ? AND ${isIn('source_id')}`, args: [kind.type, ids] },
      ...(kind.type === 'taxonomy_term' ? [{ sql: `DELETE FROM term_uri WHERE ${isIn('term_id')}`, args: [ids] }] : []),
      {
        sql: 'DELETE FROM path_alias WHERE path IN (SELECT ? || value FROM json_each(?))',
        args: [pathPrefix(kind.type), ids],
      },
      ...forgetReferences(kind.type, ids),
      ...removeParagraphsOf(kind.type, ids),
    ]);
  });
}

/** Returns the URIs of terms; `ids` is a JSON list. */
async function urisOfTerms(client: Services['database']['client'], ids: string): Promise<string[]> {
  const { rows } = await client.execute({ sql: `SELECT uri FROM term_uri WHERE ${isIn('term_id')}`, args: [ids] });
  return rows.map((row) => String(row[0]));
}

const isIn = (column: string) => `${column} IN (SELECT value FROM json_each(?))`;

/** What was to be made of it or for it is not made any more; whoever is at it finds that out. `ids` is a JSON list. */
function forgetJobs(type: ContentType, ids: string): InStatement[] {
  const isOpen = 'DELETE FROM derivative_job WHERE ended_at IS NULL';
  if (type === 'node') return [{ sql: `${isOpen} AND ${isIn('node_id')}`, args: [ids] }];
  if (type !== 'media') return [];
  const nodes = `SELECT target_id FROM reference WHERE source_type = 'media' AND ${isIn('source_id')}
    AND target_type = 'node'`;
  return [{ sql: `${isOpen} AND node_id IN (${nodes}) AND ${isIn('media_id')}`, args: [ids, ids] }];
}

/** Tells whatever refers to something that it is gone: `ids` is a JSON list. */
export function forgetReferences(type: ContentType | 'file', ids: string): InStatement[] {
  const sources = ['node', 'media', 'taxonomy_term', 'paragraph'] as const;
  return [
    ...(type === 'node' ? [hideMediaOf(ids)] : []),
    ...sources.map((source) => ({
      sql: `UPDATE ${source} SET is_dangling = 1, version = version + 1 WHERE id IN (
        SELECT source_id FROM reference WHERE target_type = ? AND ${isIn('target_id')} AND source_type = '${source}')`,
      args: [type, ids],
    })),
    { sql: `DELETE FROM reference WHERE target_type = ? AND ${isIn('target_id')}`, args: [type, ids] },
  ];
}

/** Marks the media of deleted nodes, which count as unpublished until they have another node. */
function hideMediaOf(ids: string): InStatement {
  return {
    sql: `UPDATE media SET has_lost_node = 1 WHERE id IN (SELECT source_id FROM reference
      WHERE target_type = 'node' AND ${isIn('target_id')} AND source_type = 'media' AND field = 'field_media_of')`,
    args: [ids],
  };
}

/** A term and the terms below it that have no parent elsewhere. */
async function withDescendants(client: Services['database']['client'], id: number): Promise<number[]> {
  const { rows } = await client.execute({
    sql: `SELECT value FROM json_each(?1) UNION ALL SELECT * FROM (
      WITH RECURSIVE below (id) AS (
        SELECT source_id FROM reference WHERE target_type = 'taxonomy_term' AND target_id = ?2
          AND source_type = 'taxonomy_term' AND field = 'parent'
        UNION
        SELECT r.source_id FROM reference r JOIN below b ON r.target_id = b.id
          WHERE r.target_type = 'taxonomy_term' AND r.source_type = 'taxonomy_term' AND r.field = 'parent'
        LIMIT ${MAX_DESCENDANTS})
      SELECT id FROM below WHERE id <> ?2)`,
    args: [JSON.stringify([id]), id],
  });
  const candidates = new Set(rows.map((row) => Number(row[0])));
  return keepThoseWithoutOtherParent(client, id, candidates);
}

/**
 * Makes a batch fail if terms were moved since `withDescendants` looked: one of `ids` has another parent by now, or
 * none, or one that is not among them has no other.
 */
function refuseMoved(id: number, ids: string): InStatement {
  const links = "FROM reference r WHERE r.source_type = 'taxonomy_term' AND r.field = 'parent'";
  return {
    sql: `WITH gone (id) AS (SELECT value FROM json_each(?1))
      INSERT INTO guard (stale) SELECT 1 WHERE EXISTS (
        SELECT 1 FROM gone g WHERE g.id <> ?2 AND (
          NOT EXISTS (SELECT 1 ${links} AND r.source_id = g.id)
          OR EXISTS (SELECT 1 ${links} AND r.source_id = g.id AND r.target_id NOT IN (SELECT id FROM gone)))
      ) OR EXISTS (
        SELECT 1 FROM reference c WHERE c.target_type = 'taxonomy_term' AND c.target_id IN (SELECT id FROM gone)
          AND c.source_type = 'taxonomy_term' AND c.field = 'parent' AND c.source_id NOT IN (SELECT id FROM gone)
          AND NOT EXISTS (SELECT 1 ${links} AND r.source_id = c.source_id
            AND r.target_id NOT IN (SELECT id FROM gone)))`,
    args: [ids, id],
  };
}

async function keepThoseWithoutOtherParent(
  client: Services['database']['client'],
  id: number,
  candidates: Set<number>,
): Promise<number[]> {
  const { rows } = await client.execute({
    sql: `SELECT source_id, target_id FROM reference
      WHERE source_type = 'taxonomy_term' AND field = 'parent' AND ${isIn('source_id')}`,
    args: [JSON.stringify([...candidates])],
  });
  const links = rows.map((row) => [Number(row[0]), Number(row[1])] as const).filter(([child]) => child !== id);
  // A term that has a parent outside stays, and with it what hangs on it alone.
  for (let before = -1; before !== candidates.size; ) {
    before = candidates.size;
    for (const [child, parent] of links) if (!candidates.has(parent)) candidates.delete(child);
  }
  return [...candidates];
}
