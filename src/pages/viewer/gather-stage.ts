import { pathOf } from '../../paths.ts';
import { findCards } from '../../repository/content/lists/find-cards.ts';
import { findShowableNodes, listMemberIds, type ShowableNode } from '../../repository/content/lists/find-showable.ts';
import { findAwaitedMedia } from '../../repository/content/read/awaited-media.ts';
import { findFirstText } from '../../repository/content/read/find-attached-files.ts';
import type { ContentInContext } from '../../repository/content/read/read-content.ts';
import { modelOf } from '../../repository/content/read/surroundings.ts';
import type { Services } from '../../repository/content/services.ts';
import { findUnserved } from '../../repository/media/find-unserved.ts';
import { haveMembersText } from '../../repository/search/has-text.ts';
import type { Call } from '../../web/call.ts';
import { chooseStage, fileOf } from './choose-stage.ts';
import { MAX_TEXT_CHARACTERS } from './media-stage.ts';
import type { Stage } from './stage.ts';

/** Number of pages in the stage of a book before its viewer opens. */
const FIRST_PAGES = 12;

/**
 * Reads what the stage of a node's page shows. Undefined if the caller may view no file of it. That of a book opens at the
 * page `at`, if it is one of its pages.
 */
export async function gatherStage(
  { api: { services }, actor }: Call,
  { content, surroundings }: ContentInContext,
  at?: number,
): Promise<Stage | undefined> {
  const { id } = content.head;
  const { structure } = modelOf(services.model, surroundings);
  if (structure === 'paged' || structure === 'compound') {
    const position = at === undefined ? -1 : (await listMemberIds(services, actor, id)).indexOf(at);
    const page = Math.max(0, Math.floor(position / FIRST_PAGES));
    const [{ cards, total }, isSearchable] = await Promise.all([
      findCards(services, actor, { members: id }, { page, size: FIRST_PAGES }),
      haveMembersText(services, actor, id),
    ]);
    const manifest = pathOf('nodeManifest', { node: id });
    const place = { at: position === -1 ? undefined : at, before: page * FIRST_PAGES };
    if (total > 0) return { kind: 'pages', manifest, isSearchable, cards, total, ...place };
  }
  // Media that the caller may view are among the surroundings.
  if (surroundings.media.length === 0) return undefined;
  const [node] = await findShowableNodes(services, actor, [id]);
  const stage = node && chooseStage(node, await findUnserved(services.database, [id]));
  if (node !== undefined && (stage === undefined || isTextFile(stage)))
    return (await textStage(services, node)) ?? stage;
  if (stage?.kind !== 'other') return stage;
  const awaited = await findAwaitedMedia(services.database, id);
  return { ...stage, isPreparing: awaited.version || (awaited.thumbnail && stage.picture === undefined) };
}

const isTextFile = (stage: Stage) => stage.kind === 'other' && stage.file.mimeType.startsWith('text/');

/** Returns the text of an item that has nothing else to show. */
async function textStage(services: Services, { media }: ShowableNode): Promise<Stage | undefined> {
  const text = await findFirstText(services, media, MAX_TEXT_CHARACTERS);
  const source = media.find(({ id }) => id === text?.media);
  return text && source && { kind: 'text', file: fileOf(source.file), text: text.text, isWhole: text.isWhole };
}
