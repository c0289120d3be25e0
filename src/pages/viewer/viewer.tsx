import { numberText } from '../../base/in-words.ts';
import { langWithin, PAGE_LANGUAGE } from '../../field-types/display/language.ts';
import { entityPath } from '../../paths.ts';
import { assetPath } from '../assets/assets.ts';
import type { View } from '../view.ts';
import { PdfStage } from './pdf-stage.tsx';
import { PlayerStage } from './player-stage.tsx';
import type { Stage } from './stage.ts';
import { Download, type StageProps, StillPicture } from './stage-parts.tsx';
import { ToolButton } from './tool-button.tsx';

interface Props {
  readonly view: View;
  readonly stage: Stage;
}

/** The stage of a page: the item itself, complete without script, in the viewer that fits. */
export function Viewer({ view, stage }: Props) {
  const { root, label, language } = view;
  const props = { root, label, lang: langWithin(PAGE_LANGUAGE, language) };
  switch (stage.kind) {
    case 'image':
      return <ImageStage stage={stage} {...props} />;
    case 'pages':
      return <PagesStage stage={stage} {...props} />;
    case 'audio':
    case 'video':
      return <PlayerStage stage={stage} {...props} />;
    case 'pdf':
      return <PdfStage stage={stage} {...props} />;
    case 'text':
      return <TextStage stage={stage} {...props} />;
    case 'other':
      return <OtherStage stage={stage} {...props} />;
    default:
      return stage satisfies never;
  }
}

/** A picture, which a script makes zoomable. */
function ImageStage({ stage, label, root, lang }: StageProps<'image'>) {
  const { picture, service, alt = label } = stage;
  return (
    <section
      class="viewer viewer-image"
      aria-label="Picture"
      data-library={root + assetPath('openseadragon.js')}
      data-service={service && root + service}
      data-label={alt}
      {...lang}
    >
      {picture ? <StillPicture picture={picture} text={alt} root={root} /> : <p class="viewer-note">Loading</p>}
      <fieldset class="viewer-tools" aria-label="Picture controls" hidden>
        <ToolButton act="in" label="Zoom in" />
        <ToolButton act="out" label="Zoom out" />
        <ToolButton act="whole" label="Whole picture" />
        <ToolButton act="rotate" label="Rotate" />
        <ToolButton act="full" label="Full screen" />
      </fieldset>
    </section>
  );
}

/** A file without a viewer: its picture if there is one, its type and its download. */
function OtherStage({ stage: { file, picture, isPreparing }, label, root, lang }: StageProps<'other'>) {
  return (
    <section class={`viewer viewer-other${picture ? '' : ' viewer-low'}`} aria-label="File" {...lang}>
      {picture && <StillPicture picture={picture} text={label} root={root} />}
      <p class="viewer-note">
        {isPreparing ? 'A version for this page is being prepared.' : 'This type of file has no viewer.'}
      </p>
      <Download file={file} root={root} />
    </section>
  );
}

/** A text, or the beginning of a long one. */
function TextStage({ stage: { file, text, isWhole }, root, lang }: StageProps<'text'>) {
  return (
    <section class="viewer viewer-text" aria-label="Text" {...lang}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled area must be reachable by keyboard. */}
      <pre lang="" dir="auto" tabIndex={0}>
        {text}
      </pre>
      {!isWhole && <p class="viewer-note">This is the beginning of the text.</p>}
      <Download file={file} root={root} />
    </section>
  );
}

/** The first pages of a book or parts of an item, which a script replaces by a viewer of all. */
function PagesStage({
  stage: { manifest, cards, total, before, query, at, resultPage },
  root,
  lang,
}: StageProps<'pages'>) {
  return (
    <section
      class="viewer viewer-pages"
      aria-label="Viewer of the pages"
      data-library={root + assetPath('mirador.js')}
      data-manifest={root + manifest}
      data-query={query}
      data-result-page={resultPage}
      data-at={at}
      {...lang}
    >
      <div class="viewer-still">
        <ol class="viewer-strip">
          {cards.map(({ id, label, language, thumbnail }) => (
            <li key={id}>
              <a href={root + entityPath.node(id)} aria-current={id === at ? 'true' : undefined}>
                {thumbnail ? (
                  <img src={root + thumbnail.path} alt="" width={thumbnail.width} height={thumbnail.height} />
                ) : (
                  <span class="viewer-blank" />
                )}
                <bdi lang={language}>{label}</bdi>
              </a>
            </li>
          ))}
        </ol>
        {total > cards.length && (
          <p class="viewer-note">
            {at === undefined
              ? `The first ${cards.length} of ${numberText(total)}. The others are listed below.`
              : `${numberText(before + 1)} to ${numberText(before + cards.length)} of ${numberText(total)}.`}
          </p>
        )}
      </div>
    </section>
  );
}
