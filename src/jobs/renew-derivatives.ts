import { asc } from 'drizzle-orm';
import { query } from '../database/query-builder.ts';
import { media } from '../database/schema/content.ts';
import { references } from '../database/schema/references.ts';
import { isAmong } from '../database/sql.ts';
import { type Named, prepare, type Statement } from '../database/statement.ts';
import type { Actor } from '../repository/actor.ts';
import { isNodeOf } from '../repository/relations.ts';
import { addJobs } from './add-jobs.ts';
import type { JobServices } from './job-planner.ts';
import { readScanBatch } from './scan-batch.ts';

/** The media whose derivatives are made again: those of a node, or one alone. */
type RenewedSource = { readonly node: number } | { readonly media: number };

const nodesOfMedia = prepare(({ id }: Named<{ id: number }>) =>
  query
    .select({ id: references.targetId })
    .from(references)
    .where(isNodeOf(references, id))
    .orderBy(asc(references.delta))
    .limit(1),
);

const uuidsOf = prepare(({ ids }: Named<{ ids: string }>) =>
  query.select({ id: media.id, uuid: media.uuid }).from(media).where(isAmong(media.id, ids)),
);

/**
 * Returns the statements that queue all derivatives of a source by the rules on behalf of `actor`, whether they exist or
 * not, and their number. An open or failed job begins again.
 */
export async function renewDerivatives(
  services: JobServices,
  actor: Actor,
  source: RenewedSource,
): Promise<{ readonly statements: readonly Statement[]; readonly count: number }> {
  const { database, derivatives } = services;
  const nodeId = 'node' in source ? source.node : (await database.get(nodesOfMedia({ id: source.media })))?.id;
  if (nodeId === undefined) return { statements: [], count: 0 };
  const statements: Statement[] = [];
  let count = 0;
  for (let position = 0, isLast = false; !isLast; ) {
    const batch = await readScanBatch(services, { nodeId, withMembers: false }, position);
    ({ position, isLast } = batch);
    const sources = batch.sources.filter(({ mediaId }) => 'node' in source || mediaId === source.media);
    const ids = JSON.stringify(sources.map(({ mediaId }) => mediaId));
    const uuids = new Map((await database.all(uuidsOf({ ids }))).map(({ id, uuid }) => [id, uuid]));
    for (const each of sources) {
      const wanted = await derivatives.findRequired(each, async (id) => batch.nodes.get(id));
      const uuid = uuids.get(each.mediaId);
      if (uuid === undefined || wanted.length === 0) continue;
      count += wanted.length;
      statements.push(
        ...addJobs(
          uuid,
          wanted.map((derivative) => derivatives.jobOf(actor, derivative)),
        ),
      );
    }
  }
  return { statements, count };
}
