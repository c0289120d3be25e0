import { assetPath } from '../assets/assets.ts';
import type { StageProps } from './stage-props.ts';
import { StillPicture } from './still-picture.tsx';
import { ToolButton } from './tool-button.tsx';

/** A picture, which a script makes zoomable. */
export function ImageStage({ stage, label, root, lang }: StageProps<'image'>) {
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
