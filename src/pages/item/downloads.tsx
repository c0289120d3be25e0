import { extensionOf } from '../../base/media-type.ts';
import { fileTypeInWords } from '../../field-types/display/file-type-in-words.ts';
import { langWithin, PAGE_LANGUAGE } from '../../field-types/display/language.ts';
import { readableSize } from '../../field-types/readable.tsx';
import { MEDIA_USE_URI } from '../../model/media-use.ts';
import { entityPath, filePath } from '../../paths.ts';
import type { AttachedFiles, FileSize } from '../../repository/content/find-attached-files.ts';
import type { AttachedMedia } from '../../repository/content/surroundings.ts';
import type { View } from '../view.ts';

/** The uses of files for readers, in their order. Files of other uses, such as technical metadata, follow folded. */
const READER_USES: readonly string[] = [
  MEDIA_USE_URI.original,
  MEDIA_USE_URI.service,
  MEDIA_USE_URI.preservation,
  MEDIA_USE_URI.transcript,
  MEDIA_USE_URI.extractedText,
];

interface Props {
  readonly view: View;
  readonly sizes: AttachedFiles['sizes'];
}

/** The files of an item that the caller may read, each with its use, type and size in words. */
export function Downloads({ view, sizes }: Props) {
  const { around, content, root, language, source } = view;
  if (around.media.length === 0) return null;
  const lang = langWithin(PAGE_LANGUAGE, language);
  const ranked = around.media.map((media) => ({ media, rank: rankOf(media) }));
  const forReaders = ranked.filter(({ rank }) => rank >= 0).sort((one, other) => one.rank - other.rank);
  const others = ranked.filter(({ rank }) => rank < 0);
  const rowOf = ({ media }: { media: AttachedMedia }) => (
    <Download key={media.id} media={media} size={media.file && sizes[media.file.id]} view={view} />
  );
  return (
    <section class="panel downloads" aria-labelledby="page-files" {...lang}>
      <h2 id="page-files">Download</h2>
      {forReaders.length > 0 && <ul>{forReaders.map(rowOf)}</ul>}
      {others.length > 0 && (
        <details open={forReaders.length === 0}>
          <summary>{forReaders.length === 0 ? 'Files' : 'Other files'}</summary>
          <ul>{others.map(rowOf)}</ul>
        </details>
      )}
      {around.hasMoreMedia && (
        <p>
          These are the first {around.media.length} files.
          {source.actor.may('manage media') && (
            <>
              {' '}
              <a href={`${root}${entityPath.node(content.head.id)}/media`}>All files of this item, as JSON</a>
            </>
          )}
        </p>
      )}
    </section>
  );
}

function rankOf({ uses }: AttachedMedia): number {
  const uris = new Set(uses.map(({ externalUri }) => externalUri));
  return READER_USES.findIndex((uri) => uris.has(uri));
}

function Download({ media, size, view }: { media: AttachedMedia; size: FileSize | undefined; view: View }) {
  const { id, label, file, uses } = media;
  const about = view.root + entityPath.media(id);
  return (
    <li>
      {file ? (
        <>
          <a class="download" href={view.root + filePath(file.uri)} download>
            {capitalised(fileTypeInWords(file.filemime, extensionIn(file.uri) ?? extensionOf(file.filemime)))}
            <span class="unseen">
              {' '}
              <bdi>{label}</bdi>
            </span>
          </a>
          {size && <>, {readableSize(size.bytes, PAGE_LANGUAGE)}</>}
        </>
      ) : (
        <bdi>{label}</bdi>
      )}
      <span class="facts">
        {uses.map((use) => (
          <bdi key={use.id}>{use.label}</bdi>
        ))}
        {size?.width && size.height && (
          <span>
            {size.width} × {size.height} pixels
          </span>
        )}
        <a href={about}>
          About this file<span class="unseen">: {label}</span>
        </a>
      </span>
    </li>
  );
}

/** Returns the extension at the end of a file's address. */
function extensionIn(uri: string): string | undefined {
  return /\.([A-Za-z0-9]{1,5})$/.exec(uri)?.[1]?.toLowerCase();
}

function capitalised(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
