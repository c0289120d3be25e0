/** @jsxImportSource preact */

import { showingOf } from '../../field-types/display/browser-media.ts';
import { langWithin, PAGE_LANGUAGE } from '../../field-types/display/language.ts';
import { readableSize } from '../../field-types/display/readable.ts';
import { textOf } from '../../field-types/page-view.ts';
import { filePath } from '../../paths.ts';
import type { View } from '../view.ts';
import { FileViewer } from './file-viewer.tsx';

/** The file of a media: shown or played if a browser can, and to be downloaded. */
export function SourceFile({ view }: { view: View }) {
  const { around, members, sourceField, root, language } = view;
  const { file } = around;
  const lang = langWithin(PAGE_LANGUAGE, language);
  if (file === undefined) {
    // A remote video has no file here: its address is among the fields.
    const hasFile = sourceField?.targetType === 'file' && (members[sourceField.name]?.length ?? 0) > 0;
    return hasFile ? <p {...lang}>The file itself is not open to you.</p> : null;
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
