import type { HostFacts } from '../access-rule.ts';
import { type MediaNodesColumn, mediaNodesOf, readMediaNodes } from './media-nodes.ts';

/** So many paragraphs may stand within each other: who may see the innermost is asked of all of them. */
export const MAX_NESTED = 32;

/**
 * SQL of what stands above a paragraph, as a JSON list, each with its distance. `paragraph` is what the query that this is
 * a column of calls it.
 */
export function hostsOf(paragraph: string): string {
  return `(WITH RECURSIVE above (distance, type, id, paragraph) AS (
      SELECT 0, ${paragraph}.host_type, ${paragraph}.host_id, ${paragraph}.id WHERE ${paragraph}.host_id IS NOT NULL
      UNION ALL
      SELECT a.distance + 1, p.host_type, p.host_id, p.id FROM above a JOIN paragraph p ON p.id = a.id
        WHERE a.type = 'paragraph' AND p.host_id IS NOT NULL AND a.distance < ${MAX_NESTED})
    SELECT json_group_array(json_array(a.distance, a.type, a.id,
      coalesce(n.bundle, m.bundle, t.bundle, p.bundle), coalesce(n.owner_id, m.owner_id, t.owner_id, p.owner_id),
      coalesce(n.status, m.status, t.status, p.status),
      EXISTS (SELECT 1 FROM reference r WHERE r.target_type = 'paragraph' AND r.target_id = a.paragraph
        AND +r.source_type = a.type AND +r.source_id = a.id),
      CASE a.type WHEN 'media' THEN ${mediaNodesOf('m')} END))
    FROM above a
      LEFT JOIN node n ON a.type = 'node' AND n.id = a.id
      LEFT JOIN media m ON a.type = 'media' AND m.id = a.id
      LEFT JOIN taxonomy_term t ON a.type = 'taxonomy_term' AND t.id = a.id
      LEFT JOIN paragraph p ON a.type = 'paragraph' AND p.id = a.id)`;
}

/**
 * SQL of how many paragraphs stand within each other in a paragraph, itself included. The order of the join is said, for
 * without statistics the database would look at every paragraph there is.
 */
export function heightOf(paragraph: string): string {
  return `(WITH RECURSIVE below (height, id) AS (
      SELECT 1, ${paragraph}.id
      UNION ALL
      SELECT b.height + 1, p.id FROM below b CROSS JOIN paragraph p ON p.host_type = 'paragraph' AND p.host_id = b.id
        WHERE b.height <= ${MAX_NESTED})
    SELECT max(height) FROM below)`;
}

type HostRow = [
  ...[distance: number, type: HostFacts['type'], id: number, bundle: string, ownerId: number],
  ...[status: number, isNaming: number, nodes: MediaNodesColumn | string | null],
];

/** What `hostsOf` found, the nearest first. */
export function readHosts(text: string): HostFacts[] {
  return (JSON.parse(text) as HostRow[])
    .sort(([one], [other]) => one - other)
    .map(([, type, id, bundle, ownerId, status, isNaming, nodes]) => ({
      ...{ type, id, bundle, ownerId },
      ...{ status: status === 1, isNaming: isNaming === 1 },
      ...(nodes !== null && { belongsTo: readMediaNodes(nodes) }),
    }));
}
