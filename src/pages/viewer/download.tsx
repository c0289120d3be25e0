import { extensionOf } from '../../base/media-type.ts';
import { fileTypeInWords } from '../../field-types/display/file-type-in-words.ts';
import { readableSize } from '../../field-types/readable.tsx';
import type { StageFile } from './stage.ts';

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
