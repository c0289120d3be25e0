import { type Showing, showingOf } from '../field-types/display/browser-media.ts';
import type { AttachedMedia, SourceFile, Surroundings } from '../repository/content/surroundings.ts';

const USE = 'http://pcdm.org/use#';
const ORIGINAL = `${USE}OriginalFile`;
const SERVICE = `${USE}ServiceFile`;
const THUMBNAIL = `${USE}ThumbnailImage`;
/** The uses of lead media in order of preference. Other uses follow. */
const LEAD_USES = [SERVICE, ORIGINAL];

/** The media at the top of a node's page. */
export interface Lead {
  readonly media: AttachedMedia;
  readonly file: SourceFile;
  readonly showing: Showing;
}

/** The media and the thumbnail that a node's page shows. */
export interface NodeMedia {
  readonly lead: Lead | undefined;
  /** The thumbnail of the node. */
  readonly thumbnail: SourceFile | undefined;
}

/**
 * Chooses the media that a node's page shows, among files that the caller may read and a browser can show. If more media
 * exist and none of the first ones can be shown, chooses one that the node refers to, such as its representative image.
 */
export function chooseMedia({ media: all, hasMoreMedia, targets }: Surroundings): NodeMedia {
  const shown = showable(all);
  const thumbnails = shown.filter(({ media, showing }) => showing === 'image' && isFor(media, THUMBNAIL));
  // With several originals, the source of a thumbnail is unknown.
  const isOfAll = thumbnails.length === 1 && all.filter((media) => isFor(media, ORIGINAL)).length < 2;
  const candidates = shown.filter(({ media }) => !isFor(media, THUMBNAIL));
  const lead =
    LEAD_USES.map((use) => candidates.find(({ media }) => isFor(media, use))).find((found) => found !== undefined) ??
    candidates[0] ??
    thumbnails[0] ??
    (hasMoreMedia ? showable(targets.flatMap(({ target }) => ('uses' in target ? target : [])))[0] : undefined);
  return { lead, thumbnail: isOfAll ? thumbnails[0]?.file : undefined };
}

function showable(all: readonly AttachedMedia[]): Lead[] {
  return all.flatMap((media) => {
    const showing = media.file && showingOf(media.file.filemime);
    return media.file && showing ? [{ media, file: media.file, showing }] : [];
  });
}

function isFor({ uses }: AttachedMedia, uri: string): boolean {
  return uses.some(({ externalUri }) => externalUri === uri);
}
