import { MEDIA_USE_URI } from '../../model/media-use.ts';
import type { ShowableMedia, ShowableTree } from '../../repository/content/lists/find-showable.ts';
import { modelOf, type Surroundings } from '../../repository/content/read/surroundings.ts';
import { type CanvasSource, pictureResource, rendering, thumbnailOf } from './canvas.ts';
import type { CanvasMedia } from './choose-canvas-media.ts';
import { itemFacts, type NodeSource, type SiteSource } from './item-facts.ts';
import { familyOf, isFor } from './media-uses.ts';
import { canvasesOf, type PagesOf } from './page-canvases.ts';
import { PRESENTATION_CONTEXT, type Resource } from './resource.ts';
import { searchServices } from './search-services.ts';

/** An item with its canvases. */
interface ManifestInput {
  readonly described: NodeSource;
  readonly tree: ShowableTree;
  /** At least one. */
  readonly shown: readonly CanvasMedia[];
  readonly pages: PagesOf;
}

export interface ManifestSource extends CanvasSource, SiteSource {}

/** Returns the manifest of an item (Presentation API 3.0, 5.2). `id` is its address. */
export function manifestOf(id: string, input: ManifestInput, source: ManifestSource): Resource {
  const { described, tree, shown, pages } = input;
  const { content, around } = described;
  const direction = directionOf(languageOf(content.members.langcode?.[0]?.value), around);
  const rendered = documentsOf(tree, shown, source);
  const thumbnail = manifestThumbnail(tree, shown, source);
  const items = shown.flatMap((each) => canvasesOf(each, source, pages));
  return {
    '@context': PRESENTATION_CONTEXT,
    id,
    type: 'Manifest',
    ...itemFacts(described, source),
    thumbnail: thumbnail && [thumbnail],
    rendering: rendered.length > 0 ? rendered : undefined,
    service: searchServices(described.content.head.id, shown, source),
    behavior: behaviorOf(items.length, shown, modelOf(source.model, around).structure === 'paged'),
    viewingDirection: items.length > 1 ? direction : undefined,
    items,
  };
}

function languageOf(langcode: unknown): string | undefined {
  return typeof langcode === 'string' ? langcode : undefined;
}

/** Returns how a viewer arranges several canvases: as a book of pages, or one by one. */
function behaviorOf(
  canvases: number,
  shown: readonly CanvasMedia[],
  isOfPages: boolean,
): readonly string[] | undefined {
  if (canvases < 2) return undefined;
  return [isOfPages && shown.every(({ family }) => family === 'image') ? 'paged' : 'individuals'];
}

/** Returns the picture of the item itself, or of its first canvas with one. */
function manifestThumbnail(
  { node }: ShowableTree,
  shown: readonly CanvasMedia[],
  source: CanvasSource,
): Resource | undefined {
  const own = node.media.find((media) => isFor(media, MEDIA_USE_URI.thumbnail) && familyOf(media) === 'image');
  if (own !== undefined) return pictureResource(own.file, source);
  return shown.map((each) => thumbnailOf(each, source)).find((thumbnail) => thumbnail !== undefined);
}

/** Returns the files of the item that no canvas names: its originals and its documents. */
function documentsOf({ node }: ShowableTree, shown: readonly CanvasMedia[], source: CanvasSource): Resource[] {
  const onCanvases = new Set(shown.filter(({ family }) => family === 'document').map(({ original }) => original.id));
  const isWanted = (media: ShowableMedia) =>
    isFor(media, MEDIA_USE_URI.original) ||
    (familyOf(media) === 'document' && media.file.mimeType === 'application/pdf');
  return node.media
    .filter((media) => isWanted(media) && !onCanvases.has(media.id))
    .map((media) => rendering(media, media.label, source.baseUrl, source.labelLanguage));
}

/** Scripts that are written from right to left. */
const RIGHT_TO_LEFT: ReadonlySet<string | undefined> = new Set([
  'Adlm',
  'Arab',
  'Hebr',
  'Mand',
  'Mend',
  'Nkoo',
  'Rohg',
  'Samr',
  'Syrc',
  'Thaa',
]);
/** Bibliographic codes of ISO 639-2 that differ from the codes of language tags. */
const TAGS: ReadonlyMap<string, string> = new Map([['per', 'fa']]);

/** Returns `right-to-left` for content whose pages follow each other so. Undefined for all other content. */
function directionOf(language: string | undefined, { targets }: Surroundings): 'right-to-left' | undefined {
  const codes = targets.flatMap(({ field, target: { authorityUri } }) =>
    field === 'field_language' && authorityUri !== undefined
      ? authorityUri.slice(authorityUri.lastIndexOf('/') + 1)
      : [],
  );
  const [first] = codes.length > 0 ? codes : [language];
  return first !== undefined && RIGHT_TO_LEFT.has(scriptOf(TAGS.get(first) ?? first)) ? 'right-to-left' : undefined;
}

/** Returns the usual script of a language. Undefined for text that is no language tag. */
function scriptOf(tag: string): string | undefined {
  try {
    return new Intl.Locale(tag).maximize().script;
  } catch {
    // Not a language tag.
    return undefined;
  }
}
