/** @jsxImportSource preact */
import type { JSX } from 'preact';
import { ownPath } from '../../field-types/display/addresses.ts';
import type { Showing } from '../../field-types/display/browser-media.ts';
import { textOf } from '../../field-types/page-view.ts';
import type { Item } from '../../model/content-model.ts';

const TRACK_KINDS: ReadonlySet<string> = new Set(['subtitles', 'captions', 'descriptions', 'chapters', 'metadata']);

interface Props {
  readonly showing: Showing;
  readonly src: string;
  /** What stands for an image where it is not seen, and names a recording. */
  readonly text: string;
  /** Of an image whose size is known, so that the page does not jump when it comes. */
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  /** Items of a track field. */
  readonly tracks?: readonly Item[];
  readonly root: string;
}

/**
 * Shows or plays a file with the browser's own viewer. Audio and video are preloaded only as metadata. A video has no
 * poster: browsers would size the player to that image, and a thumbnail has no room for the controls. Without one, the
 * size comes from the video's metadata.
 */
export function FileViewer({ showing, src, text, width, height, tracks = [], root }: Props): JSX.Element {
  switch (showing) {
    case 'image':
      return <img src={src} alt={text} width={width} height={height} />;
    case 'audio':
      return (
        // biome-ignore lint/a11y/useMediaCaption: there are the captions that were uploaded.
        <audio src={src} aria-label={text} controls preload="metadata">
          {tracks.map((track) => trackOf(track, root))}
        </audio>
      );
    case 'video':
      return (
        // biome-ignore lint/a11y/useMediaCaption: there are the captions that were uploaded.
        <video src={src} aria-label={text} controls preload="metadata">
          {tracks.map((track) => trackOf(track, root))}
        </video>
      );
    default:
      return showing satisfies never;
  }
}

function trackOf(item: Item, root: string) {
  const path = ownPath(item.url);
  if (path === undefined) return null;
  const kind = textOf(item.kind) ?? '';
  return (
    <track
      key={path}
      src={root + path}
      kind={TRACK_KINDS.has(kind) ? (kind as 'captions') : 'metadata'}
      srclang={textOf(item.srclang)}
      label={textOf(item.label)}
      default={item.default === true}
    />
  );
}
