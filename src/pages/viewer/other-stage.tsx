import { Download } from './download.tsx';
import type { StageProps } from './stage-props.ts';
import { StillPicture } from './still-picture.tsx';

/** A file without a viewer: its picture if there is one, its type and its download. */
export function OtherStage({ stage: { file, picture, isPreparing }, label, root, lang }: StageProps<'other'>) {
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
