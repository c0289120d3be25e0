import type { SignpostingRules } from '../model/signposting.ts';
import type { Content } from '../repository/content/content.ts';
import type { Neighbour, SourceFile, Surroundings } from '../repository/content/surroundings.ts';

const USE_FIELD = 'field_media_use';

/** A file that links tell of, and the media that it is the source of. */
export interface SignpostedFile {
  readonly file: SourceFile;
  readonly mediaId: number;
}

/** The files that belong to content: of the media of a node, and of a media its own, if their use is asked for. */
export function signpostedFiles(
  { kind, head }: Content,
  around: Surroundings,
  item: SignpostingRules['item'],
): SignpostedFile[] {
  const isWanted = (uses: readonly Neighbour[]) =>
    item === 'all' || uses.some(({ externalUri }) => externalUri !== undefined && item.includes(externalUri));
  if (kind.type === 'node') {
    return around.media.flatMap(({ id, file, uses }) => (file && isWanted(uses) ? [{ file, mediaId: id }] : []));
  }
  const uses = around.targets.flatMap(({ field, target }) => (field === USE_FIELD ? [target] : []));
  return around.file && isWanted(uses) ? [{ file: around.file, mediaId: head.id }] : [];
}
