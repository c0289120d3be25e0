import type { JSX } from 'preact';
import { ownPath } from '../field-types/display/addresses.ts';
import { type Showing, showingOf } from '../field-types/display/browser-media.ts';
import { langWithin, PAGE_LANGUAGE } from '../field-types/display/language.ts';
import { textOf } from '../field-types/page-view.ts';
import { readableSize } from '../field-types/readable.tsx';
import type { Item } from '../model/content-model.ts';
import { filePath } from '../paths.ts';
import type { View } from './view.ts';

const TRACK_KINDS: ReadonlySet<string> = new Set(['subtitles', 'captions', 'descriptions', 'chapters', 'metadata']);

interface Props {
  readonly showing: Showing;
  readonly src: string;
  /** The alternative text of an image, or the name of audio or video. */
  readonly text: string;
  /** The size of an image, if known: prevents the page from moving while it loads. */
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
        // biome-ignore lint/a11y/useMediaCaption: uploaded captions are tracks.
        <audio src={src} aria-label={text} controls preload="metadata">
          {tracks.map((track) => trackOf(track, root))}
        </audio>
      );
    case 'video':
      return (
        // biome-ignore lint/a11y/useMediaCaption: uploaded captions are tracks.
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

/** The file of a media with a viewer, if browsers support its type, and a download link. */
export function SourceFile({ view }: { view: View }) {
  const { around, members, sourceField, root, language } = view;
  const { file } = around;
  const lang = langWithin(PAGE_LANGUAGE, language);
  if (file === undefined) {
    // A remote video has no file. Its address is among the fields.
    const hasFile = sourceField?.targetType === 'file' && (members[sourceField.name]?.length ?? 0) > 0;
    return hasFile ? <p {...lang}>You may not read this file.</p> : null;
  }
  const source = (sourceField && members[sourceField.name]?.[0]) ?? {};
  const path = root + filePath(file.uri);
  const showing = showingOf(file.filemime);
  const bytes = view.sizeField ? members[view.sizeField]?.[0]?.value : undefined;
  const size = typeof bytes === 'number' ? readableSize(bytes, language) : undefined;
  return (
    <figure class="viewer">
      {showing && (
        <FileViewer
          showing={showing}
          src={path}
          text={textOf(source.alt) ?? view.label}
          width={pixels(source.width)}
          height={pixels(source.height)}
          tracks={tracksOf(view)}
          root={root}
        />
      )}
      <figcaption>
        <a class="download" href={path} download {...lang}>
          Download
        </a>
        <span class="facts">
          <bdi>{file.uri.slice(file.uri.lastIndexOf('/') + 1)}</bdi>
          <span>{file.filemime}</span>
          {size && <span>{size}</span>}
        </span>
      </figcaption>
    </figure>
  );
}

function pixels(value: unknown): number | undefined {
  return typeof value === 'number' && value > 0 ? value : undefined;
}

function tracksOf({ content, members, source }: View) {
  return content.bundle.fields.flatMap((field) =>
    source.fieldTypes.of(field).isTrack ? (members[field.name] ?? []) : [],
  );
}
