import type { ComponentChild } from 'preact';
import { extensionOf } from '../../base/media-type.ts';
import { fileTypeInWords } from '../../field-types/display/file-type-in-words.ts';
import { langWithin, PAGE_LANGUAGE } from '../../field-types/display/language.ts';
import { textOf } from '../../field-types/page-view.ts';
import { readableSize } from '../../field-types/readable.tsx';
import { filePath } from '../../paths.ts';
import type { MediaFacts } from '../../repository/media/media-facts.ts';
import type { View } from '../view.ts';

interface Props {
  readonly view: View;
  readonly facts: MediaFacts;
}

/** The file of a media: its download, name, type and size in words, dimensions and checksum. */
export function FilePanel({ view, facts: { file: stored } }: Props) {
  const { around, members, sourceField, root, language } = view;
  const { file } = around;
  const lang = langWithin(PAGE_LANGUAGE, language);
  if (file === undefined) {
    // A remote video has no file. Its address is among the fields.
    const hasFile = sourceField?.targetType === 'file' && (members[sourceField.name]?.length ?? 0) > 0;
    return hasFile ? (
      <p class="panel" {...lang}>
        You may not read this file.
      </p>
    ) : null;
  }
  const name = file.uri.slice(file.uri.lastIndexOf('/') + 1);
  const original = textOf(members.field_original_name?.[0]?.value);
  const extension = /\.([A-Za-z0-9]{1,5})$/.exec(name)?.[1]?.toLowerCase() ?? extensionOf(file.filemime);
  const type = fileTypeInWords(file.filemime, extension);
  return (
    <section class="panel source-file" aria-labelledby="page-file" {...lang}>
      <h2 id="page-file">File</h2>
      <p>
        <a class="button" href={root + filePath(file.uri)} download>
          Download
        </a>
      </p>
      <dl>
        <Fact label="Name" value={<bdi>{name}</bdi>} />
        {original && original !== name && <Fact label="Original name" value={<bdi>{original}</bdi>} />}
        <Fact label="Type" value={`${type.charAt(0).toUpperCase()}${type.slice(1)}`} aside={file.filemime} />
        {stored && <Fact label="Size" value={readableSize(stored.bytes, PAGE_LANGUAGE)} />}
        {stored?.width && stored.height && (
          <Fact label="Dimensions" value={`${stored.width} × ${stored.height} pixels`} />
        )}
        {stored && <Fact label="Checksum (SHA-256)" value={<code class="checksum">{stored.sha256}</code>} />}
      </dl>
    </section>
  );
}

function Fact({ label, value, aside }: { label: string; value: ComponentChild; aside?: string }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        {value}
        {aside && <span class="aside"> ({aside})</span>}
      </dd>
    </div>
  );
}
