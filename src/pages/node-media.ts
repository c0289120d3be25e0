import { type Showing, showingOf } from '../field-types/display/browser-media.ts';
import type { AttachedMedia, SourceFile, Surroundings } from '../repository/content/surroundings.ts';

const USE = 'http://pcdm.org/use#';
const ORIGINAL = `${USE}OriginalFile`;
const SERVICE = `${USE}ServiceFile`;
const THUMBNAIL = `${USE}ThumbnailImage`;
/** What is made to be shown comes first, then what was uploaded, then whatever there is. */
const LEAD_USES = [SERVICE, ORIGINAL];

/** The media that stands at the top of a node's page. */
export interface Lead {
  readonly media: AttachedMedia;
  readonly file: SourceFile;
  readonly showing: Showing;
}

/** What a page shows of a node's media. */
export interface NodeMedia {
  readonly lead: Lead | undefined;
  /** The one small picture that stands for the node, and for each of its images. */
  readonly thumbnail: SourceFile | undefined;
}

/**
 * Chooses what to show of a node's media: only files that the caller may fetch and a browser can show. Where not all of
 * them are here and none of these can be shown, it is one that the node itself names, as its representative image.
 */
export function chooseMedia({ media: all, hasMoreMedia, targets }: Surroundings): NodeMedia {
  const shown = showable(all);
  const thumbnails = shown.filter(({ media, showing }) => showing === 'image' && isFor(media, THUMBNAIL));
  // With several originals nobody can tell which of them a thumbnail was made from.
  const isOfAll = thumbnails.length === 1 && all.filter((media) => isFor(media, ORIGINAL)).length < 2;
  const candidates = shown.filter(({ media }) => !isFor(media, THUMBNAIL));
  const lead =
    LEAD_USES.map((use) => candidates.find(({ media }) => isFor(media, use))).find((found) => found !== undefined) ??
    candidates[0] ??
    thumbnails[0] ??
    (hasMoreMedia ? showable(targets.flatMap(({ target }) => ('uses' in target ? target : [])))[0] : undefined);
  return { lead, thumbnail: isOfAll ? thumbnails[0]?.file : undefined };
}

/** The small picture of a media in a list: that of the node for its images, else the image itself if a browser shows it. */
export function pictureOf({ file }: AttachedMedia, { thumbnail }: NodeMedia): SourceFile | undefined {
  if (file === undefined || !file.filemime.toLowerCase().startsWith('image/')) return undefined;
  return thumbnail ?? (showingOf(file.filemime) === 'image' ? file : undefined);
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
