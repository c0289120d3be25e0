import { type SQL, sql } from 'drizzle-orm';
import { alias, type SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { media, nodes, paragraphs, terms } from '../../../database/schema/content.ts';
import { references } from '../../../database/schema/references.ts';
import { nested } from '../../../database/sql.ts';
import { accessSetOf, mediaSetOf } from '../../access/set-columns.ts';
import type { HostFacts } from '../../access-rule.ts';
import { type MediaNodesColumn, mediaNodesOf, mediaUseIds, readMediaNodes, readUseIds } from '../media-nodes.ts';

/** Maximum number of nested paragraphs: access to the innermost depends on all of them. */
export const MAX_NESTED = 32;

/** The columns of a paragraph in the outer query. */
interface ParagraphColumns {
  readonly id: SQLiteColumn;
  readonly hostType: SQLiteColumn;
  readonly hostId: SQLiteColumn;
}

const [node, medium, term] = [alias(nodes, 'n'), alias(media, 'm'), alias(terms, 't')];
const [paragraph, reference] = [alias(paragraphs, 'p'), alias(references, 'r')];

/** Returns the hosts above a paragraph as one JSON column for `readHosts`, each with its distance. */
export function hostsOf({ id, hostType, hostId }: ParagraphColumns): SQL<string> {
  const facts = (['bundle', 'ownerId', 'status'] as const).map(
    (name) => sql`coalesce(${node[name]}, ${medium[name]}, ${term[name]}, ${paragraph[name]})`,
  );
  const isNaming = sql`EXISTS (SELECT 1 FROM ${references} ${reference}
    WHERE ${reference.targetType} = 'paragraph' AND ${reference.targetId} = above.paragraph
      AND +${reference.sourceType} = above.type AND +${reference.sourceId} = above.id)`;
  const mediaNodes = sql`CASE above.type WHEN 'media' THEN ${mediaNodesOf(medium)} END`;
  const set = sql`CASE above.type WHEN 'node' THEN ${accessSetOf(node.id)} WHEN 'media' THEN ${mediaSetOf(medium.id)} ELSE 0 END`;
  const uses = sql`CASE above.type WHEN 'media' THEN ${mediaUseIds(medium.id)} END`;
  return nested(sql`(WITH RECURSIVE above (distance, type, id, paragraph) AS (
      SELECT 0, ${hostType}, ${hostId}, ${id} WHERE ${hostId} IS NOT NULL
      UNION ALL
      SELECT above.distance + 1, ${paragraph.hostType}, ${paragraph.hostId}, ${paragraph.id}
        FROM above JOIN ${paragraphs} ${paragraph} ON ${paragraph.id} = above.id
        WHERE above.type = 'paragraph' AND ${paragraph.hostId} IS NOT NULL
          AND above.distance < ${sql.raw(String(MAX_NESTED))})
    SELECT json_group_array(
      json_array(above.distance, above.type, above.id, ${sql.join(facts, sql`, `)}, ${isNaming}, ${mediaNodes}, ${set}, ${uses}))
    FROM above
      LEFT JOIN ${nodes} ${node} ON above.type = 'node' AND ${node.id} = above.id
      LEFT JOIN ${media} ${medium} ON above.type = 'media' AND ${medium.id} = above.id
      LEFT JOIN ${terms} ${term} ON above.type = 'taxonomy_term' AND ${term.id} = above.id
      LEFT JOIN ${paragraphs} ${paragraph} ON above.type = 'paragraph' AND ${paragraph.id} = above.id)`);
}

/**
 * Returns the number of levels of paragraphs in a paragraph, itself included, as a column. CROSS JOIN fixes the order
 * of the join: without statistics the database would read every paragraph.
 */
export function heightOf({ id }: Pick<ParagraphColumns, 'id'>): SQL<number> {
  return nested(sql`(WITH RECURSIVE below (height, id) AS (
      SELECT 1, ${id}
      UNION ALL
      SELECT below.height + 1, ${paragraph.id} FROM below CROSS JOIN ${paragraphs} ${paragraph}
        ON ${paragraph.hostType} = 'paragraph' AND ${paragraph.hostId} = below.id
        WHERE below.height <= ${sql.raw(String(MAX_NESTED))})
    SELECT max(height) FROM below)`);
}

type HostRow = [
  ...[distance: number, type: HostFacts['type'], id: number, bundle: string, ownerId: number],
  ...[status: number, isNaming: number, nodes: MediaNodesColumn | string | null],
  ...[accessSet: number, uses: number[] | string | null],
];

/** Returns the hosts from the column of `hostsOf`, the nearest first. */
export function readHosts(text: string): HostFacts[] {
  return (JSON.parse(text) as HostRow[])
    .sort(([one], [other]) => one - other)
    .map(([, type, id, bundle, ownerId, status, isNaming, nodes, accessSet, uses]) => ({
      ...{ type, id, bundle, ownerId },
      ...{ status: status === 1, isNaming: isNaming === 1, accessSet },
      ...(nodes !== null && { belongsTo: readMediaNodes(nodes) }),
      ...(uses !== null && { useIds: readUseIds(uses) }),
    }));
}
