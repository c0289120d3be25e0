import { isCompound, isPaged, modelOf } from '../../iiif/presentation/models.ts';
import { hasOpenJobs } from '../../jobs/has-open-jobs.ts';
import { nodeManifestPath } from '../../paths.ts';
import { findCards } from '../../repository/content/find-cards.ts';
import { findShowableNode } from '../../repository/content/find-showable.ts';
import type { FoundContent } from '../../repository/content/read-content.ts';
import type { Stage } from '../../representation/stage.ts';
import type { Call } from '../call.ts';
import { chooseStage } from './choose-stage.ts';

/** Number of pages in the stage of a book before its viewer opens. */
const FIRST_PAGES = 12;

/** Reads what the stage of a node's page shows. Undefined if the caller may view no file of it. */
export async function gatherStage(
  { api: { services }, actor }: Call,
  { content, surroundings }: FoundContent,
): Promise<Stage | undefined> {
  const { id } = content.head;
  const model = modelOf(surroundings);
  if (isPaged(model) || isCompound(model)) {
    const { cards, total } = await findCards(services, actor, { members: id }, { page: 0, size: FIRST_PAGES });
    if (total > 0) return { kind: 'pages', manifest: nodeManifestPath(id), cards, total };
  }
  const node = await findShowableNode(services, actor, id);
  const stage = node && chooseStage(node);
  if (stage?.kind !== 'other') return stage;
  return { ...stage, isPreparing: await hasOpenJobs(services.database, id) };
}
