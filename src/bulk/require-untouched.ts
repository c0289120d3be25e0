import { sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { query } from '../database/query-builder.ts';
import { bulkItems } from '../database/schema/bulk.ts';
import { media, mediaRevisions, mediaUses, nodeRevisions } from '../database/schema/content.ts';
import { importItems } from '../database/schema/loading.ts';
import { references } from '../database/schema/references.ts';
import { type Named, plain, prepare } from '../database/statement.ts';
import type { JobServices } from '../jobs/job-planner.ts';
import type { Content } from '../repository/content/content.ts';
import { isMediaOf, isMemberOf } from '../repository/relations.ts';
import { ItemSkipped } from './item-skipped.ts';

/** A node that an import has created, and the run that is to delete it. */
interface ImportedNode {
  readonly runId: number;
  readonly importId: number;
  readonly nodeId: number;
}

const CHANGED = 'It has been changed since the import.';

const revisionsOf = prepare(({ nodeId }: Named<{ nodeId: number }>) =>
  query
    .select({ id: nodeRevisions.id, created: nodeRevisions.created })
    .from(nodeRevisions)
    .where(sql`${nodeRevisions.entityId} = ${nodeId}`)
    .limit(2),
);

const member = alias(references, 'member');

/** Finds members of a node that a run does not delete. */
const otherMember = prepare(({ runId, nodeId }: Named<{ runId: number; nodeId: number }>) =>
  plain(
    sql`SELECT ${member.sourceId} FROM ${references} ${member} WHERE ${isMemberOf(member, nodeId)}
      AND NOT EXISTS (SELECT 1 FROM ${bulkItems}
        WHERE ${bulkItems.runId} = ${runId} AND ${bulkItems.entityId} = ${member.sourceId}) LIMIT 1`,
    { id: sql<number>`source_id` },
  ),
);

const ofNode = alias(references, 'of_node');

/** Lists the media of a node: whether the import has created each, whether it was changed since, and the ids of its uses. */
const mediaOfNode = prepare(({ importId, nodeId }: Named<{ importId: number; nodeId: number }>) =>
  plain(
    sql`SELECT EXISTS (SELECT 1 FROM ${importItems} WHERE ${importItems.runId} = ${importId} AND ${importItems.part} <> ''
          AND ${importItems.entityId} = ${media.id}) AS is_imported,
        (SELECT count(*) FROM ${mediaRevisions} WHERE ${mediaRevisions.entityId} = ${media.id}) AS revisions,
        ${mediaUses(media.linked)} AS uses
      FROM ${references} ${ofNode} CROSS JOIN ${media} ON ${media.id} = ${ofNode.sourceId} WHERE ${isMediaOf(ofNode, nodeId)}`,
    { isImported: sql<number>`is_imported`, revisions: sql<number>`revisions`, uses: sql<string | null>`uses` },
  ),
);

/**
 * Returns the check that a node is still as its import has created it. Throws ItemSkipped if it or its media have changed,
 * has added files to it, or has made other items its members. Derivatives count as part of the import.
 */
export async function requireUntouched(
  { database, derivatives }: JobServices,
  { runId, importId, nodeId }: ImportedNode,
): Promise<(content: Content) => void> {
  const [revisions, others, ofMedia] = await Promise.all([
    database.all(revisionsOf({ nodeId })),
    database.get(otherMember({ runId, nodeId })),
    database.all(mediaOfNode({ importId, nodeId })),
  ]);
  const [first, second] = revisions;
  if (second !== undefined) throw new ItemSkipped(CHANGED);
  if (others !== undefined) throw new ItemSkipped('It has members that the import did not create, or that stay.');
  const derived = new Set<string>();
  for (const { derivativeTerm, sourceTerm } of derivatives.rules.actions.values()) {
    // The original that an action makes cannot be distinguished from an added one.
    if (derivativeTerm === sourceTerm) continue;
    const term = await derivatives.terms.first(derivativeTerm);
    if (term !== undefined) derived.add(String(term.id));
  }
  for (const { isImported, revisions: count, uses } of ofMedia) {
    if (isImported && count > 1) throw new ItemSkipped('Its media have been changed since the import.');
    if (!isImported && !(uses ?? '').split(' ').some((use) => derived.has(use)))
      throw new ItemSkipped('Files have been added to it since the import.');
  }
  return ({ head }) => {
    if (head.revisionId !== first?.id || head.changed !== first.created) throw new ItemSkipped(CHANGED);
  };
}
