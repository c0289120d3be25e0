import { extensionOf } from '../../base/media-type.ts';
import { fileTypeInWords } from '../../field-types/display/file-type-in-words.ts';
import { readableSize } from '../../field-types/readable.tsx';
import type { Stage, StageFile, StagePicture } from './stage.ts';

/** A link to a file of a stage, with its type and size. */
export function Download({ file: { path, mimeType, bytes }, root }: { file: StageFile; root: string }) {
  const size = bytes > 0 ? `, ${readableSize(bytes, 'en')}` : '';
  return (
    <p class="viewer-note">
      <a class="download" href={root + path} download>
        Download
      </a>{' '}
      ({fileTypeInWords(mimeType, extensionOf(mimeType))}
      {size})
    </p>
  );
}

interface Props {
  readonly picture: StagePicture;
  readonly text: string;
  readonly root: string;
}

/** A picture of a stage as browsers show it. */
export function StillPicture({ picture: { path, width, height }, text, root }: Props) {
  return <img class="viewer-still" src={root + path} alt={text} width={width} height={height} decoding="async" />;
}

/** The properties of a stage. */
export interface StageProps<Kind extends Stage['kind'] = Stage['kind']> {
  readonly stage: Extract<Stage, { readonly kind: Kind }>;
  /** The name of the item or media. */
  readonly label: string;
  readonly root: string;
  /** The attributes of texts in the language of pages. */
  readonly lang: { readonly lang?: string };
}
