import { langWithin, PAGE_LANGUAGE } from '../../field-types/display/language.ts';
import { readableSize } from '../../field-types/readable.tsx';
import { filePath } from '../../paths.ts';
import type { View } from '../view.ts';

/** The file of a media: a download link with its name, type and size. */
export function SourceFile({ view }: { view: View }) {
  const { around, members, sourceField, root, language } = view;
  const { file } = around;
  const lang = langWithin(PAGE_LANGUAGE, language);
  if (file === undefined) {
    // A remote video has no file. Its address is among the fields.
    const hasFile = sourceField?.targetType === 'file' && (members[sourceField.name]?.length ?? 0) > 0;
    return hasFile ? <p {...lang}>You may not read this file.</p> : null;
  }
  const bytes = view.sizeField ? members[view.sizeField]?.[0]?.value : undefined;
  const size = typeof bytes === 'number' ? readableSize(bytes, language) : undefined;
  return (
    <p class="source-file">
      <a class="download" href={root + filePath(file.uri)} download {...lang}>
        Download
      </a>{' '}
      <span class="facts">
        <bdi>{file.uri.slice(file.uri.lastIndexOf('/') + 1)}</bdi>
        <span>{file.filemime}</span>
        {size && <span>{size}</span>}
      </span>
    </p>
  );
}
