import { setImmediate } from 'node:timers/promises';
import type { Row } from '@libsql/client';
import type { EntityType } from '../../model/content-model.ts';
import type { Actor } from '../actor.ts';
import type { Services } from '../services.ts';
import type { Content } from './content.ts';
import { findAllContent } from './find-content.ts';
import { foldLabel } from './fold-label.ts';
import type { ContentKind } from './kinds.ts';
import { visibleRows } from './visible-rows.ts';
import { tableNames } from './write-content.ts';

/** Part of a list, in entities. */
export interface Page {
  readonly limit: number;
  readonly offset: number;
}

/** Read at once: enough to be fast, few enough that other requests get their turn in between. */
const BATCH_SIZE = 100;
/** Of documents: a libSQL server answers with 10 MB at most. One entity alone is never more than it takes. */
const MAX_BATCH_BYTES = 4_000_000;

export interface Referring {
  readonly targetType: EntityType;
  readonly targetId: number;
  readonly field: string;
}

/**
 * What the actor may see of the content that refers to something by a field, by weight and then by id, in batches: the media of a node, the
 * members of a collection.
 */
export async function* listReferrers(
  services: Services,
  kind: ContentKind,
  { targetType, targetId, field }: Referring,
  actor: Actor,
  page: Page | undefined,
): AsyncGenerator<Content[]> {
  const [table] = tableNames(kind);
  const visible = visibleRows(kind, actor, 'e');
  // An entity may name its target twice; its first item speaks for it. Most items are the first of all.
  const query = `SELECT r.source_id, octet_length(e.document) FROM reference r JOIN ${table} e ON e.id = r.source_id
    WHERE r.target_type = ? AND r.target_id = ? AND r.source_type = '${table}' AND r.field = ?
      AND (r.delta = 0 OR NOT EXISTS (SELECT 1 FROM reference o
        WHERE o.source_type = r.source_type AND o.source_id = r.source_id AND o.field = r.field AND o.delta < r.delta
          AND o.target_type = r.target_type AND o.target_id = r.target_id))
      AND ${visible.sql}
    ORDER BY r.weight, r.source_id LIMIT ? OFFSET ?`;
  const { rows } = await services.database.client.execute({
    sql: query,
    args: [targetType, targetId, field, ...visible.args, page?.limit ?? -1, page?.offset ?? 0],
  });
  yield* inBatches(services, kind, rows);
}

/** The terms of a vocabulary that the actor may see, by weight and then by name. */
export async function* listTerms(
  services: Services,
  kind: ContentKind,
  vocabulary: string,
  actor: Actor,
  page: Page | undefined,
): AsyncGenerator<Content[]> {
  const visible = visibleRows(kind, actor, 'taxonomy_term');
  const { rows } = await services.database.client.execute({
    sql: `SELECT id, octet_length(document) FROM taxonomy_term WHERE bundle = ? AND ${visible.sql}
      ORDER BY document ->> '$.weight[0].value', folded_label, id LIMIT ? OFFSET ?`,
    args: [vocabulary, ...visible.args, page?.limit ?? -1, page?.offset ?? 0],
  });
  yield* inBatches(services, kind, rows);
}

/** Published terms of a vocabulary with a name, whatever its case. */
export async function findTermsByName(
  services: Services,
  kind: ContentKind,
  vocabulary: string,
  name: string,
): Promise<Content[]> {
  const { rows } = await services.database.client.execute({
    sql: 'SELECT id FROM taxonomy_term WHERE bundle = ? AND folded_label = ? AND status = 1 ORDER BY id',
    args: [vocabulary, foldLabel(name)],
  });
  return readAll(
    services,
    kind,
    rows.map((row) => Number(row[0])),
  );
}

/** Published terms that stand for a URI by a field. */
export async function findTermsByUri(
  services: Services,
  kind: ContentKind,
  field: string,
  uri: string,
): Promise<Content[]> {
  const { rows } = await services.database.client.execute({
    sql: `SELECT DISTINCT t.id FROM term_uri u JOIN taxonomy_term t ON t.id = u.term_id
      WHERE u.uri = ? AND u.field = ? AND t.status = 1 ORDER BY t.id`,
    args: [uri, field],
  });
  return readAll(
    services,
    kind,
    rows.map((row) => Number(row[0])),
  );
}

/** Content by ids, in their order, in batches; what is gone meanwhile is left out. */
export async function* readListed(
  services: Services,
  kind: ContentKind,
  ids: readonly number[],
): AsyncGenerator<Content[]> {
  const [table] = tableNames(kind);
  for (let start = 0; start < ids.length; start += BATCH_SIZE) {
    const { rows } = await services.database.client.execute({
      sql: `SELECT e.id, octet_length(e.document) FROM json_each(?) j JOIN ${table} e ON e.id = j.value ORDER BY j.key`,
      args: [JSON.stringify(ids.slice(start, start + BATCH_SIZE))],
    });
    yield* inBatches(services, kind, rows);
  }
}

/** The content of rows that begin with an id and the length of its document. */
async function* inBatches(services: Services, kind: ContentKind, rows: readonly Row[]): AsyncGenerator<Content[]> {
  for (let start = 0; start < rows.length; ) {
    const end = endOfBatch(rows, start);
    const ids = rows.slice(start, end).map((row) => Number(row[0]));
    start = end;
    yield await readAll(services, kind, ids);
    await setImmediate();
  }
}

function endOfBatch(rows: readonly Row[], start: number): number {
  let end = start;
  for (let bytes = 0; end < rows.length && end < start + BATCH_SIZE; end++) {
    bytes += Number(rows[end]?.[1]);
    if (bytes > MAX_BATCH_BYTES && end > start) break;
  }
  return end;
}

/** Content by ids, in their order; what is gone meanwhile is left out. */
async function readAll({ database }: Services, kind: ContentKind, ids: readonly number[]): Promise<Content[]> {
  if (ids.length === 0) return [];
  const found = new Map((await findAllContent(database, kind, ids)).map((content) => [content.head.id, content]));
  return ids.flatMap((id) => found.get(id) ?? []);
}
