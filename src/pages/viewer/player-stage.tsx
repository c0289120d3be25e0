import type { StageTrack } from './stage.ts';
import { type StageProps, StillPicture } from './stage-parts.tsx';

/** Audio or video in the player of the browser, which reads it in ranges, with its captions and chapters. */
export function PlayerStage({ stage, label, root, lang }: StageProps<'audio' | 'video'>) {
  const { kind, file, tracks, picture } = stage;
  const source = { src: root + file.path, 'aria-label': label, controls: true, preload: 'metadata' } as const;
  const hasChapters = tracks.some((track) => track.kind === 'chapters');
  return (
    <section
      class={`viewer viewer-player viewer-${kind}${kind === 'audio' && !picture ? ' viewer-low' : ''}`}
      aria-label={kind === 'audio' ? 'Audio' : 'Video'}
      {...lang}
    >
      {kind === 'audio' ? (
        <>
          {picture && <StillPicture picture={picture} text="" root={root} />}
          <audio {...source}>{tracks.map((track) => trackOf(track, root))}</audio>
          {tracks.some(isWords) && <p class="viewer-captions" dir="auto" />}
        </>
      ) : (
        <video {...source} poster={picture && root + picture.path} playsInline>
          {tracks.map((track) => trackOf(track, root))}
        </video>
      )}
      {hasChapters && (
        <nav class="viewer-chapters" aria-label="Chapters" hidden>
          <ol />
        </nav>
      )}
    </section>
  );
}

/** Returns true for a track with words. Browsers show those of a video themselves. */
export function isWords({ kind }: StageTrack): boolean {
  return kind === 'captions' || kind === 'subtitles';
}

function trackOf({ path, kind, language, label, isDefault }: StageTrack, root: string) {
  return <track key={path} src={root + path} kind={kind} srclang={language} label={label} default={isDefault} />;
}
